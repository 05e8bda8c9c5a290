// What samples wait for, and who made them wait, under node alone.
// Usage: node waits.mjs
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import {modelOfRows, page, plain} from "./model.mjs";

const OPEN = 1;
const ACTIVITY_NAMES = plain(vm.runInContext("ACTIVITY_NAMES", page));

// The spans of a sample as the trainer records them: one around its group, its
// own call, and a request inside that.
function sample(group, call, request, more = {})
{
	return {group: 1, ...more, spans: [
		["generate_and_rm_group", 0, ...group],
		["generate_and_rm", 1, ...call, 0, 0, 0],
		["sglang_generate", 2, ...request, 0, 0, 1],
		...more.spans || []]};
}

function waitsOf(...rows)
{
	const model = modelOfRows(rows);

	model.about.slow = [];
	return {model, ...page.waitsOf(model), stats: page.prepareStats(model),
		own: plain(page.waitsOf(model).rows)};
}

function heldUp({heldUp: found})
{
	return [...found].map(([culprit, victims]) => [culprit,
		...victims.map(({row, wait}) => [row, wait])]);
}

test("a sample waits for its group from its own end to the shared span's",
	() => {
		const found = waitsOf(sample([0, 100], [0, 30], [5, 29]),
			sample([0, 100], [0, 100], [10, 98]),
			sample([0, 100], [1, 60], [1, 60]));

		assert.deepEqual(found.own.map(({start, end, duration, groupWait,
			clientQueue}) => [start, end, duration, groupWait,
			clientQueue]),
		[[5, 30, 25, 70, 5], [10, 100, 90, 0, 10],
			[1, 60, 59, 40, 0]]);
		assert.deepEqual(heldUp(found), [[1, [0, 70], [2, 40]]]);
		assert.equal(found.heldBy.get(0), 1);
	});

test("spans that only look alike are no barrier", () => {
	const found = waitsOf(sample([0, 100], [0, 30], [5, 29]),
		sample([0, 101], [0, 100], [10, 98]),
		sample([0, 100], [0, 30], [5, 29], {group: 2}),
		sample([0, 100], [0, 50], [5, 29], {group: null}));

	// Of the two alone in no group or with other times nobody is held; the
	// one that is alone in its group has a barrier by its name.
	assert.deepEqual(found.own.map(({groupWait}) => groupWait),
		[0, 0, 70, 0]);
	assert.deepEqual(heldUp(found), []);
});

test("a shared span that does not contain the others is no barrier", () => {
	const found = waitsOf(
		{group: 1, spans: [["both", 0, 0, 50], ["own", 0, 10, 60]]},
		{group: 1, spans: [["both", 0, 0, 50], ["own", 0, 10, 40]]});

	// The second one's spans all lie in what both have.
	assert.deepEqual(found.own.map(({start, end, groupWait}) =>
		[start, end, groupWait]), [[10, 60, 0], [10, 40, 10]]);
	assert.deepEqual(heldUp(found), [[0, [1, 10]]]);
});

test("rewards of the group are no waiting for it", () => {
	const reward = {spans: [["group_reward_model", 1, 70, 90, 0, 0, 0]]};
	const found = waitsOf(sample([0, 100], [0, 30], [5, 29], reward),
		sample([0, 100], [0, 70], [5, 70], reward));
	const times = [0, 1].map((r) => {
		const all = plain(page.activityTimes(found.stats, [r]));

		return ["reward", "group wait"].map((name) =>
			all[ACTIVITY_NAMES.indexOf(name)]);
	});

	assert.deepEqual(times, [[20, 50], [20, 10]]);
	assert.deepEqual(found.own.map(({end}) => end), [30, 70]);
	assert.deepEqual(heldUp(found), [[1, [0, 50]]]);
});

test("an open span is where its sample ends, its group's is not", () => {
	const found = waitsOf(
		{group: 1, spans: [["generate_and_rm_group", 0, 0, 90, OPEN],
			["tool_call", 1, 10, 40, 0, 0, 0]]},
		{group: 1, spans: [["generate_and_rm_group", 0, 0, 90, OPEN],
			["tool_call", 1, 10, 60, OPEN, 0, 0]]});

	assert.deepEqual(found.own.map(({end, groupWait, open}) =>
		[end, groupWait, open]), [[40, 0, false], [60, 0, true]]);
});

test("attempts have barriers of their own, and nothing runs between them",
	() => {
		const tried = (first, second) => ({group: 1, spans: [
			["generate_and_rm_group", 0, 0, 40, 0, 0, -1, 0],
			["generate_and_rm_group", 0, 60, 100, 0, 0, -1, 1],
			["tool_call", 1, 0, first, 0, 0, 0, 0],
			["tool_call", 1, 60, second, 0, 0, 1, 1]]});
		const found = waitsOf(tried(10, 100), tried(40, 70));

		assert.deepEqual(found.own.map(({duration, earlier, groupWait}) =>
			[duration, earlier, groupWait]), [[50, 10, 30], [50, 40, 30]]);
		assert.deepEqual(heldUp(found), [[1, [0, 30]], [0, [1, 30]]]);
		const {peak, tail} = page.concurrency(found.stats, [0, 1]);

		assert.deepEqual([peak, tail], [2, 20]);
	});

test("of copies only the earliest call tells the client's queue", () => {
	const copy = (start, end) => sample([0, 100], [2, 90], [start, end],
		{index: 7});
	const found = waitsOf(copy(30, 80), copy(10, 29),
		sample([0, 100], [2, 50], [4, 50], {index: 8}));

	assert.deepEqual(found.own.map(({clientQueue}) => clientQueue),
		[0, 8, 2]);
	// Copies share spans with each other as one sample does with itself.
	assert.deepEqual(heldUp(found), [[0, [2, 50]]]);
});

test("running, peak and utilisation are of own work", () => {
	const {stats} = waitsOf(sample([0, 100], [0, 30], [10, 30]),
		sample([0, 100], [0, 100], [30, 100]));
	const said = plain(page.breakdown(stats, [0, 1]));

	assert.equal(said.peak, 1);
	assert.equal(said.wall, 100);
	assert.equal(said.time, 200);
	assert.equal(said.own, 90);
	assert.equal(said.utilisation, 0.9);
	assert.deepEqual(said.waiting, {group: 70, client: 40, reward: 0});
	assert.equal(said.activities["group wait"], 70);
	assert.equal(said.activities["client queue"], 40);
	assert.equal(said.activities.other, 0);
	assert.equal(Object.values(said.activities).reduce((a, b) => a + b),
		200);
});

test("who is shown and the range choose what is summed, not what is shared",
	() => {
		const {stats} = waitsOf(sample([0, 100], [0, 30], [10, 30]),
			sample([0, 100], [0, 100], [30, 100]));
		const alone = plain(page.breakdown(stats, [0]));
		const part = plain(page.breakdown(stats, [0, 1],
			{start: 20, end: 50}));

		assert.equal(alone.waiting.group, 70);
		assert.equal(alone.own, 20);
		assert.equal(part.waiting.group, 20);
		assert.equal(part.waiting.client, 10);
		assert.equal(part.own, 30);
		assert.equal(part.peak, 1);
	});

test("a wait is what a collapsed row shows", () => {
	const {model} = waitsOf(sample([0, 100], [0, 30], [10, 30]),
		sample([0, 100], [0, 100], [30, 100]));
	const {item, start, end, wait} = page.flatten(model, model.rows[0],
		() => true, page.drawnWaits(model, 0));

	assert.deepEqual([...item].map((i, k) => [
		model.strings[model.items.name[i]], start[k], end[k],
		ACTIVITY_NAMES[wait[k]]]), [
		["generate_and_rm", 0, 10, "client queue"],
		["sglang_generate", 10, 30, "tool"], // 0: it is no wait
		["generate_and_rm_group", 30, 100, "group wait"]]);
	const hidden = page.flatten(model, model.rows[0], (i, activity) =>
		ACTIVITY_NAMES[activity] !== "group wait",
	page.drawnWaits(model, 0));

	assert.deepEqual([...hidden.end], [10, 30]);
});

test("the order is that of own work", () => {
	const {model} = waitsOf(sample([0, 100], [0, 30], [0, 30]),
		sample([0, 100], [0, 100], [50, 100]),
		sample([0, 100], [0, 80], [0, 80]));
	const order = (sort) => [...page.orderRows(model,
		{sort, down: true, group: false}, () => true)];

	assert.deepEqual(order("end"), [1, 2, 0]);
	assert.deepEqual(order("duration"), [2, 1, 0]);
	assert.deepEqual(order("wait"), [0, 2, 1]);
});

// Samples of one request each: [start, end, tokens, worker].
function requests(...list)
{
	const {stats, model} = waitsOf(...list.map(
		([start, end, answer, worker = null]) => ({answer, worker,
			spans: [["sglang_generate", 0, start, end]]})));

	return {stats, model, cause: (r) =>
		page.describeStraggler(stats, r).cause};
}

test("causes come in the order of their evidence", () => {
	const usual = [[0, 10, 100], [0, 10, 100], [0, 10, 100]];

	assert.equal(requests(...usual, [0, 40, 151]).cause(3), "long answer");
	assert.equal(requests(...usual, [0, 40, 150]).cause(3), "slow decode");
	assert.equal(requests(...usual, [0, 15, 100]).cause(3),
		"mostly decode");
	const {model, cause} = requests(...usual, [0, 40, 100, "a:1"]);

	// A worker that is known and not slow is no cause.
	assert.equal(cause(3), "mostly decode");
	model.about.slow = ["a:1"];
	assert.equal(cause(3), "slow engine");
});

test("waits of a quarter of the own time are a cause", () => {
	const cause = (...spans) => {
		const {stats} = waitsOf({answer: 1, spans});

		return page.describeStraggler(stats, 0).cause;
	};
	const call = ["generate_and_rm", 0, 0, 100];

	assert.equal(cause(["tool_call", 0, 0, 25],
		["sglang_generate", 0, 25, 100]), "tools");
	assert.equal(cause(["tool_call", 0, 0, 24],
		["sglang_generate", 0, 24, 100]), "mostly decode");
	assert.equal(cause(call, ["sglang_generate", 1, 20, 60, 0, 0, 0],
		["reward_model", 1, 60, 100, 0, 0, 0]), "reward");
	assert.equal(cause(call, ["sglang_generate", 1, 60, 100, 0, 0, 0]),
		"client queue");
	assert.equal(cause(["sglang_generate", 0, 0, 30, 0, 0, -1, 0],
		["sglang_generate", 0, 50, 100, 0, 0, -1, 1]),
	"earlier attempts");
	assert.equal(cause(["mark", 0, 5, 5]), "no work of its own");
});

test("those who ended last and those who worked longest are stragglers", () => {
	const {stats} = requests([0, 60, 1], [50, 80, 1], [40, 90, 1],
		[95, 100, 1], [0, 1, 1]);

	assert.deepEqual(plain(page.stragglers(stats,
		page.timedRows(stats.model), 2)).map(({row, last, longest}) =>
		[row, last, longest]), [[3, 1, null], [2, 2, 2], [0, null, 1]]);
});
