// The viewer's functions that need no browser, under node alone.
// Usage: node functions.mjs
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import {modelOf, page, plain} from "./model.mjs";

function segments(model)
{
	const {item, start, end} = page.flatten(model, model.rows[0],
		() => true);

	return [...item].map((i, k) => [model.strings[model.items.name[i]],
		start[k], end[k]]);
}

test("durations keep three digits in one style", () => {
	const cases = [[950, "950 µs"], [12400, "12.4 ms"],
		[3.21e6, "3.21 s"], [59.94e6, "59.9 s"], [59.96e6, "1 m 00 s"],
		[103e6, "1 m 43 s"], [125e6, "2 m 05 s"], [3720e6, "1 h 02 m"],
		[0, "0 µs"], [999600, "1.00 s"], [-5, "−5 µs"], [NaN, "–"]];

	for (const [us, text] of cases)
		assert.equal(page.formatDuration(us), text);
});

test("stripes of waits can be seen in the dark", () => {
	const light = (colour) => page.luminance(colour) + 0.05;
	const [client, group] = vm.runInContext(
		"[CLIENT_QUEUE_COLOUR, GROUP_WAIT_COLOUR]", page);

	for (const {dark, darkStripe} of [client, group])
		assert.ok(light(darkStripe) / light(dark) > 4, darkStripe);
});

test("the clock keeps its microseconds", () => {
	assert.equal(page.formatClock(1766101000017848),
		"2025-12-18 23:36:40.017848 UTC");
});

test("ticks are round, begin at 0 and stay apart", () => {
	const times = (start, end) => plain(page.ticks(start, end, 1000))
		.map(({at, text}) => [at, text]);

	assert.deepEqual(times(-1e6, 45e6).slice(0, 3),
		[[0, "0"], [5e6, "5 s"], [10e6, "10 s"]]);
	assert.deepEqual(times(0, 10).slice(0, 3),
		[[0, "0"], [1, "1 µs"], [2, "2 µs"]]);
	assert.deepEqual(times(30e6, 30.0001e6)[1], [30000010, "30.00001 s"]);
	assert.equal(times(0, 3000e6)[1][1], "5 m 00 s");
});

test("hostile characters are shown, not obeyed", () => {
	assert.equal(page.visible("a\0b\u202ec\ud800d\u2028😀"),
		"a\\u0000b\\u202ec\\ud800d\\u2028😀");
});

test("varints and zigzags read back", () => {
	const numbers = vm.runInContext(
		"new Varints(Uint8Array.of(1, 128, 1, 255, 255, 3, 7))", page);
	const rest = new Float64Array(2);

	assert.deepEqual([numbers.next(), numbers.next()], [1, 128]);
	numbers.fill(rest, 0, 2);
	assert.deepEqual([...rest], [65535, 7]);
	assert.deepEqual([0, 1, 2, 3].map(page.unzigzag), [0, -1, 1, -2]);
});

test("large integers keep their digits", () => {
	const {big, small, not} = page.parseExactly(
		'{"big":[{"$int":"-12345678901234567890"}],"small":1.5,' +
		'"not":{"$int":"1","x":2}}');

	assert.equal(String(big[0]), "-12345678901234567890");
	assert.equal(page.formatValue(big[0]), "-12345678901234567890");
	assert.equal(small, 1.5);
	assert.deepEqual(plain(not), {"$int": "1", x: 2});
});

test("a page says what it leaves out of a dump", () => {
	const said = (about) => page.leftOut({rows: 100, of: 4096, ...about});

	assert.equal(page.leftOut({rows: 4096, of: 4096}), "");
	assert.equal(said({top: 100}), "of 4,096, the 100 that end last");
	assert.equal(said({filter: "dur>1s"}), "of 4,096, those with dur>1s");
	assert.equal(said({cut: "latest"}),
		"of 4,096, cut to the 100 that end last");
	assert.equal(said({cut: "first"}), "of 4,096, cut to the first 100");
	assert.equal(said({part: 2, more: true}), "part 2, more follow");
});

test("a collapsed row shows the deepest span of each moment", () => {
	const model = modelOf(["outer", 0, 0, 100], ["generate", 1, 10, 50],
		["tool", 2, 20, 30], ["generate [P]", 3, 10, 50, 0, 1]);

	assert.deepEqual(segments(model), [["outer", 0, 10],
		["generate", 10, 20], ["tool", 20, 30], ["generate", 30, 50],
		["outer", 50, 100]]);
});

test("spans that overlap on one lane: the last to start is on top", () => {
	const model = modelOf(["a", 0, 0, 60], ["b", 0, 20, 40]);

	assert.deepEqual(segments(model),
		[["a", 0, 20], ["b", 20, 40], ["a", 40, 60]]);
});

test("zoom keeps the moment under the pointer, to a floor of 10 µs", () => {
	const whole = {start: 0, end: 1000};
	const near = plain(page.zoomed(whole, 0.5, 200, whole));

	assert.deepEqual(near, {start: 100, end: 600});
	const nearest = page.zoomed(near, 1e-9, 200, whole);

	assert.ok(Math.abs(nearest.end - nearest.start - 10) < 1e-9);
	assert.deepEqual(plain(page.zoomed(near, 100, 200, whole)), whole);
});

test("a dump of one instant has a window", () => {
	const {start, end} = page.wholeWindow({start: 5, end: 5});

	assert.ok(end - start >= 10);
});

test("a hit finds spans and marks at their lanes", () => {
	const model = modelOf(["outer", 0, 0, 100], ["inner", 1, 40, 60],
		["point", 1, 80, 80, 2]);
	const lines = page.makeLines(model, {group: false}, [0]);
	const scene = {model, lines, window: {start: 0, end: 100},
		tops: page.lineTops(model, lines, [1], 16), rowHeight: 16};

	page.model = model;
	scene.shapes = vm.runInContext("new Shapes(model, () => true)", page);
	const at = (x, y) => page.hit(scene, 1000, x, y).item;

	assert.equal(at(500, 8), 1, "collapsed lane: the deepest");
	assert.equal(at(200, 8), 0);
	assert.equal(at(500, 16 + 8), 0, "lane 0");
	assert.equal(at(500, 31 + 8), 1, "lane 1");
	assert.equal(at(200, 31 + 8), -1, "lane 1 is empty there");
	assert.equal(at(803, 31 + 8), 2, "a mark within reach");
	assert.equal(at(500, 500), -1, "below the last row");
});

test("a range begins as exactly as its length needs", () => {
	for (const [start, end, text] of [
		[1508755, 1830755, "322 ms from 1.509 s"],
		[1508755, 21508755, "20.0 s from 1.5 s"],
		[0, 2e6, "2.00 s from 0 s"], [0.4, 90.4, "90 µs from 0 s"],
		[5123456789, 5123456889, "100 µs from 5123.456789 s"],
		[12345678, 612345678, "10 m 00 s from 12 s"],
		[-1508755, 1e6, "2.51 s from -1.51 s"]])
		assert.equal(page.formatRange({start, end}), text);
});

test("a sliver is hit where it is drawn, before what it lies in", () => {
	const model = modelOf(["outer", 0, 0, 1e6], ["blink", 1, 5e5, 5e5 + 1]);
	const flat = page.flatten(model, model.rows[0], () => true);
	const at = (time) => page.itemAt(flat, time, 1000);

	assert.equal(at(5e5 + 900), 1);
	assert.equal(at(5e5 - 900), 1);
	assert.equal(at(5e5 + 1100), 0);
	assert.equal(at(4e5), 0);
});

test("names get colours by what they say, others in order", () => {
	const names = ["sglang_pd_prefill_bootstrap_queue",
		"sglang_pd_prefill_forward", "sglang_pd_decode_transfer",
		"sglang_generate", "tool_call", "reward_model", "generate_and_rm"];

	assert.deepEqual(names.map((name) => page.activityOf(name)?.name),
		["queue", "prefill", "KV transfer", "decode", "tool", "reward",
			undefined]);
});

test("a circle of parents ends", () => {
	const model = modelOf(["a", 0, 0, 1], ["b", 1, 0, 1]);

	model.items.parent.set([1, 0]);
	assert.deepEqual(plain(page.ancestors(model.items, 0)), [1]);
});


// Letters of 1 px.
const letters = {scene: {widths: new Map()}, context: {
	measureText: (text) => ({width: text.length})}};

test("the facts of a head are whole", () => {
	const text = "64 requests · peak 16 · queued 6.01 s";

	assert.deepEqual([99, 36, 20, 3].map((width) => page.fittingFacts(
		letters, text, width)), [text, "64 requests · peak 16",
		"64 requests", "64 requests"]);
});

test("where a bar is queued it says so, not its later tokens", () => {
	const model = modelOf(["ask", 0, 0, 9e6]);
	const pen = {...letters, above: new Set([model.items.name[0]]),
		named: new Set()};

	pen.scene = {...letters.scene, model};
	model.items.queue[0] = 5e6;
	assert.equal(page.queueText(pen, 0, 20), "queued 5.00 s");
	assert.equal(page.queueText(pen, 0, 5), "");
	assert.equal(pen.named.size, 1, "the run of its name goes on");
});

test("no two rays are named in one place", () => {
	const named = (rates) => {
		const words = [];
		const context = {beginPath() {}, moveTo() {}, lineTo() {},
			stroke() {}, fillText: (text) => words.push(text)};
		const points = rates.map((rate) => ({tokens: 100, rate,
			time: 100 / rate * 1e6}));

		page.paintRays({ink: {}}, context, rates,
			page.spreadScale(points, 300, 200), 300);
		return words;
	};

	assert.equal(named([10, 20, 40]).length, 3);
	assert.deepEqual(named([20, 20.1, 20.2]), ["20 tok/s"]);
});
