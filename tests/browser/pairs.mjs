// Pairs of samples, verdicts and the bootstrap, under node alone.
// Usage: node pairs.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

function side(...rows)
{
	const model = modelOfRows(rows.map(([index, group, us]) => ({
		index, group, spans: [["a", 0, 0, us]]})));

	return {model, stats: page.finish(page.statsSteps(model)),
		rows: page.timedRows(model)};
}

function pairs(before, after)
{
	const {words, changes, alone} = page.finish(page.pairSteps(before,
		after));

	return plain({words, alone, all: changes.map(({a, b, fields}) =>
		[a, b, fields[0].change])});
}

test("samples of one index and group are pairs, the largest change first", () => {
	assert.deepEqual(pairs(side([5, 1, 10], [6, 1, 20], [7, 2, 1]),
		side([6, 1, 50], [5, 1, 11], [7, 3, 9])),
	{words: "index and group", alone: [1, 1], all: [[1, 0, 30],
		[0, 1, 1]]});
	assert.deepEqual(pairs(side([5, 1, 10], [6, 1, 20]),
		side([6, 8, 50], [5, 9, 11], [8, 3, 9])),
	{words: "index", alone: [0, 1], all: [[1, 0, 30], [0, 1, 1]]});
});

test("of several rows of one index the first goes with the first", () => {
	assert.deepEqual(pairs(side([5, 1, 10], [5, 1, 20]),
		side([5, 1, 11], [5, 1, 22], [5, 1, 33])),
	{words: "index and group", alone: [0, 1], all: [[1, 1, 2],
		[0, 0, 1]]});
});

test("nothing in common is no pair, and says so", () => {
	const found = page.finish(page.pairSteps(side([1, 1, 10]),
		side([2, 1, 10], [null, 1, 10])));

	assert.equal(page.sayPairs(found),
		"No sample of A has the index of one of B.");
});

test("verdicts follow the interval and what is good", () => {
	const judge = (from, to, low, high, good) => page.judgeChange({from, to,
		low, high, relative: page.relativeChange(from, to)}, good);

	assert.deepEqual([judge(1, 2, 0.5, 1.5, -1), judge(1, 2, 0.5, 1.5, 1),
		judge(1, 2, -0.5, 1.5, -1), judge(1, 2, NaN, NaN, 0),
		judge(1, 1, 0, 0, -1), judge(1, NaN, NaN, NaN, -1),
		judge(NaN, 1, NaN, NaN, -1), judge(0, 1, NaN, NaN, -1)],
	["worse", "better", "noise", "changed", "same", "gone", "new",
		"worse"]);
});

// As lib/base/bootstrap.c has it of the same values.
test("an interval of equal values is that value", () => {
	const ones = Float64Array.from([1, 1, 1, 1, 1]);
	const threes = Float64Array.from([3, 3, 3, 3, 3, 3]);

	assert.deepEqual(plain(page.finish(page.bootstrapSteps(ones, threes,
		["mean", "median", "p95"]))), [[2, 2], [2, 2], [2, 2]]);
});

test("fewer than five values have no interval", () => {
	const few = {sorted: Float64Array.from([1, 2, 3, 4]), mean: 2.5};
	const many = {sorted: Float64Array.from([2, 3, 4, 5, 6]), mean: 4};
	const [mean] = page.finish(page.metricSteps(["m", "a", "s", -1], few,
		many));

	assert.deepEqual([mean.from, mean.to, mean.relative, mean.low,
		mean.verdict], [2.5, 4, 0.6, NaN, "worse"]);
});

test("steps of one rollout are called by their files", () => {
	const abouts = [{name: "a.pt", rollout: 1}, {name: "b.pt", rollout: 2},
		{name: "c.pt", rollout: 1}, {name: "d.pt", rollout: null}];

	assert.deepEqual(abouts.map((one) => page.stepName(one, abouts)),
		["a.pt", "rollout 2", "c.pt", "d.pt"]);
});

test("a step has the share of its last 5%, if there is one", () => {
	const about = {name: "a.pt", rollout: 1};
	const times = (tail) => page.stepWords(about,
		{wall: 4.15e6, tail, verdict: ""}, [about]).times;

	assert.deepEqual([0.307, 0, null].map(times),
		["4.15 s · last 5%: 31%", "4.15 s", "4.15 s"]);
});

test("a change has a share that can be read", () => {
	assert.deepEqual([[100, 15], [100, -40], [100, 0], [0, 5], [3, 117],
		[10, 90], [10, 91]].map(([before, change]) =>
		page.changeShare(before, change)), [" (+15%)", " (−40%)", "", "",
		" (×40)", " (+900%)", " (×10)"]);
});
