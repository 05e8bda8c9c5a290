/*
 * Distributions: tokens of the samples shown against how long they were
 * generated, with rays of one rate, and histograms. A slow engine stands off
 * the rays, a long answer far along them. What is brushed is what is shown.
 */

const SPREAD_MARGIN = {left: 44, right: 10, top: 10, bottom: 24};
const SPREAD_BARS = 30;
const SPREAD_DOT = 2.5;
const SPREAD_ROWS = 256; /* between pauses */
const RAY_WORDS = 64; /* px that the words of a ray take, */
const RAY_LINE = 11; /* and their height */
const RAY_QUANTILES = [0.05, 0.5, 0.95];

/* What the samples have: [{row, tokens, time, rate, worker}, ...]; those
 * without tokens or time have no place. */
function spreadOf(scene)
{
	return finish(pointSteps(scene));
}

function* pointSteps({stats, model, order})
{
	const rows = timedRows(model, order);
	const found = [];

	for (let k = 0; k < rows.length; k++) {
		const r = rows[k];
		const tokens = tokensOf(model.rows[r]);
		const rate = rateOf(stats, r);

		if (k % SPREAD_ROWS === 0)
			yield;

		if (tokens > 0 && rate > 0) {
			found.push({row: r, tokens, time: tokens / rate * 1e6, rate,
				worker: model.rows[r].worker ?? ""});
		}
	}
	return found;
}

/* From data to places and back. */
function spreadScale(points, width, height)
{
	const {left, right, top, bottom} = SPREAD_MARGIN;
	const most = (key) => points.reduce((a, one) => Math.max(a, one[key]),
		0) * 1.04 || 1;
	const [tokens, time] = [most("tokens"), most("time")];
	const [w, h] = [Math.max(width - left - right, 1),
		Math.max(height - top - bottom, 1)];

	return {
		tokens, time,
		x: (value) => left + value / tokens * w,
		y: (value) => top + h - value / time * h,
		tokensAt: (x) => (x - left) / w * tokens,
		timeAt: (y) => (top + h - y) / h * time,
	};
}

/* The points within a box of data: {tokens: [a, b], time: [a, b]}. */
function withinBox(points, {tokens, time})
{
	return points.filter((one) => one.tokens >= tokens[0] &&
		one.tokens <= tokens[1] && one.time >= time[0] &&
		one.time <= time[1]);
}

/* What a sample must pass to be shown: the filter, and the box that was
 * brushed, once the statistics are there. */
function spreadTest({stats, model, state: {box}}, test)
{
	if (!box || !stats)
		return test;
	const inside = new Set(withinBox(spreadOf({stats, model,
		order: model.rows.keys()}), box).map(({row}) => model.rows[row]));

	return (row, ...rest) => inside.has(row) && test(row, ...rest);
}

function writeBox(box)
{
	return box ? [...box.tokens, ...box.time].map((value) =>
		Number(value.toPrecision(9))).join(",") : "";
}

function readBox(text)
{
	const [a, b, c, d] = readNumbers(text, 4) || [];

	return a <= b && c <= d ? {tokens: [a, b], time: [c, d]} : undefined;
}

/* Bars of ascending values: {low, high, bars}. */
function barsOf(values, many)
{
	const [low, high] = [values[0], values.at(-1)];
	const bars = new Uint32Array(many);

	for (const value of values) {
		bars[high > low ? Math.min(Math.floor((value - low) /
			(high - low) * many), many - 1) : 0]++;
	}
	return {low, high, bars};
}

/* --- drawing --- */

/* rates: ascending. */
function paintRays(scene, context, rates, scale, width)
{
	const named = []; /* where, so that no two stand on each other */

	context.font = "10px system-ui, sans-serif";
	context.textAlign = "right";
	for (const q of RAY_QUANTILES) {
		const rate = quantile(rates, q);
		const tokens = Math.min(scale.tokens, scale.time * rate / 1e6);
		const [x, y] = [scale.x(tokens), scale.y(tokens / rate * 1e6)];

		context.strokeStyle = scene.ink.line;
		context.beginPath();
		context.moveTo(scale.x(0), scale.y(0));
		context.lineTo(x, y);
		context.stroke();
		context.fillStyle = scene.ink.faint;
		const place = [Math.min(x, width - 2), Math.max(y - 3, 9)];

		if (named.some(([a, b]) => Math.abs(a - place[0]) < RAY_WORDS &&
			Math.abs(b - place[1]) < RAY_LINE))
			continue;
		named.push(place);
		context.fillText(`${formatValue(Math.round(rate))} tok/s`,
			...place);
	}
	context.textAlign = "left";
}

function paintSpreadAxes(scene, context, scale, width, height)
{
	const {left, bottom} = SPREAD_MARGIN;

	context.fillStyle = scene.ink.line;
	context.fillRect(left, 0, 1, height - bottom);
	context.fillRect(left, height - bottom, width - left, 1);
	context.fillStyle = scene.ink.faint;
	context.font = "10px system-ui, sans-serif";
	context.textAlign = "right";
	for (const part of [0.5, 1]) {
		context.fillText(formatDuration(scale.time * part / 1.04),
			left - 3, scale.y(scale.time * part / 1.04) + 3);
		context.fillText(formatCount(Math.round(
			scale.tokens * part / 1.04)) + (part === 1 ? " tokens" : ""),
		scale.x(scale.tokens * part / 1.04), height - bottom + 13);
	}
	context.textAlign = "left";
}

/* Slices: {picture, scale} of all that the canvas shows but a box. */
function* pictureSteps(scene, canvas, {points, rates})
{
	const {width, height, ratio, wide, tall} = screenBox(canvas);
	const scale = spreadScale(points, width, height);
	const colours = workerColours(scene.model);
	const unknown = colours.size > 0 ? scene.ink.faint :
		WORKER_COLOURS[0][scene.theme];
	const picture = Object.assign(document.createElement("canvas"),
		{width: wide, height: tall});
	const context = picture.getContext("2d");

	context.scale(ratio, ratio);
	paintSpreadAxes(scene, context, scale, width, height);
	paintRays(scene, context, rates, scale, width);
	context.globalAlpha = points.length > 2000 ? 0.5 : 0.85;
	for (let k = 0; k < points.length; k++) {
		const {tokens, time, worker, row} = points[k];
		const chosen = row === scene.state.selected.row;
		const size = chosen ? 2 * SPREAD_DOT : SPREAD_DOT;

		if (k % SPREAD_ROWS === SPREAD_ROWS - 1)
			yield;
		context.fillStyle = chosen ? scene.ink.text :
			colours.get(plainWorker(worker))?.[scene.theme] ??
				unknown;
		context.fillRect(scale.x(tokens) - size, scale.y(time) - size,
			2 * size, 2 * size);
	}
	return {picture, scale};
}

/* The picture, and the box that is being dragged. */
function showPicture({ink}, canvas, picture, box)
{
	const {context, width, height} = fitCanvas(canvas);

	context.drawImage(picture, 0, 0, width, height);
	if (box) {
		context.strokeStyle = ink.accent;
		context.strokeRect(...box);
	}
}

/* The sample nearest to a place, within reach; undefined: none. */
function pointAt(points, scale, x, y, reach = 8)
{
	let [best, found] = [reach * reach, undefined];

	for (const one of points) {
		const far = (scale.x(one.tokens) - x) ** 2 +
			(scale.y(one.time) - y) ** 2;

		if (far < best)
			[best, found] = [far, one];
	}
	return found;
}

/* A click selects the sample there, a drag filters by the box. */
function listenToSpread(scene, page, canvas, spread)
{
	const {points} = spread;
	let press;
	let scale, picture; /* once it is drawn */
	let drawing = new AbortController();
	const place = (event) => {
		const {left, top} = canvas.getBoundingClientRect();

		return [event.clientX - left, event.clientY - top];
	};
	const boxTo = ([x, y]) => [Math.min(press[0], x),
		Math.min(press[1], y), Math.abs(x - press[0]),
		Math.abs(y - press[1])];
	const show = (box) => showPicture(scene, canvas, picture, box);
	const draw = async () => {
		drawing.abort();
		drawing = new AbortController();
		const drawn = await inSlices(pictureSteps(scene, canvas,
			spread), drawing.signal);

		if (drawn) {
			({picture, scale} = drawn);
			show();
		}
	};

	canvas.addEventListener("pointerdown", (event) => {
		press = place(event);
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("pointermove", (event) => {
		const at = place(event);
		const near = !press && scale && pointAt(points, scale, ...at);

		canvas.title = near ? `${rowTitle(scene, near.row)}: ${
			formatCount(near.tokens)} tokens in ${
			formatDuration(near.time)}, ${
			formatValue(Math.round(near.rate))} tok/s${
			near.worker && ` on ${visible(near.worker)}`}` : "";
		if (press && scale)
			show(boxTo(at));
	});
	canvas.addEventListener("pointerup", (event) => {
		if (!press || !scale)
			return;
		const [x, y, w, h] = boxTo(place(event));

		press = undefined;
		if (w < 4 && h < 4) {
			const near = pointAt(points, scale, x, y, 12);

			show();
			if (near) {
				page.reveal(near.row);
				draw();
			}
			return;
		}
		const wanted = {
			tokens: [scale.tokensAt(x), scale.tokensAt(x + w)],
			time: [scale.timeAt(y + h), scale.timeAt(y)]};

		if (withinBox(points, wanted).length > 0)
			page.setState({box: wanted, top: 0});
		else
			show();
	});
	new ResizeObserver(() => canvas.clientWidth && draw()).observe(canvas);
}

/* --- the tab --- */

/* sorted: the values, ascending. */
function spreadBars(title, {sorted, low, high, bars}, text)
{
	const most = Math.max(...bars, 1);

	return element("figure", {class: "spread-bars"},
		element("figcaption", {}, `${title}: p50 ${
			text(quantile(sorted, 0.5))} · p95 ${
			text(quantile(sorted, 0.95))} · max ${text(high)}`),
		element("div", {role: "img", "aria-label": `${title}, from ${
			text(low)} to ${text(high)}`},
		...[...bars].map((n, i) => {
			const bar = element("i", {title: `${formatCount(n)} from ${
				text(low + (high - low) * i / SPREAD_BARS)}`});

			bar.style.height = `${100 * n / most}%`;
			return bar;
		})));
}

/* How many generations a sample took. */
function turnsOf({model}, r)
{
	const {items, rows} = model;
	const {first, items: many} = rows[r];
	let n = 0;

	for (let i = first; i < first + many; i++) {
		if (items.request?.[i] && counts(items, i))
			n++;
	}
	return n;
}

/* Slices: {points, work, turns, tokens, rates} of the samples shown: points as
 * spreadOf has them, of the others their values and what barsOf makes of them:
 * {sorted, low, high, bars}. */
function* spreadSteps({stats, model, order})
{
	const rows = timedRows(model, order);
	const points = yield* pointSteps({stats, model, order});
	const values = {work: new Float64Array(rows.length),
		turns: new Float64Array(rows.length),
		tokens: Float64Array.from(points, ({tokens}) => Number(tokens)),
		rates: Float64Array.from(points, ({rate}) => rate)};

	for (let k = 0; k < rows.length; k++) {
		values.work[k] = model.waits.rows[rows[k]].duration;
		values.turns[k] = turnsOf(stats, rows[k]);
		if (k % SPREAD_ROWS === 0)
			yield;
	}
	for (const key of Object.keys(values)) {
		const sorted = yield* sortSteps(values[key]);

		yield;
		values[key] = {sorted, ...barsOf(sorted, SPREAD_BARS)};
		yield;
	}
	return {points, ...values};
}

/* Whose dots have which colour, where several workers have some. */
function spreadKey({model}, points)
{
	const colours = workerColours(model);
	const workers = [...colours.keys()].filter((worker) =>
		points.some((one) => plainWorker(one.worker) === worker));
	const short = shortNames(workers);

	return workers.length < 2 ? [] : [element("p", {class: "workers"},
		...workers.map((worker, n) => element("span", {},
			...workerMark({...colours.get(worker), dash: 0},
				visible(short[n])))))];
}

function spreadTab(scene, page, {points, work, turns, tokens, rates})
{
	const brushed = scene.state.box ? [element("p", {class: "notice"},
		`Only the ${rowNouns(scene.model)} that were brushed. `, chipButton("show all",
			() => page.setState({box: null})))] : [];

	if (points.length === 0) {
		return {columns: [], records: [], notes: [...brushed,
			element("p", {class: "notice"}, `No ${rowNoun(scene.model)} ` +
				"shown has tokens and a time in which they were made.")]};
	}
	const canvas = element("canvas", {class: "spread", role: "img",
		"aria-label": `${plural(points.length, rowNoun(scene.model))} by tokens and ` +
			"time of generation"});

	listenToSpread(scene, page, canvas, {points, rates: rates.sorted});
	return {columns: [], records: [], notes: [...brushed,
		element("p", {class: "notice"}, `${plural(points.length,
			rowNoun(scene.model))}: tokens against time of generation, one ` +
			`color per worker. Drag to keep the ${rowNouns(scene.model)} ` +
			"in a box, click to select one."),
		...spreadKey(scene, points), canvas,
		spreadBars("own work", work, formatDuration),
		spreadBars("tokens", tokens,
			(value) => formatCount(Math.round(value))),
		spreadBars("tokens/s", rates,
			(value) => formatCount(Math.round(value))),
		...turns.high > 1 ? [spreadBars("turns", turns,
			(value) => formatCount(Math.round(value)))] : [],
	]};
}
