// The page's charts of engines and GPUs, under node alone.
// Usage: node engines.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

const strip = {key: "running", title: "running requests", unit: "requests",
	lines: [
		{worker: "http://h:30000", at: [1000, 1000, 1000, 9000, 1000],
			value: [1, 7, 3, 5, 6]},
		{worker: "http://h:30001", at: [1500, 1000, 1000],
			value: [2, 2, 4]},
	]};

test("a value holds until the next, and not over a gap", () => {
	const {lines} = page.engineChart(strip);
	const at = (time) => page.lineAt(lines[0], time);

	assert.deepEqual([999, 1000, 1999, 2000, 3500, 6000, 12500].map(at),
		[NaN, 1, 1, 7, 3, NaN, 5]);
	assert.equal(at(13500), 6);
	assert.ok(Number.isNaN(at(20000)));
});

test("workers are called by what tells them apart", () => {
	assert.deepEqual(plain(page.shortNames(
		["http://h:30000", "http://h:30001"])), [":30000", ":30001"]);
	assert.deepEqual(plain(page.shortNames(
		["http://node-1:80", "http://node-2:80"])), ["node-1:80", "node-2:80"]);
	assert.deepEqual(plain(page.shortNames(["http://h:1"])), ["h:1"]);
	assert.deepEqual(plain(page.shortNames(["a", "ab"])), ["a", "ab"]);
});

test("a moment is said by worker, of many by their extremes", () => {
	const chart = page.engineChart(strip);

	assert.equal(page.sayChart(chart, 2600), "7 :30000 · 2 :30001");
	assert.equal(page.sayChart(chart, 0), "unknown");
	assert.equal(page.sayChart(chart), "peak 7 on :30000");
	const many = page.engineChart({...strip, unit: "fraction",
		lines: [...Array(9).keys()].map((i) => ({worker: `h:${i}`,
			at: [0, 10], value: [i / 10, 0]}))});

	assert.equal(page.sayChart(many, 5), "40% · 0% :0 to 80% :8");
});

test("a peak says which of the workers it is of", () => {
	const peak = (...tops) => page.sayChart(page.engineChart({...strip,
		lines: tops.map((top, n) => ({worker: `h:${n}`, at: [0, 10],
			value: [top, 0]}))}));

	assert.equal(peak(3), "peak 3 on h:0");
	assert.equal(peak(3, 9, 4), "peak 9 on :1");
	assert.equal(peak(9, 9), "peak 9 on each");
	assert.equal(peak(9, 2, 9), "peak 9 on 2 of 3");
	assert.equal(page.sayChart(page.engineChart({...strip, lines: [
		{worker: "", at: [0, 10], value: [5, 0]}]})), "peak 5");
});

test("lines of the same times share them, and no others do", () => {
	const line = (worker, ...at) => ({worker, at, value: at.map((_, k) => k)});
	const lines = [line("a", 0, 10, 10, 10), line("b", 0, 10, 10, 10),
		line("c", 0, 10, 9, 11), line("d", 0, 10, 10, 10)];
	const model = modelOfRows([{spans: [["sglang_generate", 0, 0, 9]]}]);

	model.beside = ["one", "two"].map((key) => ({...strip, key, lines}));
	const charts = page.finish(page.engineCharts({model}));
	const [first, ...others] = charts.flatMap((chart) => chart.lines);

	assert.deepEqual(plain(charts.map(({lines: made}) =>
		made.map(({at}) => [...at]))), Array(2).fill(
		[[0, 10, 20, 30, 40], [0, 10, 20, 30, 40], [0, 10, 19, 30, 40],
			[0, 10, 20, 30, 40]]));
	assert.equal(others[0].at, first.at);
	assert.equal(page.finish(page.engineCharts({model}))[1], charts[1],
		"made once");
});

test("more workers than colors differ by their dashes", () => {
	const names = [...Array(32).keys()].map((n) => `h:${n + 10}`);
	const looks = [...page.colourWorkers(names).values()];

	assert.equal(new Set(looks.map(({light, dash}) => `${light} ${dash}`))
		.size, 32);
	const drawn = [];

	page.dashed((x, width) => drawn.push([x, width]), [8, 4])(2, 20, 5, 6);
	assert.deepEqual(drawn, [[2, 6], [12, 8]]);
	page.dashed((x, width) => drawn.push([x, width]), [8, 4])(9, 1, 0, 20);
	assert.deepEqual(drawn[2], [9, 1], "a step is never left out");
});

test("a worker has one color, whatever the order and the scheme", () => {
	const colours = page.colourWorkers(["h:2", "http://h:1", "h:1"]);
	const chart = page.engineChart({...strip, lines:
		[...strip.lines].reverse()}, page.colourWorkers(
		["h:30000", "h:30001"]));

	assert.deepEqual([...colours.keys()], ["h:1", "h:2"]);
	assert.deepEqual(plain(chart.lines.map(({short, colour}) =>
		[short, colour.light])), [[":30001", "#d55e00"],
		[":30000", "#0072b2"]]);
});

// The strokes of a line over so many pixels, as [x, width, from, to] in values.
function strokes(line, scale, pixels)
{
	const found = [];

	page.lineStrokes(line, scale, pixels, (value) => -value,
		(x, width, high, low) => found.push([x, width,
			...[low - 0.6, high + 0.6].map((y) => Math.round(-y))]));
	return found;
}

test("a pixel keeps the least and the greatest value in it", () => {
	const n = 1000;
	const line = {at: [...Array(n).keys()], value: Array(n).fill(1)};

	line.value[503] = 9;
	line.value[507] = -3;
	assert.deepEqual(strokes(line, page.makeScale({start: 0, end: n}, 10), 10)
		.map(([x, , from, to]) => [x, from, to]),
	[...Array(10).keys()].map((x) => x === 5 ? [x, -3, 9] : [x, 1, 1]));
});

test("where no value begins the last one holds, and NaN is a gap", () => {
	const scale = page.makeScale({start: 1, end: 5}, 4);

	assert.deepEqual(strokes({at: [0, 8], value: [2, 5]}, scale, 4),
		[[0, 1, 2, 2], [1, 3, 2, 2]]);
	assert.deepEqual(strokes({at: [2, 3], value: [4, NaN]}, scale, 4),
		[[1, 1, 4, 4], [2, 1, 4, 4]]);
	assert.deepEqual(strokes({at: [0, 3], value: [4, 7]}, scale, 4),
		[[0, 1, 4, 4], [1, 1, 4, 4], [2, 1, 4, 7], [3, 1, 7, 7]]);
	assert.deepEqual(strokes({at: [9], value: [7]}, scale, 4), []);
	assert.deepEqual(strokes({at: [], value: []}, scale, 4), []);
});

test("many lines as an image are where single ones are", () => {
	const [width, height] = [10, 20];
	let image;
	const context = {canvas: {width, height},
		createImageData: () => ({width, height,
			data: new Uint8ClampedArray(width * height * 4)}),
		putImageData: (made) => {
			image = made.data;
		}};
	const lines = [...Array(9).keys()].map((n) => ({worker: `h:${n}`,
		at: [0, 5, 10], value: [n, n === 8 ? 0 : n, n]}));
	const chart = page.engineChart({...strip, lines});

	page.paintOverlaid({plot: page.makeScale({start: 0, end: 10}, width),
		theme: "light"}, chart, context, width, height);
	const column = (x) => [...Array(height).keys()].filter((y) =>
		image[(y * width + x) * 4 + 3] === 255);
	const yOf = (value) => height - 1.5 - (height - 4) * value / 8;

	// Each line takes the pixel at its height, the last one falls to 0.
	for (let n = 0; n < 8; n++) {
		assert.ok(column(2).includes(Math.floor(yOf(n))), `line ${n}`);
		assert.ok(column(7).includes(Math.floor(yOf(n))), `line ${n}`);
	}
	assert.ok(column(2).includes(Math.floor(yOf(8))));
	assert.ok(!column(7).includes(Math.floor(yOf(8))));
	assert.equal(column(5).length, Math.max(...column(5)) -
		Math.min(...column(5)) + 1, "one stroke from 8 to 0");
	assert.deepEqual([...image.slice(((Math.floor(yOf(1))) * width + 2) * 4)]
		.slice(0, 3), [1, 3, 5].map((at) => parseInt(
		chart.lines[1].colour.light.slice(at, at + 2), 16)));
});

test("a picture that follows a taller one ends with its canvas", () => {
	const puts = [];
	const scene = {plot: page.makeScale({start: 0, end: 4}, 4),
		theme: "light"};
	const paint = (height, high, low) => page.paintBoxes(scene, {
		canvas: {width: 4, height},
		createImageData: (width, tall) => ({width, height: tall,
			data: new Uint8ClampedArray(width * tall * 4)}),
		putImageData: ({data}) => puts.push([...data].filter((_, n) =>
			n % 4 === 3 && n < 16 * height).map((one) => one / 255)),
	}, 4, (pen) => {
		pen.use({light: "#ff0000"});
		pen.box(1, 2, high, low);
	});

	paint(5, 0, 5);
	paint(2, 1, 9);
	paint(2, 7, 7); // below: the last row shows it
	paint(6, 4, 6);
	const [none, box] = [[0, 0, 0, 0], [0, 1, 1, 0]];

	assert.deepEqual(puts, [[box, box, box, box, box], [none, box],
		[none, box], [none, none, none, none, box, box]].map((rows) =>
		rows.flat()));
});

test("a GPU is said with its step", () => {
	const profile = {profile: "d/1-TP-0.json.gz", rank: 0,
		steps: [[100, 50, "step[DECODE bs=8]", 1], [60, 20, "b", 3]]};
	const lane = {device: "3", from: 100, to: 200, busy: [1000, 500, 0, 1000],
		collective: [0, 200, 0, 0]};
	const chart = page.gpuChart(profile, lane, "gpu-0-0", false);

	assert.equal(chart.title, "rank 0 · GPU 3");
	assert.equal(page.sayChart(chart, 130),
		"50% busy, 20% coll. · step[DECODE bs=8]");
	assert.equal(page.sayChart(chart, 155), "0% busy");
	assert.equal(page.sayChart(chart, 175), "100% busy · b × 3");
	assert.equal(page.sayChart(chart, 300), "not profiled");
	assert.equal(page.sayChart(chart), "mean 63% busy, 5% coll.");
});

test("a gauge that stays after its engine's last request is stale", () => {
	const made = (end, gauges, about = {}) => {
		const model = modelOfRows([
			{worker: "h:30000", spans: [["sglang_generate", 0, 0, 2000]]},
			{worker: "h:30000", spans: [["sglang_generate", 0, 0, end]]},
			{worker: "h:30001", spans: [["sglang_generate", 0, 0, 9000]]},
		]);

		model.items.request.fill(1);
		model.about = {...model.about, ...about};
		model.beside = [{...strip, lines: gauges.map((value, n) => ({
			worker: `http://h:3000${n}`, value,
			at: value.map(() => 1000)}))}];
		return page.finish(page.engineCharts({model}))[0];
	};
	const stuck = [8, 8, 2, 2, 2, 2, 0, 0];
	const busy = [8, 8, 8, 8, 8, 8, 8, 8];
	const times = (chart) => plain(chart.lines.map(({stale}) => stale ?? null));
	const chart = made(3500, [stuck, busy]);

	// Its value is of 3000 on, its request ended at 3500, it fell at 7000.
	assert.deepEqual(times(chart), [{from: 3500, to: 7000}, null]);
	assert.equal(page.sayChart(chart, 3400), "8 :30001 · 2 :30000");
	assert.equal(page.sayChart(chart, 3600), "8 :30001 · 2 :30000 (stale)");
	assert.equal(page.sayChart(chart, 7100), "8 :30001 · 0 :30000");
	assert.match(chart.help, /stale: unchanged since the engine's last request/);
	// The first value after the end may be of before it.
	assert.deepEqual(times(made(2500, [stuck, busy])),
		[{from: 3000, to: 7000}, null]);
	// An engine that goes on changing its gauge works for others.
	assert.deepEqual(times(made(2500, [[8, 8, 2, 3, 4, 3, 4, 3], busy])),
		[null, null]);
	assert.deepEqual(times(made(2500, [[8, 8, 0, 0, 0, 0, 0, 0], busy])),
		[null, null]);
	// In a part of a dump another request may have run.
	assert.deepEqual(times(made(3500, [stuck, busy], {of: 4, rows: 3})),
		[null, null]);
	assert.doesNotMatch(made(9000, [stuck, busy]).help, /stale/);
});

test("a stale line is dotted over stripes, and the rest is not", () => {
	const drawn = page.finish(page.engineSteps({...strip, lines: [{worker: "h",
		at: [0, 10, 10, 10, 10, 10], value: [4, 2, 2, 2, 2, 0]}]},
	undefined, new Map([["h", 15]])));
	const boxes = [];
	const pen = {fillStyle: "", fillRect: (x, high, width, tall) =>
		boxes.push([pen.fillStyle, x, width, tall])};

	page.paintOverlaid({plot: page.makeScale({start: 0, end: 60}, 60),
		theme: "light", ink: {line: "#123456"}}, drawn, pen, 60, 24);
	const stripes = boxes.filter(([colour]) => colour === "#123456");
	const line = boxes.filter(([colour]) => colour !== "#123456");

	// From 15 to 50, half as tall as the chart's 20 px.
	assert.deepEqual(stripes.map(([, x]) => x), [15, 20, 25, 30, 35, 40, 45]);
	assert.ok(stripes.every(([, , width, tall]) => width === 1 && tall === 10));
	const inked = (from, to) => line.filter(([, x, width]) => x < to &&
		x + width > from).reduce((sum, [, x, width]) => sum +
		Math.min(x + width, to) - Math.max(x, from), 0);

	assert.deepEqual([inked(0, 14), inked(16, 49), inked(51, 60)], [14, 13, 9]);
});
