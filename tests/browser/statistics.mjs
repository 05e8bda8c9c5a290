// The viewer's statistics, under node alone.
// Usage: node statistics.mjs
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import {modelOfRows, page, plain} from "./model.mjs";

// The owner of each moment by trying them all.
function ownersOneByOne(model, row)
{
	const {items} = model;
	const found = [];

	for (let t = row.start; t < row.end; t++) {
		let owner = -1;

		for (let i = row.first; i < row.first + row.items; i++) {
			if (items.state[i] <= 1 && items.role[i] === 0 &&
			    items.start[i] <= t && t < items.end[i])
				owner = i;
		}
		found.push(owner);
	}
	return found;
}

function random(seed)
{
	let state = seed;

	return (below) => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return Math.floor(state / 65536) % below;
	};
}

// Rows of random spans, sorted as the items of a row are.
function randomRows(next, rows)
{
	return Array.from({length: rows}, () => ({
		spans: Array.from({length: 1 + next(9)}, () => {
			const start = next(40);

			return [`n${next(4)}`, next(3), start,
				start + next(20), next(5) === 0 ? 2 : 0,
				next(6) === 0 ? 1 : 0];
		}).sort((a, b) => a[1] - b[1] || a[2] - b[2] || a[3] - b[3]),
	}));
}

test("each moment has one owner: the last of the spans under way", () => {
	const model = modelOfRows(randomRows(random(1), 200));
	const {first, at, item} = page.findSelfTimes(model);

	model.rows.forEach((row, r) => {
		const owners = [];

		for (let k = first[r]; k < first[r + 1] - 1; k++) {
			owners.push(...Array(at[k + 1] - at[k]).fill(item[k]));
			assert.notEqual(item[k], k > first[r] ? item[k - 1] : -2);
		}
		assert.deepEqual(owners, ownersOneByOne(model, row));
	});
});

test("what a collapsed row shows is what statistics count", () => {
	const model = modelOfRows(randomRows(random(2), 100));
	const {selfTimes} = page.prepareStats(model);

	model.rows.forEach((row, r) => {
		const {item, start, end} = page.flatten(model, row, () => true);
		const shown = [...item].map((i, k) => [i, start[k], end[k]])
			.filter(([, from, to]) => from < to);
		const counted = [];

		page.eachInterval(selfTimes, r, {start: 0, end: 100},
			(...interval) => interval[0] >= 0 && counted.push(interval));
		assert.deepEqual(shown, counted);
	});
});

function statsOf(...rows)
{
	const model = modelOfRows(rows);
	const stats = page.prepareStats(model);

	return {model, stats, rows: page.timedRows(model)};
}

test("self times and idle add up to the samples' time", () => {
	const {stats, rows} = statsOf(
		{spans: [["outer", 0, 0, 100], ["tool_call", 1, 10, 30],
			["late", 1, 90, 120], ["mark", 1, 150, 150, 2]]},
		{spans: [["outer", 0, 50, 60]]});
	const said = plain(page.breakdown(stats, rows));
	const self = Object.fromEntries(said.names.map((one) =>
		[one.name, one.self]));

	assert.deepEqual(self, {outer: 80, tool_call: 20, late: 30});
	assert.equal(said.idle, 30);
	assert.equal(said.time, 160);
	assert.equal(said.activities.tool, 20);
	assert.equal(said.activities.other, 110);
	assert.equal(said.wall, 150);
	assert.equal(said.peak, 2);
	assert.equal(said.own, 130);
	assert.equal(said.bubble, 1 - 130 / 300);
});

test("a range clips what is counted", () => {
	const {stats, rows} = statsOf(
		{spans: [["outer", 0, 0, 100], ["tool_call", 1, 10, 30]]},
		{spans: [["outer", 0, 90, 200]]});
	const said = plain(page.breakdown(stats, rows, {start: 20, end: 60}));

	assert.equal(said.samples, 1);
	assert.equal(said.time, 40);
	assert.deepEqual(said.names.map(({name, count, total, self}) =>
		[name, count, total, self]),
	[["outer", 1, 40, 30], ["tool_call", 1, 10, 10]]);
});

test("a generation without spans inside queues first", () => {
	const {model, rows} = statsOf({spans: [
		["sglang_generate", 0, 0, 100], ["sglang_generate", 0, 100, 200],
		["sglang_pd_prefill", 1, 150, 160]]});

	model.items.queue.set([30, 40, 0]);
	assert.equal(page.activityTimes(page.prepareStats(model), rows)[2], 70);
	model.items.parent[2] = 1;
	const again = page.prepareStats(model);

	assert.equal(page.activityTimes(again, rows)[2], 30);
	assert.equal(page.activityTimes(again, rows)[5], 160);
});

test("overview columns are averages over their time", () => {
	const {stats, rows} = statsOf(
		{spans: [["tool_call", 0, 0, 25]]},
		{spans: [["tool_call", 0, 5, 40]]});
	const columns = page.overviewColumns(stats, rows, {start: 0, end: 40}, 4);

	assert.deepEqual([...columns[0]], [1.5, 2, 1.5, 1]);
	assert.equal(columns.slice(1).flatMap((one) => [...one])
		.reduce((sum, n) => sum + n), 0);
});

test("overview columns keep the time of random rows", () => {
	const {stats, rows} = statsOf(...randomRows(random(3), 50));
	const range = {start: -3, end: 67};
	const times = page.activityTimes(stats, rows);

	page.overviewColumns(stats, rows, range, 13).forEach((column, a) => {
		const sum = column.reduce((total, n) => total + n, 0) * 70 / 13;

		assert.ok(Math.abs(sum - times[a]) < 1e-6);
	});
});

test("quantiles lie between the nearest of the values", () => {
	const values = Float64Array.of(1, 2, 3, 11);

	assert.equal(page.quantile(values, 0.5), 2.5);
	assert.equal(page.quantile(values, 0.75), 5);
	assert.equal(page.quantile(values, 1), 11);
	assert.ok(Number.isNaN(page.quantile(new Float64Array(0), 0.5)));
});

test("the tail is told in words", () => {
	const {stats, rows} = statsOf(...Array.from({length: 20}, (_, r) => ({
		index: 100 + r,
		spans: r < 19 ? [["sglang_generate", 0, 0, 20e6]] :
			[["sglang_generate", 0, 0, 25e6],
				["tool_call", 0, 25e6, 40e6]],
	})));

	assert.equal(page.tailSentence(stats, rows), "50% of the wall time " +
		"(20.0 s) went to finishing the last 5% of samples · #119 ended last, " +
		"15.0 s of that in tool_call");
	stats.model.rows[3].index = 119;
	stats.model.repeated = undefined;
	assert.match(page.tailSentence(stats, rows),
		/ · #119 \(row 19\) ended last, /);
	assert.equal(page.concurrency(stats, rows).tail, 20e6);
	assert.equal(page.tailSentence(stats, []), "");
});

test("samples without a time are in no statistics", () => {
	const model = modelOfRows([
		{group: 1, spans: [["tool_call", 0, 0, 50]]},
		{group: 1, spans: [["broken", 0, 0, 0]]},
		{group: 1, spans: [["tool_call", 0, 10, 40]]}]);

	model.items.timeless[1] = 1;
	page.rowTimes(model.items, model.rows[1]);
	const stats = page.prepareStats(model);
	const rows = [0, 1, 2];
	const said = plain(page.breakdown(stats, rows));

	assert.equal(said.samples, 2);
	assert.equal(said.time, 80);
	assert.equal(said.waiting.group, 0);
	assert.deepEqual(said.stragglers.map(({index}) => index), [0, 2]);
	assert.equal(said.last.index, 0);
});

test("stragglers come with what held them", () => {
	const {stats, rows} = statsOf(
		{group: 1, spans: [["sglang_generate", 0, 0, 50]]},
		{group: 1, spans: [["outer", 0, 0, 90],
			["tool_call", 1, 10, 80]]},
		{group: 2, spans: [["outer", 0, 0, 20]]});
	const [first] = plain(page.breakdown(stats, rows)).stragglers;

	assert.deepEqual([first.index, first.activity, first.time, first.held],
		[1, "tool", 70, {name: "tool_call", time: 70}]);
	assert.equal(first.cause, "tools");
});

test("names of two dumps are compared, the largest change first", () => {
	const said = (total) => ({count: 1, total, p50: 0, p95: 0});
	const rows = page.compareNames(
		new Map([["a", said(10e6)], ["b", said(5e6)], ["c", said(1e6)]]),
		new Map([["a", said(12e6)], ["c", said(1e6)], ["d", said(1e6)]]));

	assert.deepEqual(plain(rows.map(({name, change}) => [name, change])),
		[["b", -5e6], ["a", 2e6], ["d", 1e6], ["c", 0]]);
	assert.deepEqual(plain(rows.map(page.formatChange)), ["−5.00 s (−100%)",
		"+2.00 s (+20%)", "+1.00 s", "same"]);
});

test("statistics by name are of all rows", () => {
	const model = modelOfRows([{spans: [["a", 0, 0, 10], ["b", 1, 2, 4]]},
		{spans: [["a", 0, 0, 30]]}]);
	const {count, total, p50} = page.statisticsByName(model).get("a");

	assert.deepEqual([count, total, p50], [2, 40, 20]);
});

test("the rows of a group follow its first one, those of no group too", () => {
	const model = {rows: [{group: 1}, {group: null}, {group: "1"},
		{group: 1}, {group: undefined}, {group: 1, dump: 1}]};
	const order = Uint32Array.of(5, 3, 1, 0, 2, 4);
	const gathered = page.gather(model, order);
	const {at, heads, lineOf} = page.makeLines(model, {group: true},
		gathered);

	assert.deepEqual(plain([...gathered]), [5, 3, 0, 1, 4, 2]);
	assert.deepEqual(plain([...at]), [-1, 5, -2, 3, 0, -3, 1, 4, -4, 2]);
	assert.deepEqual(plain([...lineOf]), [4, 6, 9, 3, 7, 1]);
	assert.deepEqual(plain(heads.map(({rows}) => rows)),
		[[5], [3, 0], [1, 4], [2]]);
	assert.equal(page.groupTitle({about: {}}, heads[2]),
		"no group · 2 samples");
	assert.equal(page.groupTitle({about: {row: "process"}}, heads[2]),
		"no group · 2 processes");
	assert.deepEqual(plain([...page.gather(model, Uint32Array.of(2))]), [2]);
});

test("what the panel counts of many samples can pause", () => {
	const model = modelOfRows(randomRows(random(3), 9000));
	const scene = {model, stats: page.finish(page.statsSteps(model)),
		order: page.allRows(model),
		state: {measured: null, hidden: new Set()}};

	for (const tab of ["stragglers", "names", "spread", "flame", "errors",
		"open"]) {
		const steps = vm.runInContext(`TABS.${tab}.steps`, page)(scene);
		let pauses = 0;

		while (!steps.next().done)
			pauses++;
		assert.ok(pauses >= 9000 / 512, `${tab}: ${pauses}`);
	}
});
