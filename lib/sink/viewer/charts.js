/*
 * Charts between the axis and the rows, on the same x: what the samples shown
 * asked of the engines at each moment.
 *
 * A chart is {key, title, help, lines, peak, text}: lines are stacked, each
 * {name, curve, colour}, see curve.js and palette.js; peak is the top of the
 * scale and text(value) puts one of its values in words. With `overlaid` the
 * lines are those of engines.js, each drawn from the ground; with `gpu` it is
 * one of gpus.js. CHART_SOURCES make
 * them, in slices, from the scene; one that has nothing to say of a dump gives
 * none. All that follows, the bands of the page and what they say, is made
 * from the charts.
 */

const CHART_SOURCES = [answerCharts, engineCharts, gpuCharts];
const CHART_ROWS = 256; /* between pauses */
const CHART_POINTS = 10000; /* of lines, drawn in a frame */
const WARM_FRAMES = 4;
const CHART_COST = 2500; /* points that take as long as all else of a chart */

/* The generations of row r that count, as intervals. */
function addGenerations({model}, r, found)
{
	const {items, rows} = model;
	const {first, items: many} = rows[r];

	for (let i = first; i < first + many; i++) {
		if (items.request[i] && counts(items, i))
			found.add(items.start[i], items.end[i]);
	}
}

/* The queue and the tokens of row r; a sample's tokens are spread evenly over the
 * time for which it decoded. */
function addEngineWork(stats, r, found)
{
	const rate = rateOf(stats, r);

	eachActivity(stats, r, ALWAYS, (activity, from, to, works) => {
		if (activity === QUEUE)
			found.queue.add(from, to);
		else if (activity === DECODE && works && rate > 0)
			found.tokens.add(from, to, rate);
	});
}

/* Slices: intervals of the rows by what they are. */
function* engineIntervals(stats, rows)
{
	const found = {flight: new Intervals(), queue: new Intervals(),
		tokens: new Intervals()};

	for (let k = 0; k < rows.length; k++) {
		addGenerations(stats, rows[k], found.flight);
		addEngineWork(stats, rows[k], found);
		if (k % CHART_ROWS === 0)
			yield;
	}
	return found;
}

function makeChart(key, title, help, lines, text)
{
	return {key, title, help, lines, text,
		peak: lines.reduce((sum, {curve}) => sum + peakOf(curve).value,
			0)};
}

/* Slices: the charts of generations in flight, queues and tokens. */
function* answerCharts({stats, order})
{
	const found = yield* engineIntervals(stats, timedRows(stats.model,
		order));
	const line = function* (name, intervals, activity) {
		return {name, curve: yield* curveOf(intervals,
			stats.model.items.Times),
			colour: activityColour(activity)};
	};
	const [flight, queue, tokens] = [
		yield* line("in flight", found.flight, DECODE),
		yield* line("queued", found.queue, QUEUE),
		yield* line("tokens/s", found.tokens, DECODE),
	];
	const round = (value) => formatCount(Math.round(value));

	const charts = [];

	for (const [key, title, help, chosen] of [
		["flight", "in flight", "generations under way", flight],
		["queue", "queued", "requests in the engines' queues", queue],
		["tokens", "tokens/s", "decode: each sample's tokens spread " +
			"over the time for which it decoded", tokens],
	]) {
		charts.push(makeChart(key, title, help, [chosen], round));
		yield;
	}
	return charts.filter(({peak}) => peak > 0);
}

/* Slices: all charts of a scene. */
function* chartsOf(scene)
{
	const charts = [];

	for (const source of CHART_SOURCES)
		charts.push(...yield* source(scene));
	return charts;
}

/* What a chart says of a moment, or of its peak where none is given. */
function sayChart(chart, time)
{
	const {lines, overlaid, peak, text} = chart;

	if (chart.gpu)
		return sayGpu(chart, time);
	if (time === undefined) {
		return overlaid ? `peak ${text(chart.top)}${peakOwners(chart)}` :
			`peak ${text(peak)} in total`;
	}
	if (overlaid)
		return sayLines(chart, time);
	return `${text(valueAt(lines[0].curve, time))} in total`;
}

/* --- drawing --- */

/* The lines of a chart, on top of one another or overlaid; dashes at the
 * peak. */
function paintChart(scene, chart, canvas)
{
	const {context, width, height} = fitCanvas(canvas);
	const {plot} = scene;

	if (chart.overlaid)
		paintOverlaid(scene, chart, context, width, height);
	else
		paintStacked(scene, chart, context, width, chart.steps ?
			height - STEPS_HEIGHT : height);
	if (chart.steps)
		paintSteps(scene, chart, context, width, height);
	context.strokeStyle = scene.ink.faint;
	context.setLineDash([4, 4]);
	context.beginPath();
	context.moveTo(0, 2.5);
	context.lineTo(width, 2.5);
	context.stroke();
	context.setLineDash([]);
	paintMeasured({scene, context, ...plot}, height);
}

/* The pixels, of so many, between the first and the last step of a curve. */
function curvePixels({at}, plot, pixels)
{
	const clip = (x) => Math.min(Math.max(x, 0), pixels);

	return at.length === 0 ? [0, 0] : [
		clip(Math.floor(xAt(plot, at[0]))),
		clip(Math.ceil(xAt(plot, at[at.length - 1]))),
	];
}

/* The mean of each pixel. */
function paintStacked(scene, chart, context, width, height)
{
	paintBoxes(scene, context, width, (pen, plot, pixels) => {
		const below = new Float64Array(pixels);

		for (const {curve, colour} of chart.lines) {
			pen.use(colour);
			stackCurve(pen, curve, plot, below, height,
				(height - 3) / chart.peak);
		}
	});
}

/* A curve on top of what is there in each pixel already; scale: px of 1. */
function stackCurve(pen, curve, plot, below, height, scale)
{
	const [first, end] = curvePixels(curve, plot, below.length);
	let before = areaUntil(curve, timeAtX(plot, first));

	for (let x = first; x < end; x++) {
		const after = areaUntil(curve, timeAtX(plot, x + 1));
		const tall = scale * (after - before) * plot.scale;
		const low = height - below[x];

		before = after;
		if (tall > 0)
			pen.box(x, 1, low - tall, low);
		below[x] += tall;
	}
}

/* A band for each chart: its name and value, then its canvas. */
function makeBand({key, title, help})
{
	return element("section", {class: "band chart", "data-chart": key,
		"aria-label": title, title: help},
	element("p", {class: "chart-name"}, element("span", {}, title),
		element("b", {}), element("span", {class: "chart-keys"})),
	element("div", {class: "timed"}, element("div", {},
		element("canvas", {role: "img"}),
		element("div", {class: "hair", "aria-hidden": "true",
			hidden: ""}),
		element("div", {class: "pin", "aria-hidden": "true",
			hidden: ""}))));
}

/* The bands that charts need; those that are there stay. */
function showCharts(scene, page, all = scene.charts)
{
	const root = byId("charts");
	const charts = scene.state.charts && all || [];
	const there = new Map([...root.children].map((band) =>
		[band.dataset.chart, band]));

	scene.said = undefined;
	root.hidden = charts.length === 0;
	root.replaceChildren(...charts.map((chart) =>
		there.get(chart.key) || makeBand(chart)));
	showKeys(scene, page, charts);
	for (const chart of charts) {
		bandOf(chart).querySelector(".chart-keys").replaceChildren(
			...lineKeys(chart));
		bandOf(chart).querySelector("canvas").setAttribute("aria-label",
			`${chart.title} over time, ${sayChart(chart)}`);
	}
}

function bandOf({key})
{
	return byId("charts").querySelector(`[data-chart="${key}"]`);
}

/* All that the picture of a chart or of the axis depends on. */
function pictureLook({plot, ink, standsOut, state: {measured}}, canvas)
{
	return [canvas, ink, measured, plot.start, plot.scale,
		canvas.clientWidth, canvas.clientHeight,
		globalThis.devicePixelRatio, standsOut];
}

/* Of charts those whose bands are in view, and on paper all, with their
 * canvases. */
function* chartsInView(scene, charts)
{
	const {top, bottom} = byId("charts").getBoundingClientRect();

	for (const chart of charts || []) {
		const canvas = bandOf(chart)?.querySelector("canvas");
		const place = canvas?.getBoundingClientRect();

		if (place?.width > 0 && (scene.paper ||
		    (place.bottom > top && place.top < bottom)))
			yield [chart, canvas];
	}
}

/* Draw it if it looks otherwise now; shown.painted: how it looked. */
function paintChanged(scene, shown, canvas, paint)
{
	const look = pictureLook(scene, canvas);

	if (!look.every((one, k) => one === shown.painted?.[k])) {
		paint();
		shown.painted = look;
	}
}

/* How many points of its lines a chart has in the window. */
function pointsInView({lines}, {start, end})
{
	return lines.reduce((sum, {at, curve}) => sum +
		lastAtMost(at || curve.at, end) -
		lastAtMost(at || curve.at, start), 0);
}

/* Draw the charts in view that have changed, as many as a frame has time for;
 * those drawn longest ago come first. Returns whether others wait. */
function paintCharts(scene)
{
	const inView = [...chartsInView(scene, scene.charts)].sort(
		([a], [b]) => (a.turn ?? 0) - (b.turn ?? 0));
	let points = 0;

	for (const [chart, canvas] of inView) {
		if (points >= CHART_POINTS && !scene.paper)
			return true;
		paintChanged(scene, chart, canvas, () => {
			paintChart(scene, chart, canvas);
			points += CHART_COST +
				pointsInView(chart, scene.plot);
			chart.turn = ++scene.turns;
		});
	}
	return false;
}

/* Slices: draw the charts in view, each in one. */
function* chartPaints(scene, charts)
{
	for (const [chart, canvas] of chartsInView(scene, charts)) {
		paintChanged(scene, chart, canvas,
			() => paintChart(scene, chart, canvas));
		yield;
	}
}

/* Draw all again for some frames: the first ones cost a browser up to four times
 * as much, and would be those of the first zoom. */
async function warmUp(scene, page)
{
	for (let n = 0; n < WARM_FRAMES; n++) {
		await new Promise(afterFrame);
		for (const shown of [scene.axis, ...scene.charts || []])
			shown.painted = undefined;
		page.draw();
	}
}

/* Slices: put new charts into the page: their bands, for which the rows make
 * room, then the picture of each. */
function* placeCharts(scene, page, charts)
{
	const {charts: shown} = scene.state;

	showCharts(scene, page, charts);
	page.draw();
	yield;
	yield* chartPaints(scene, charts);
	if (!scene.charts)
		warmUp(scene, page);
	scene.charts = charts;
	scene.said = undefined;
	page.apply(scene.state.charts === shown ? "cursor" : "charts");
}

function listenToCharts(scene, page)
{
	const root = byId("charts");
	const timeOf = ({clientX}) => timeAtX(plotScale(scene), clientX -
		byId("ground").getBoundingClientRect().left);
	const onCanvas = ({target}) => Boolean(target.closest(".timed"));

	root.addEventListener("pointermove", (event) => {
		if (onCanvas(event))
			showHair(scene, timeOf(event));
		else
			hideHair(scene);
	});
	root.addEventListener("pointerleave", () => hideHair(scene));
	root.addEventListener("scroll", page.draw);
	root.addEventListener("click", (event) => onCanvas(event) &&
		pin(scene, page, timeOf(event)));
	root.addEventListener("wheel", (event) => {
		event.preventDefault();
		turnWheel(scene, page, event, timeOf(event));
	}, {passive: false});
}
