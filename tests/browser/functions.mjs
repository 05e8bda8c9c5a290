// The viewer's functions that need no browser, under node alone.
// Usage: node functions.mjs
import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import vm from "node:vm";

const folder = new URL("../../lib/sink/viewer/", import.meta.url);
const sources = fs.readdirSync(folder)
	.filter((name) => name.endsWith(".js")).sort()
	.map((name) => fs.readFileSync(new URL(name, folder), "utf8"));
const page = vm.createContext({TextDecoder, performance, setTimeout});

vm.runInContext(sources.join(""), page);

// A value from the page's realm as one of ours, to be compared.
function plain(value)
{
	return JSON.parse(JSON.stringify(value));
}

// JSON as the page has it.
function ascii(value)
{
	return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) =>
		"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// A model of rows, each {spans: [[name, lane, start, end, state, role]], ...}
// with what else is said of a row; attrs of an item as {start, end}.
function modelOfRows(rows, attrs = [])
{
	const spans = rows.flatMap((row) => row.spans);
	const names = [...new Set(spans.map(([name]) => name))];
	let first = 0;

	page.count = spans.length;
	const items = vm.runInContext("emptyItems(count)", page);

	items.parent.fill(-1);
	spans.forEach(([name, lane, start, end, state, role], i) => {
		items.name[i] = names.indexOf(name);
		items.lane[i] = lane;
		items.start[i] = start;
		items.end[i] = end;
		items.state[i] = state || 0;
		items.role[i] = role || 0;
	});
	const texts = spans.map((span, i) => ["start", "end"].map((side) =>
		attrs[i]?.[side] ? ascii(attrs[i][side]) : ""));

	texts.forEach(([start, end], i) => {
		items.startAttrs[i] = start.length;
		items.endAttrs[i] = end.length;
		items.error[i] = /"(error|exception)/.test(start + end) ? 1 : 0;
	});
	page.placeAttrs(items);
	const made = rows.map(({spans: own, ...said}, r) => {
		const row = {row: r, index: r, group: null, source: null,
			status: null, label: null, reward: null, tokens: 0,
			...said, first, items: own.length,
			lanes: Math.max(...own.map(([, lane]) => lane)) + 1};

		page.rowTimes(items, row);
		first += own.length;
		return row;
	});

	return {
		about: {start: 0, end: Math.max(...made.map((row) => row.end))},
		items, strings: names, rows: made,
		bytes: new TextEncoder().encode(texts.flat().join("")),
	};
}

function modelOf(...spans)
{
	return modelOfRows([{spans}]);
}

function segments(model)
{
	const {item, start, end} = page.flatten(model, model.rows[0]);

	return plain(item).map((i, k) => [model.strings[model.items.name[i]],
		start[k], end[k]]);
}

test("durations keep three digits in one style", () => {
	const cases = [[950, "950 µs"], [12400, "12.4 ms"],
		[3.21e6, "3.21 s"], [125e6, "2 m 05 s"], [3720e6, "1 h 02 m"],
		[0, "0 µs"], [999600, "1.00 s"], [-5, "−5 µs"], [NaN, "–"]];

	for (const [us, text] of cases)
		assert.equal(page.formatDuration(us), text);
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
	const next = page.varints(Uint8Array.of(1, 0x80, 1, 0xff, 0xff, 3));

	assert.deepEqual([next(), next(), next()], [1, 128, 65535]);
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
	assert.equal(said({top: 100}), "of 4,096, the 100 longest");
	assert.equal(said({filter: "dur>1s"}), "of 4,096, those with dur>1s");
	assert.equal(said({cut: "longest"}), "of 4,096, cut to the longest 100");
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
	const expanded = [1];
	const scene = {model, expanded, window: {start: 0, end: 100},
		tops: page.rowTops(model, expanded),
		shapes: null};

	page.model = model;
	scene.shapes = vm.runInContext("new Shapes(model)", page);
	const at = (x, y) => page.hit(scene, 1000, x, y).item;

	assert.equal(at(500, 8), 1, "collapsed lane: the deepest");
	assert.equal(at(200, 8), 0);
	assert.equal(at(500, 16 + 8), 0, "lane 0");
	assert.equal(at(500, 31 + 8), 1, "lane 1");
	assert.equal(at(200, 31 + 8), -1, "lane 1 is empty there");
	assert.equal(at(803, 31 + 8), 2, "a mark within reach");
	assert.equal(at(500, 500), -1, "below the last row");
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
	const {first, at, item} = page.ownMoments(model);

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
	const {moments} = page.prepareStats(model);

	model.rows.forEach((row, r) => {
		const {item, start, end} = page.flatten(model, row);
		const shown = plain(item).map((i, k) => [i, start[k], end[k]]);
		const counted = [];

		page.eachStretch(moments, r, {start: 0, end: 100},
			(...stretch) => stretch[0] >= 0 && counted.push(stretch));
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
	assert.equal(said.bubble, 1 - 160 / 300);
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
	const {model, stats, rows} = statsOf({spans: [
		["sglang_generate", 0, 0, 100], ["sglang_generate", 0, 100, 200],
		["sglang_pd_prefill", 1, 150, 160]]});

	stats.queued.set([30, 40, 0]);
	assert.equal(page.activityTimes(stats, rows)[2], 70);
	model.items.queue.set([30, 40, 0]);
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

	assert.equal(page.tailSentence(stats, rows), "the last 5% of samples " +
		"took 50% of the time · #119 ended last, 15.0 s in tool_call");
	assert.equal(page.concurrency(stats.model, rows).tail, 20e6);
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
	assert.equal(said.waiting.group, 10);
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

	assert.deepEqual(first, {index: 1, activity: "tool", time: 70,
		held: {name: "tool_call", time: 70}});
	assert.equal(page.groupWaiting(stats.model, rows), 40);
});

const FILTERED = modelOfRows([
	{index: 1, group: 12, source: "math", status: "completed", reward: 1,
		tokens: 731, label: "Zürich", spans: [
			["sglang_generate", 0, 0, 20e6], ["tool_call", 1, 1e6, 2e6]]},
	{index: 417, group: 12, source: "math", status: "truncated", reward: 0,
		tokens: 8192, spans: [["sglang_generate", 0, 0, 61e6]]},
	{index: 3, group: 2, source: "code", status: "failed",
		reward: {accuracy: 0.25, format: 1}, spans: [
			["tool_call", 0, 0, 40e6], ["reward", 0, 40e6, 41e6]]},
], [
	{start: {n: 5}, end: {finish_reason: "stop"}},
	{end: {error_type: "TimeoutError", error_message: "took ÜBER long"}},
	{end: {finish_reason: "length", usage: {total: 9}, "a b": true}},
	{start: {command: "ls 1"}, end: {exit: 0}},
]);

// The indexes of the rows a filter shows, once the attributes are read.
async function shown(text)
{
	const filter = page.parseFilter(text, FILTERED);

	assert.equal(filter.error, "", text);
	if (filter.needsAttrs)
		assert.ok(await filter.prepare(FILTERED.bytes));
	return FILTERED.rows.filter((row, r) => filter.test(row, r))
		.map((row) => row.index);
}

test("a filter hides the samples of which a term does not hold", async () => {
	const cases = [
		["", [1, 417, 3]], ["status:truncated", [417]],
		["reward<0.5", [417, 3]], ["reward.accuracy>0.2", [3]],
		["reward.accuracy>0.5", []], ["reward.nothing:1", []],
		["dur>30s", [417, 3]], ["dur>0.5m -status:failed", [417]],
		["dur=20.0s", [1]], ["name:tool", [1, 3]], ["name=tool", []],
		["name:tool_call dur>30s", [3]], ["name:tool_call -dur>30s", [1]],
		["-name:tool_call", [417]], ["source:MATH", [1, 417]],
		["group:12 index:417", [417]], ["index:1", [1]],
		["tokens>1000", [417]], ["label:none", [417, 3]],
		["1", [1]], ["\"1\"", [1, 3]], ["zürich", [1]], ["tool", [1, 3]],
		["error:timeout", [1]], ["error:", [1]], ["error:über", [1]],
		["-error:timeout", [417, 3]], ["timeout", [1]], ["ÜBER", [1]],
		["attr.finish_reason:len", [417]], ["attr.n>3", [1]],
		["attr.usage.total>=9", [417]], ["attr.\"a b\":true", [417]],
		["name:tool_call -error:", [3]], ["attr.exit=0", [3]],
		["-attr.finish_reason:stop", [417, 3]], ["length", [417]],
		["name:tool_call attr.n>3", []], ["index>1 index<=3", [3]],
	];

	for (const [text, indexes] of cases)
		assert.deepEqual(await shown(text), indexes, text);
});

test("a filter says which spans it found", async () => {
	const filter = page.parseFilter("name:tool_call dur>30s", FILTERED);

	assert.deepEqual([0, 1, 2, 3, 4].filter(filter.spanTest), [3]);
	assert.equal(page.parseFilter("math", FILTERED).spanTest, undefined);
	const deep = page.parseFilter("error:timeout", FILTERED);

	assert.ok(deep.test(FILTERED.rows[1], 1), "nothing hidden before");
	await deep.prepare(FILTERED.bytes);
	assert.deepEqual([0, 1, 2, 3, 4].filter(deep.spanTest), [1]);
});

test("a broken filter says where, and hides nothing", () => {
	const cases = [["colour:red", 0, /“colour” is no key/],
		["math dur>abc", 5, /“abc” is no duration/],
		["tokens>many", 0, /“many” is no number \(character 1\)/],
		["status<3", 0, /status is text/], [">5", 0, /needs a key/],
		["a \"b", 2, /quote has no end/], ["status:", 0, /needs a value/],
		["attr.:3", 0, /needs a key/], ["-dur>1y", 0, /no duration/],
		["constructor:1", 0, /no key/]];

	for (const [text, at, message] of cases) {
		const filter = page.parseFilter(text, FILTERED);

		assert.match(filter.error, message, text);
		assert.equal(filter.at, at, text);
		assert.ok(filter.test(FILTERED.rows[0], 0));
	}
});

test("a scan that was given up says so", async () => {
	page.performance = {now: () => page.clock += 10};
	page.clock = 0;
	const filter = page.parseFilter("error:timeout", FILTERED);

	assert.equal(await filter.prepare(FILTERED.bytes, {aborted: true}),
		false);
	page.performance = performance;
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
