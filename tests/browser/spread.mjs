// Distributions, under node alone.
// Usage: node spread.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

function sceneOf(rows)
{
	const model = modelOfRows(rows.map(([tokens, seconds, worker]) => ({
		spans: [["decode", 0, 0, seconds * 1e6]], answer: tokens, worker,
	})));
	const stats = page.finish(page.statsSteps(model));

	return {model, stats, order: [...model.rows.keys()],
		state: {box: null}};
}

const scene = sceneOf([[100, 1, "a"], [200, 2, "a"], [100, 4, "b"],
	[400, 4, "a"], [null, 1, "a"]]);

test("samples have a place by their tokens and the time they took", () => {
	assert.deepEqual(plain(page.spreadOf(scene)).map(
		({row, tokens, time, rate}) => [row, tokens, time, rate]), [
		[0, 100, 1e6, 100], [1, 200, 2e6, 100], [2, 100, 4e6, 25],
		[3, 400, 4e6, 100]]);
});

test("what is in the box is shown, and what the filter allows", () => {
	const box = {tokens: [50, 250], time: [1.5e6, 5e6]};
	const shown = (test_) => scene.order.filter((r) =>
		page.spreadTest({...scene, state: {box}}, test_)(
			scene.model.rows[r], r));

	assert.deepEqual(shown(() => true), [1, 2]);
	assert.deepEqual(shown((row) => row.worker === "b"), [2]);
	const all = () => true;

	assert.equal(page.spreadTest(scene, all), all);
	assert.equal(page.spreadTest({...scene, stats: undefined,
		state: {box}}, all), all);
});

test("a box is written to the address and read back", () => {
	const box = {tokens: [50, 250.5], time: [1500000, 5000000]};

	assert.equal(page.writeBox(box), "50,250.5,1500000,5000000");
	assert.deepEqual(plain(page.readBox(page.writeBox(box))), box);
	for (const text of ["", "1,2,3", "2,1,0,0", "a,b,c,d"])
		assert.equal(page.readBox(text), undefined);
});

test("places and data go over into each other", () => {
	const scale = page.spreadScale(page.spreadOf(scene), 300, 200);

	for (const [tokens, time] of [[0, 0], [100, 1e6], [400, 4e6]]) {
		assert.ok(Math.abs(scale.tokensAt(scale.x(tokens)) -
			tokens) < 1e-6);
		assert.ok(Math.abs(scale.timeAt(scale.y(time)) - time) < 1e-3);
	}
	const near = page.pointAt(page.spreadOf(scene), scale,
		scale.x(200) + 2, scale.y(2e6) - 2);

	assert.equal(near.row, 1);
	assert.equal(page.pointAt(page.spreadOf(scene), scale, 0, 0), undefined);
});

test("every value is in a bar", () => {
	const {low, high, bars} = page.barsOf([1, 2, 2, 3, 11], 5);

	assert.deepEqual([low, high, [...bars]], [1, 11, [3, 1, 0, 0, 1]]);
	assert.deepEqual([...page.barsOf([4, 4], 3).bars], [2, 0, 0]);
});
