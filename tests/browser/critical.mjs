// The critical path, under node alone.
// Usage: node critical.mjs
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import {modelOfRows, page, plain} from "./model.mjs";

const activityNames = plain(vm.runInContext("ACTIVITY_NAMES", page));

function pathOf(model)
{
	const stats = page.finish(page.statsSteps(model));

	return plain(page.finish(page.criticalPath(stats)));
}

// [row, activity, from, to] of each part
function said(parts)
{
	return parts.map(({row, activity, from, to}) =>
		[row, activityNames[activity], from, to]);
}

// Row r waits from a moment to its end, in an activity by its name.
function waits(model, r, from, wait)
{
	const {start, end} = model.rows[r];
	const kind = activityNames.indexOf(wait);

	model.waits.rows[r] = {...model.waits.rows[r], start, end: from,
		phases: [{from: start, to: from, wait: -1, working: true},
			{from, to: end, wait: kind, working: false}]};
}

test("a sample that waits for its group leads to who held it up", () => {
	const model = modelOfRows([
		{spans: [["generate", 0, 0, 100], ["decode", 1, 10, 40, 0, 0, 0]],
			group: 1},
		{spans: [["decode", 0, 20, 90]], group: 1},
		{spans: [["decode", 0, 0, 95]], group: 2},
	]);

	waits(model, 0, 40, "group wait");
	assert.deepEqual(said(pathOf(model)), [
		[1, "idle", 0, 20], [1, "decode", 20, 90],
		[0, "group wait", 90, 100]]);
});

test("a request that queues leads to the one that freed its slot", () => {
	const model = modelOfRows([
		{spans: [["queue", 0, 0, 50], ["decode", 0, 50, 80]], worker: "a"},
		{spans: [["decode", 0, 0, 48]], worker: "a"},
		{spans: [["decode", 0, 0, 49]], worker: "b"},
	]);

	assert.deepEqual(said(pathOf(model)), [
		[1, "decode", 0, 48], [0, "queue", 48, 50],
		[0, "decode", 50, 80]]);
});

test("what nobody held up is waiting, and before the first is idle", () => {
	const model = modelOfRows([{spans: [["queue", 0, 5, 50],
		["tool", 0, 60, 80]]}, {spans: [["tool", 0, 0, 3]]}]);

	assert.deepEqual(said(pathOf(model)), [
		[1, "tool", 0, 3], [0, "idle", 3, 5], [0, "queue", 5, 50],
		[0, "idle", 50, 60], [0, "tool", 60, 80]]);
});

test("the parts of any dump cover its wall time, each once", () => {
	let state = 3;
	const next = (below) => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return Math.floor(state / 65536) % below;
	};
	const names = ["queue", "decode", "tool", "reward", "x"];

	for (let n = 0; n < 200; n++) {
		const model = modelOfRows([...Array(1 + next(12))].map(() => ({
			group: next(3), worker: `w${next(2)}`,
			spans: [...Array(1 + next(5))].map(() => {
				const from = next(40);

				return [names[next(5)], 0, from, from + next(30)];
			}),
		})));

		for (const r of model.rows.keys()) {
			if (next(2) && model.rows[r].end > model.rows[r].start + 2) {
				waits(model, r, model.rows[r].end - 1 - next(2),
					["group wait", "client queue"][next(2)]);
			}
		}
		const start = Math.min(...model.rows.map((row) => row.start));
		const end = Math.max(...model.rows.map((row) => row.end));
		const parts = pathOf(model);
		let at = start;

		for (const {from, to} of parts) {
			assert.equal(from, at);
			assert.ok(to > from);
			at = to;
		}
		assert.equal(at, end);
		assert.equal(plain(page.pathSums(parts)).reduce((sum, {time}) =>
			sum + time, 0), end - start);
	}
});
