/*
 * Two dumps as curves laid over each other, and their sums side by side. A is
 * solid, B is dashed.
 */

const CURVE_POINTS = 120;
const [CURVE_WIDTH, CURVE_HEIGHT] = [360, 150];
const CURVE_MARGIN = {left: 34, right: 8, top: 8, bottom: 20};
const SVG = "http://www.w3.org/2000/svg";

function svgElement(tag, attributes, ...children)
{
	const made = document.createElementNS(SVG, tag);

	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, value);
	made.append(...children);
	return made;
}

/* Ascending values as a curve of shares: [[value, share], ...], no more points
 * than can be seen. */
function shareCurve(sorted)
{
	const points = [];
	const most = Math.min(sorted.length, CURVE_POINTS);

	for (let k = 0; k < most; k++) {
		const i = most > 1 ? Math.round(k * (sorted.length - 1) /
			(most - 1)) : 0;

		points.push([sorted[i], (i + 1) / sorted.length]);
	}
	return points;
}

/* Finite values of the rows, ascending. */
function valuesOf(rows, value)
{
	return Float64Array.from(rows, value).filter(Number.isFinite).sort();
}

/* What the curves are of; time counts from the first start. */
const OVERLAID = [
	{title: "samples done over time", text: formatDuration, of: (side) =>
		valuesOf(side.rows, (r) =>
			side.stats.waits.rows[r].end - side.extent.start)},
	{title: "own work of samples", text: formatDuration, of: (side) =>
		valuesOf(side.rows, (r) => side.stats.waits.rows[r].duration)},
	{title: "tokens", text: (value) => formatCount(Math.round(value)),
		of: (side) => valuesOf(side.rows, (r) =>
			Number(tokensOf(side.model.rows[r]) ?? NaN))},
	{title: "tokens/s", text: threeDigits, of: (side) =>
		valuesOf(side.rows, (r) => rateOf(side.stats, r))},
];

/* Slices: [{title, text, curves: [sorted of A, of B]}, ...]. */
function* overlaidSteps(sides)
{
	const found = [];

	for (const {title, text, of} of OVERLAID) {
		const curves = [];

		for (const side of sides) {
			curves.push(of(side));
			yield;
		}
		if (curves.some(({length}) => length > 0))
			found.push({title, text, curves});
	}
	return found;
}

function curvePath(sorted, most)
{
	const {left, right, top, bottom} = CURVE_MARGIN;
	const w = CURVE_WIDTH - left - right;
	const h = CURVE_HEIGHT - top - bottom;
	const at = (value, share) => `${(left + Math.max(0, value) / most * w)
		.toFixed(1)},${(top + h - share * h).toFixed(1)}`;

	return "M" + [[sorted[0], 0], ...shareCurve(sorted)].map(
		([value, share]) => at(value, share)).join("L");
}

function curveAxes(most, text)
{
	const {left, right, top, bottom} = CURVE_MARGIN;
	const w = CURVE_WIDTH - left - right;
	const h = CURVE_HEIGHT - top - bottom;
	const label = (x, y, anchor, words) => svgElement("text",
		{x, y, "text-anchor": anchor}, words);

	return [
		svgElement("path", {class: "grid", d: [0, 0.5, 1].map((share) =>
			`M${left},${top + h * share}h${w}`).join("")}),
		...[0, 0.5, 1].map((share) => label(left - 4,
			top + h * (1 - share) + 4, "end", `${share * 100}%`)),
		...[0, 0.5, 1].map((part) => label(left + w * part,
			CURVE_HEIGHT - 5, ["start", "middle", "end"][part * 2],
			part === 0 ? "0" : text(most * part))),
	];
}

function sayMedians({curves, text})
{
	return curves.map((sorted, k) => `${"AB"[k]} ` + (sorted.length ?
		`p50 ${text(quantile(sorted, 0.5))}, ` +
		`p95 ${text(quantile(sorted, 0.95))}` : "–"));
}

function overlaidFigure(one)
{
	const most = Math.max(...one.curves.map((sorted) =>
		sorted[sorted.length - 1] ?? 0), 0) || 1;

	return element("figure", {}, element("figcaption", {},
		element("b", {}, one.title), element("br"),
		...sayMedians(one).flatMap((text, k) => [k ? " · " : "",
			element("span", {class: "unbroken"}, text)])),
	svgElement("svg", {
		viewBox: `0 0 ${CURVE_WIDTH} ${CURVE_HEIGHT}`, role: "img",
		"aria-label": `${one.title}, share of samples: ` +
			sayMedians(one).join(" · "),
	}, ...curveAxes(most, one.text), ...one.curves.flatMap((sorted, k) =>
		sorted.length ? [svgElement("path", {class: `curve ${"ab"[k]}`,
			d: curvePath(sorted, most)})] : [])));
}

/* --- sums --- */

const SUMS = [
	["samples", ({extent}) => extent.samples, formatCount],
	["wall", ({extent}) => extent.wall, formatDuration],
	["sample time", ({extent}) => extent.time, formatDuration],
	["own work", ({extent}) => extent.own, formatDuration],
	["peak concurrency", ({running}) => running.peak, formatCount],
	["tail (<10% working)", ({running}) => running.tail, formatDuration],
	["bubble", ({bubble}) => bubble ?? NaN, formatShare, (share) =>
		`${Number((100 * share).toFixed(1))} points`],
];

/* Slices: of a side {model, stats, rows}, also {extent, running, bubble, times}
 * within the range. */
function* sideSteps(side, range)
{
	const {stats, rows} = side;
	const whole = yield* extentSteps(stats, rows, range);
	const running = yield* concurrencySteps(stats, rows, range);
	const bubble = bubbleOf(stats, rows, range);
	const times = new Float64Array(ACTIVITY_NAMES.length);

	for (let k = 0; k < rows.length; k += SUM_ROWS) {
		activityTimes(stats, rows.subarray(k, k + SUM_ROWS), range)
			.forEach((time, activity) => times[activity] += time);
		yield;
	}
	return {...side, extent: whole, running, bubble, times};
}

function sumsTable(sides)
{
	const activities = [...sides[0].times.keys()].filter((activity) =>
		sides.some(({times}) => times[activity] > 0));
	const rows = [...SUMS, ...activities.map((activity) => [
		ACTIVITY_NAMES[activity], ({times}) => times[activity],
		formatDuration])];

	return element("table", {class: "sums"}, element("thead", {},
		element("tr", {}, ...["", "A", "B", "change"].map((title) =>
			element("th", {scope: "col"}, title)))),
	element("tbody", {}, ...rows.map(([title, value, text, change]) => {
		const [a, b] = sides.map(value);
		const words = signed(b - a, change || text);
		const share = text === formatDuration ?
			changeShare(a, b - a) : "";

		return element("tr", {}, element("th", {scope: "row"}, title),
			...[a, b].map((one) => element("td", {},
				Number.isNaN(one) ? "–" : text(one))),
			element("td", {}, words + share));
	})));
}
