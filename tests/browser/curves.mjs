// Curves and slices of the viewer, under node alone.
// Usage: node curves.mjs
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import {page} from "./model.mjs";

function random(seed)
{
	let state = seed;

	return (below) => {
		state = (state * 1103515245 + 12345) % 2147483648;
		return Math.floor(state / 65536) % below;
	};
}

function curveOf(list)
{
	const intervals = vm.runInContext("new Intervals()", page);

	for (const interval of list)
		intervals.add(...interval);
	return page.finish(page.curveOf(intervals));
}

test("a curve is the sum of what lasts at each moment", () => {
	const next = random(7);

	for (let n = 0; n < 50; n++) {
		const list = Array.from({length: next(40)}, () => {
			const from = next(60);

			return [from, from + next(30), 1 + next(5)];
		});
		const curve = curveOf(list);
		const at = (time) => list.reduce((sum, [from, to, weight]) =>
			sum + (from <= time && time < to ? weight : 0), 0);
		let area = 0;

		for (let time = -1; time < 95; time++) {
			assert.equal(page.valueAt(curve, time), at(time));
			assert.equal(page.areaUntil(curve, time), area);
			area += at(time);
		}
		const all = Array.from({length: 95}, (_, time) => at(time));
		const peak = page.peakOf(curve);

		assert.equal(peak.value, Math.max(0, ...all));
		if (peak.value > 0) {
			assert.equal(peak.time, all.filter((value) =>
				value === peak.value).length);
		}
	}
});

test("a mean is that of the time between two moments", () => {
	const curve = curveOf([[0, 10, 4], [5, 20]]);

	assert.equal(page.meanBetween(curve, 0, 10), 4.5);
	assert.equal(page.meanBetween(curve, 18, 22), 0.5);
	assert.equal(page.meanBetween(curve, -10, 0), 0);
	assert.equal(page.meanBetween(curveOf([]), 0, 1), 0);
});

test("work in slices lets others go on, and can be aborted", async () => {
	const steps = function* (n) {
		for (let k = 0; k < n; k++) {
			for (const end = performance.now() + 3;
			     performance.now() < end;);
			yield;
		}
		return "done";
	};
	let turns = 0;
	let ended = false;
	const turn = () => ended || setTimeout(turn, 0, turns++);

	turn();

	assert.equal(await page.inSlices(steps(20)), "done");
	ended = true;
	assert.ok(turns >= 3, `${turns}`);
	const aborts = new AbortController();
	const work = page.inSlices(steps(1e6), aborts.signal);

	aborts.abort();
	assert.equal(await work, undefined);
	assert.equal(page.finish(steps(2)), "done");
});
