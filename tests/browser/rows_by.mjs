// Rows by engine or attribute, under node alone.
// Usage: node rows_by.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

function random(seed)
{
	let state = seed;

	return (below) => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return Math.floor(state / 65536) % below;
	};
}

function pack(spans)
{
	const columns = {start: Float64Array.from(spans, ([from]) => from),
		end: Float64Array.from(spans, ([, to]) => to)};

	return [...page.finish(page.packSteps(columns,
		Uint32Array.from(spans.keys())))].map((lane) => [...lane]);
}

// How many run at once at most, tried at every start.
function peakOf(spans)
{
	return spans.reduce((most, [at]) => Math.max(most, spans.filter(
		([from, to]) => from <= at && at < to).length), 0);
}

test("no two spans of a lane overlap, and lanes are the peak", () => {
	const next = random(11);

	for (let n = 0; n < 300; n++) {
		const spans = [...Array(1 + next(60))].map(() => {
			const from = next(50);

			return [from, from + 1 + next(20)];
		});
		const lanes = pack(spans);

		assert.equal(lanes.length, peakOf(spans));
		assert.deepEqual(lanes.flat().sort((a, b) => a - b),
			[...spans.keys()]);
		for (const lane of lanes) {
			for (let k = 1; k < lane.length; k++)
				assert.ok(spans[lane[k]][0] >= spans[lane[k - 1]][1]);
		}
	}
});

test("the first lane that is free takes a span", () => {
	assert.deepEqual(pack([[0, 10], [0, 4], [5, 7], [7, 9], [11, 12]]),
		[[1, 2, 3, 4], [0]]);
	assert.deepEqual(pack([[3, 3], [3, 3], [1, 5]]), [[2], [0, 1]]);
	assert.deepEqual(pack([[4, 2], [4, 6]]), [[0, 1]]);
	assert.deepEqual(pack([]), []);
});

test("many spans are sorted in pieces, and as fully", () => {
	const next = random(5);
	const spans = [...Array(20000)].map(() => {
		const from = next(30000);

		return [from, from + 1 + next(30)];
	});
	const lanes = pack(spans);
	const changes = spans.flatMap(([from, to]) => [[from, 1], [to, -1]])
		.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
	let now = 0;
	let peak = 0;

	for (const [, change] of changes)
		peak = Math.max(peak, now += change);
	assert.equal(lanes.length, peak);
	assert.ok(lanes.every((lane) => lane.every((i, k) => k === 0 ||
		spans[i][0] >= spans[lane[k - 1]][1])));
});

// Two samples on two engines: the second request of #0 went to b. The first one
// of #1 was in a's queue until #0 was done.
function twoEngines()
{
	const model = modelOfRows([
		{spans: [["run", 0, 0, 100], ["ask", 1, 10, 40, 0, 0, 0],
			["ask", 1, 50, 70, 0, 0, 0]],
		worker: "a", workers: [[2, "b"]], group: 10},
		{spans: [["run", 0, 0, 90], ["ask", 1, 15, 60, 0, 0, 0]],
			worker: "a", group: 9},
	], [{}, {end: {tool: "x"}}, {end: {tool: "y"}}, {start: {tool: "x"}},
		{end: {tool: "x"}}]);

	for (const i of [1, 2, 4])
		model.items.request[i] = 1;
	model.items.queue[4] = 25;
	return model;
}

function layOut(model, by, values, shown = () => true, order = [0, 1])
{
	return page.finish(page.laneSteps(model, order, by,
		page.unitsBy(model, by, values), {shown}));
}

function said({groups})
{
	return plain(groups.map(({value, lanes}) => [value,
		lanes.map(({item, start, end}) => [...item].map((i, k) =>
			[i, start[k], end[k]]))]));
}

test("an engine has what it served, without the time in its queue", () => {
	assert.deepEqual(said(layOut(twoEngines(), "engine")), [
		["a", [[[1, 10, 40], [4, 40, 60]]]], ["b", [[[2, 50, 70]]]]]);
});

// The client sees a request end later than the engine, which has begun the next
// one on its slot by then: two slots, three at once by the spans alone.
test("an engine has as many lanes as it ran at once by its own clock", () => {
	const attrs = (e2e) => ({end: {e2e_latency: e2e / 1e6}});
	const model = modelOfRows([
		{spans: [["ask", 0, 0, 100]], worker: "a"},
		{spans: [["ask", 0, 0, 204]], worker: "a"},
		{spans: [["ask", 0, 1, 205]], worker: "a"},
		{spans: [["ask", 0, 0, 300]], worker: "a"},
	], [attrs(96), attrs(200), attrs(200), {}]);
	const lanes = (order) => said(page.finish(page.laneSteps(model, order,
		"engine", page.unitsBy(model, "engine"), {bytes: model.bytes,
			shown: () => true})))[0][1];

	model.items.request.fill(1);
	model.items.queue.set([0, 0, 95, 98]);
	assert.deepEqual(lanes([0, 1, 2]), [[[0, 4, 96], [2, 100, 201]],
		[[1, 4, 200]]]);
	// Without the engine's time, and where it makes no sense: the span's.
	assert.deepEqual(lanes([3]), [[[3, 98, 300]]]);
	assert.deepEqual(plain([page.slotTimes(0, 100, 10, 200),
		page.slotTimes(0, 100, 30, 20), page.slotTimes(5, 5, 3, NaN)]),
	[[10, 100], [30, 100], [5, 5]]);
	// A request that the client sent again: its last attempt, at the end.
	assert.deepEqual(plain(page.slotTimes(0, 1000, 5, 45)), [960, 1000]);
});

test("a field of samples has their requests whole, numbers by size", () => {
	assert.deepEqual(said(layOut(twoEngines(), "group")), [
		[9, [[[4, 15, 60]]]], [10, [[[1, 10, 40], [2, 50, 70]]]]]);
	assert.deepEqual(said(layOut(twoEngines(), "reward")), [[null,
		[[[1, 10, 40], [2, 50, 70]], [[4, 15, 60]]]]]);
});

test("an attribute has the outermost spans with it", async () => {
	const model = twoEngines();
	const values = await page.attributeValues(model, model.bytes, "tool");

	assert.deepEqual(plain([...values]), [[1, "x"], [2, "y"], [3, "x"],
		[4, "x"]]);
	// The request of #1 lies in a run with the same value.
	assert.deepEqual(said(layOut(model, "attr:tool", values)), [
		["x", [[[3, 0, 90]], [[1, 10, 40]]]], ["y", [[[2, 50, 70]]]]]);
});

test("what is not shown is not laid out", () => {
	assert.deepEqual(said(layOut(twoEngines(), "engine", undefined,
		(i) => i !== 1)), [["a", [[[4, 40, 60]]]], ["b", [[[2, 50, 70]]]]]);
	assert.deepEqual(said(layOut(twoEngines(), "engine", undefined,
		() => true, [1])), [["a", [[[4, 40, 60]]]]]);
});

test("where no request is known, the outermost spans are laid out", () => {
	const model = modelOfRows([{spans: [["run", 0, 0, 10],
		["x", 1, 2, 5, 0, 0, 0]], status: "completed"}]);

	assert.deepEqual(said(layOut(model, "status", undefined, () => true,
		[0])), [["completed", [[[0, 0, 10]]]]]);
});

test("a group is said by how full it was", () => {
	const model = twoEngines();
	const lines = page.makeLaneLines(model, [0, 1], "engine",
		layOut(model, "engine"));
	const facts = (measured) => lines.groups.map((group) =>
		page.laneGroupFacts({model, lines, order: [0, 1],
			state: {measured}}, group));

	model.about.speeds = [["a", 2, 0.02], ["b", 1, 0.04]];
	model.about.slow = ["b"];
	// All is from 10 to 70: a was busy for 50 of that, b for 20.
	assert.deepEqual(plain(facts(null)), [
		"2 requests · median 50.0 tok/s · peak 1 · mean 0.8 (83% full) " +
			"· idle 10 µs · last end 60 µs · queued 25 µs",
		"1 request · median 25.0 tok/s · slow: 2.00 times the other's " +
			"time per token · peak 1 · mean 0.3 (33% full) · idle 40 µs " +
			"· last end 70 µs"]);
	// The model of the remedies has the figure that they have.
	model.about.whatIf = {slow: [["b", 4.287]]};
	assert.match(facts(null)[1],
		/tok\/s · slow: decode steps take 4\.29 times as long · peak/);
	assert.equal(facts({start: 30, end: 50})[0], "2 requests · " +
		"median of all samples 50.0 tok/s · peak 1 · mean 1 (100% full) · idle 0 µs · " +
		"last end 50 µs · queued 25 µs");
	assert.deepEqual(plain(lines.at), [-1, 2, -2, 3]);
	assert.deepEqual([1, 4, 2].map((i) => lines.lineOfItem.get(i)),
		[1, 1, 3]);
	const use = page.groupUse({start: [0, 2, 8], end: [5, 4, 9]},
		{units: [0, 1, 2], lanes: [0, 0]}, {start: 1, end: 20});

	assert.deepEqual(plain(use), {count: 3, peak: 2, busy: 5, area: 7,
		end: 9});
});

test("what rows are by is read from the address with care", () => {
	assert.deepEqual(["", "engine", "group", "attr:x", "attr:", "nope",
		"constructor"].map((text) => page.readBy(text)), ["", "engine",
		"group", "attr:x", undefined, undefined, undefined]);
});
