/*
 * Charts of what the engines did (--metrics): a strip a kind of value, a line
 * a worker, on the x of all that has a time.
 *
 * A line is {name, short, at, value}: from at[k] on it has value[k] until
 * at[k + 1]; NaN where nothing is known. lib/sink/timeline/beside.c writes
 * what is read here.
 */

/* Colours of the workers, told apart by people of any colour vision (after
 * Okabe and Ito), over and over. */
const WORKER_COLOURS = [
	{light: "#0072b2", dark: "#56b4e9"}, {light: "#d55e00", dark: "#ff8c42"},
	{light: "#009e73", dark: "#2cc295"}, {light: "#b3589a", dark: "#e08fc8"},
	{light: "#8a6d00", dark: "#e6c229"}, {light: "#3f7fae", dark: "#a6d3f2"},
	{light: "#555d68", dark: "#b7bec8"}, {light: "#7a4fb5", dark: "#b79ae6"},
];
/* How workers after those are drawn: px on and off. */
const DASHES = [[1, 0], [8, 4], [3, 3], [2, 6]];
const TALL_STROKE = 3; /* px, which dashes never leave out */
const GAP = 5; /* a gap of so many usual ones is one */
const FEW_LINES = 3; /* are said one by one */
const STALE_STEP = 5; /* px from stripe to stripe */
const STALE_DOTS = [2, 3]; /* px on and off */
const STALE_HELP = "unchanged since the engine's last request of this " +
	"rollout ended";

/* What follows the last colon or slash of the part that all names share: the
 * port of workers on one host. */
function shortNames(names)
{
	let n = 0;

	if (names.length < 2)
		return names.map(plainWorker);
	while (n < names[0].length && names.every((name) => name[n] ===
		names[0][n]))
		n++;
	const cut = Math.max(names[0].lastIndexOf("/", n - 1) + 1,
		names[0].lastIndexOf(":", n - 1), 0);

	return names.map((name) => name.slice(cut) || name);
}

/* A value that holds longer than it can is followed by NaN. */
function brokenAtGaps({worker, at, value})
{
	const gaps = at.slice(1).filter((gap) => gap > 0).sort((a, b) => a - b);
	const usual = gaps.length ? gaps[gaps.length >> 1] : 0;
	const line = {at: [], value: []};
	let time = 0;

	at.forEach((gap, k) => {
		if (k > 0 && usual > 0 && gap > GAP * usual) {
			line.at.push(time + 2 * usual);
			line.value.push(NaN);
		}
		time += gap;
		line.at.push(time);
		line.value.push(value[k] ?? NaN);
	});
	line.at.push(time + usual);
	line.value.push(NaN);
	return {name: worker, at: Float64Array.from(line.at),
		value: Float64Array.from(line.value)};
}

/* An array with the same times, kept for all lines that have them: one scrape
 * gives many values. kept: by what little tells most of them apart. */
function sharedTimes(at, kept)
{
	const key = `${at.length} ${at[0]} ${at.at(-1)}`;
	const same = kept.get(key);

	if (same?.every((time, k) => time === at[k]))
		return same;
	kept.set(key, at);
	return at;
}

/*
 * Slices: when the last request of each worker ended, by plain name. Nothing is
 * known of any where the page has a part of the dump only, or a request whose
 * worker nobody knows: one of those may have ended later.
 */
function* lastEndSteps(model)
{
	const {about, items, rows} = model;
	const ends = new Map();

	for (let r = 0; r < rows.length && leftOut(about) === ""; r++) {
		const {first, items: many} = rows[r];

		for (let i = first; i < first + many; i++) {
			if (!items.request[i])
				continue;
			const worker = workerOfItem(model, r, i);

			if (worker === null)
				return new Map();
			const name = plainWorker(worker);

			ends.set(name, Math.max(ends.get(name) ?? -Infinity,
				items.state[i] !== CLOSED || items.timeless[i] ?
					Infinity : items.end[i]));
		}
		if (r % CHART_ROWS === 0)
			yield;
	}
	return ends;
}

/*
 * From when to when a line is stale, {from, to}: its worker's last request has
 * ended and the same value came again and again, for engines set their gauges
 * while they work only. The first value after the end may still be of that
 * request. undefined: never, as of a line that has fallen to 0.
 */
function staleTime({at, value}, ended)
{
	const last = lastAtMost(at, ended);
	const next = last + 1;
	const held = value[next];
	const whole = value[last] === held;
	let to = next;

	while (to < at.length && value[to] === held)
		to++;
	if (!(at[0] <= ended) || !(held > 0) || to - next < (whole ? 1 : 2))
		return undefined;
	return {from: whole ? ended : at[next], to: at[to] ?? Infinity};
}

function isStale({stale}, time)
{
	return Boolean(stale) && time >= stale.from && time < stale.to;
}

/* The line as it is while it is stale, or while it is not. */
function staleLine({at, value, stale: {from, to}}, wanted)
{
	const times = [...at, from, to].sort((a, b) => a - b);
	const held = value[lastAtMost(at, from)];

	return {at: times, value: times.map((time) =>
		time >= from && time < to ? (wanted ? held : NaN) :
			wanted ? NaN : value[lastAtMost(at, time)])};
}

/* Each worker's colour, the same in all that names workers: by name, with or
 * without http://. Names: of workers, in any order and number. */
function colourWorkers(names)
{
	const plain = [...new Set(names.map(plainWorker))].sort();

	const many = WORKER_COLOURS.length;

	return new Map(plain.map((name, i) => [name, {
		...WORKER_COLOURS[i % many],
		dash: Math.floor(i / many) % DASHES.length}]));
}

function plainWorker(name)
{
	return name.replace(/^https?:\/\//, "");
}

/* Of a model, those that its samples or its metrics name; made once. */
function workerColours(model)
{
	model.workerColours ??= colourWorkers([
		...new Set(model.rows.map(({worker}) => worker ?? "")),
		...(model.beside || []).flatMap(({lines = []}) =>
			lines.map(({worker}) => worker)),
	].filter((name) => name !== ""));
	return model.workerColours;
}

/* The chart of a strip as it is in the page. */
function engineChart(strip, colours)
{
	return finish(engineSteps(strip, colours));
}

function* engineSteps({key, title, unit, lines},
	colours = colourWorkers(lines.map(({worker}) => worker)),
	ended = new Map(), times = new Map())
{
	const short = shortNames(lines.map(({worker}) => worker));
	const text = engineText(unit);
	const found = [];

	for (const [i, line] of lines.entries()) {
		const drawn = brokenAtGaps(line);

		drawn.at = sharedTimes(drawn.at, times);
		const stale = staleTime(drawn, ended.get(plainWorker(line.worker)));

		found.push({...drawn, stale, parts: stale && [true, false].map(
			(wanted) => staleLine({...drawn, stale}, wanted)),
			short: visible(short[i]),
			top: drawn.value.reduce((a, b) => b > a ? b : a, 0),
			colour: colours.get(plainWorker(line.worker))});
		yield;
	}
	const peak = found.reduce((most, {top}) => Math.max(most, top), 0);

	return {key: `engine-${key}`, title: visible(title), text,
		peak: peak || 1, lines: found, overlaid: true, top: peak,
		help: `${visible(title)}${unit ? ` (${visible(unit)})` : ""}, ` +
			"as the engines report; one line per worker" +
			(found.some(({stale}) => stale) ?
				`; stale: ${STALE_HELP}` : "")};
}

function engineText(unit)
{
	if (unit === "fraction")
		return (value) => `${Math.round(value * 1000) / 10}%`;
	if (unit === "seconds")
		return (value) => formatDuration(value * 1e6);
	return (value) => Math.abs(value) >= 100 ?
		formatCount(Math.round(value)) : formatValue(
		Math.round(value * 100) / 100);
}

/* The value of a line at a time; NaN: unknown. */
function lineAt({at, value}, time)
{
	return at.length === 0 || time < at[0] ? NaN :
		value[lastAtMost(at, time)];
}

/* Whether the lines are said one by one. */
function hasFewLines({overlaid, lines})
{
	return Boolean(overlaid) && lines.length > 1 && lines.length <= FEW_LINES;
}

/* " on :30001": which of the lines have the peak; "" where no worker is
 * known. */
function peakOwners({lines, top})
{
	const owners = lines.filter((line) => line.top === top);
	const [{short}] = owners;

	if (owners.length === 1)
		return short === "" ? "" : ` on ${short}`;
	return owners.length === lines.length ? " on each" :
		` on ${formatCount(owners.length)} of ${
			formatCount(lines.length)}`;
}

/* What an overlaid chart says of a moment: each line where they are few, else
 * the median and the extremes, by name. */
function sayLines(chart, time)
{
	const {lines, text} = chart;
	const known = lines.map((line) => [lineAt(line, time),
		[line.short, ...isStale(line, time) ? ["(stale)"] : []].join(" ")])
		.filter(([value]) => !Number.isNaN(value))
		.sort((a, b) => a[0] - b[0]);

	if (known.length === 0)
		return "unknown";
	if (lines.length === 1 || hasFewLines(chart)) {
		return known.reverse().map(([value, name]) =>
			`${text(value)} ${name}`.trim()).join(" · ");
	}
	const [least, most] = [known[0], known[known.length - 1]];

	return `${text(known[known.length >> 1][0])} · ${text(least[0])} ` +
		`${least[1]} to ${text(most[0])} ${most[1]}`;
}

/* The strokes of a line from left to right: stroke(x, width, high, low), in
 * pixels. A pixel in which values begin has a stroke from the least to the
 * greatest, also of the value that held before; where one holds, all of its
 * pixels have one stroke. */
function lineStrokes({at, value}, plot, pixels, yOf, stroke)
{
	const end = timeAtX(plot, pixels);
	let [x, least, most, held] = [-1, NaN, NaN, NaN];

	for (let k = lastAtMost(at, plot.start); k <= at.length; k++) {
		const isPast = k === at.length || at[k] >= end;
		const v = isPast ? NaN : value[k];
		const pixel = isPast ? pixels :
			Math.min(Math.max(Math.floor(xAt(plot, at[k])), 0),
				pixels);

		if (pixel > x) {
			if (least <= most)
				stroke(x, 1, yOf(most) - 0.6, yOf(least) + 0.6);
			if (pixel > x + 1 && !Number.isNaN(held)) {
				stroke(x + 1, pixel - x - 1, yOf(held) - 0.6,
					yOf(held) + 0.6);
			}
			x = pixel;
			least = most = held;
		}
		if (isPast)
			return;
		if (!(v >= least) && !Number.isNaN(v))
			least = v;
		if (!(v <= most) && !Number.isNaN(v))
			most = v;
		held = v;
	}
}

/* Strokes with gaps: stroke as lineStrokes has it. */
function dashed(stroke, [on, off])
{
	return off === 0 ? stroke : (x, width, high, low) => {
		for (let at = x; at < x + width;) {
			const into = at % (on + off);
			const end = Math.min(x + width, at - into +
				(into < on ? on : on + off));

			if (into < on || low - high > TALL_STROKE)
				stroke(at, end - at, high, low);
			at = end;
		}
	};
}

/* Stripes below a stale line. */
function staleStripes({stale, parts: [{value}]}, plot, pixels, yOf, stroke)
{
	const high = yOf(value.find((one) => !Number.isNaN(one)));
	const [from, to] = [stale.from, stale.to].map((time) =>
		Math.min(Math.max(Math.round(xAt(plot, time)), 0), pixels));

	for (let x = Math.ceil(from / STALE_STEP) * STALE_STEP; x < to;
		x += STALE_STEP)
		stroke(x, 1, high, yOf(0));
}

/* A line, dotted where it is stale. */
function paintWorker(line, plot, pixels, yOf, stroke)
{
	const [stale, fresh] = line.parts || [undefined, line];

	lineStrokes(fresh, plot, pixels, yOf, stroke);
	if (stale)
		lineStrokes(stale, plot, pixels, yOf, dashed(stroke, STALE_DOTS));
}

/* The lines; while one stands out, the others are faint behind it. */
function paintOverlaid(scene, chart, context, width, height)
{
	const yOf = (value) => height - 1.5 - (height - 4) * value / chart.peak;
	const {theme, ink, standsOut} = scene;
	const isOut = ({name}) => plainWorker(name) === standsOut;
	const out = chart.lines.find(isOut);

	paintBoxes(scene, context, width, (pen, plot, pixels) => {
		for (const line of chart.lines.filter(({stale}) => stale)) {
			pen.use({[theme]: ink.line});
			staleStripes(line, plot, pixels, yOf, pen.box);
		}
		for (const line of out ? [...chart.lines.filter((one) =>
			!isOut(one)), out] : chart.lines) {
			pen.use(out && line !== out ? {[theme]: ink.line} :
				line.colour);
			paintWorker(line, plot, pixels, yOf, dashed(pen.box,
				DASHES[line.colour.dash]));
		}
	});
}

/* Slices: the charts of what is beside the rows, made once; what they are made
 * from is let go, for it takes as much again. */
function* engineCharts({model})
{
	const {beside} = model;
	const times = new Map();
	const ended = beside?.some(({lines}) => lines) ?
		yield* lastEndSteps(model) : undefined;

	for (const strip of beside || []) {
		yield;
		if (strip.lines) {
			strip.chart = yield* engineSteps(strip,
				workerColours(model), ended, times);
			strip.lines = undefined;
		}
	}
	return (beside || []).flatMap(({chart}) => chart ? [chart] : []);
}
