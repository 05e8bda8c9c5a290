// The aggregate, under node alone.
// Usage: node flame.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

const ALWAYS = {start: -Infinity, end: Infinity};

function treeOf(model, range = ALWAYS, hidden = new Set(), rows = undefined)
{
	const stats = page.finish(page.statsSteps(model));

	return page.finish(page.flameTree(stats,
		rows || page.timedRows(model), range, hidden));
}

// {path: [total, self, wide, count]} of all nodes but the whole
function said(model, root)
{
	return Object.fromEntries(page.flameNodes(root).slice(1).map((node) =>
		[[...page.flamePath(node)].map(({name}) =>
			model.strings[name]).join("/"),
		[node.total, node.self, node.wide, node.count]]));
}

// Two samples: a run of 100 with two requests, of which one queued, and a run
// of 50 whose tools overlap.
const model = modelOfRows([
	{spans: [["run", 0, 0, 100], ["ask", 1, 10, 40, 0, 0, 0],
		["queue", 2, 10, 15, 0, 0, 1], ["ask", 1, 50, 70, 0, 0, 0]]},
	{spans: [["run", 0, 0, 50], ["tool", 1, 0, 30, 0, 0, 0],
		["tool", 1, 20, 40, 0, 0, 0]]},
]);

test("spans of one path are one, their time is counted once", () => {
	assert.deepEqual(said(model, treeOf(model)), {
		"run": [150, 60, 150, 2],
		"run/ask": [50, 45, 50, 2],
		"run/ask/queue": [5, 5, 5, 1],
		"run/tool": [50, 40, 40, 2],
	});
	const root = treeOf(model);

	assert.deepEqual([root.total, root.wide, root.count], [150, 150, 2]);
});

test("a range cuts all of it, a filter leaves its samples", () => {
	assert.deepEqual(said(model, treeOf(model, {start: 30, end: 60})), {
		"run": [50, 20, 50, 2],
		"run/ask": [20, 20, 20, 2],
		"run/ask/queue": [0, 0, 0, 0],
		"run/tool": [10, 10, 10, 1],
	});
	assert.deepEqual(said(model, treeOf(model, ALWAYS, new Set(),
		Uint32Array.of(1))), {
		"run": [50, 10, 50, 1], "run/tool": [50, 40, 40, 2]});
});

test("what is inside of a hidden name hangs from what is around it", () => {
	const hidden = new Set([model.strings.indexOf("ask")]);

	assert.deepEqual(said(model, treeOf(model, ALWAYS, hidden)), {
		"run": [150, 60, 105, 2],
		"run/queue": [5, 5, 5, 1],
		"run/tool": [50, 40, 40, 2],
	});
});

test("parents in a circle end", () => {
	const odd = modelOfRows([{spans: [["a", 0, 0, 10, 0, 0, 1],
		["b", 1, 2, 8, 0, 0, 0], ["c", 0, 3, 4, 0, 0, 2]]}]);

	assert.equal(Object.values(said(odd, treeOf(odd))).reduce(
		(sum, [, self]) => sum + self, 0), 10);
});

test("blocks fill what is around them, and no more", () => {
	const root = treeOf(model);
	const ask = page.flameAt(root, model.strings, ["run", "ask"]);
	const of = (zoomed) => plain([...page.flameBlocks(root, zoomed)].map(
		({node, left, width, level}) => [node.name < 0 ? "" :
			model.strings[node.name], left * 150, width * 150,
		level]));

	assert.deepEqual(of(root), [["", 0, 150, 0], ["run", 0, 150, 1],
		["ask", 0, 50, 2], ["tool", 50, 40, 2], ["queue", 0, 5, 3]]
		.map(([name, left, width, level]) => [name, left, width, level]));
	assert.deepEqual(of(ask).map(([name, left, width, level]) =>
		[name, left, Math.round(width), level]), [["", 0, 150, 0],
		["run", 0, 150, 1], ["ask", 0, 150, 2], ["queue", 0, 15, 3]]);
});

test("a path is written to the address and read back", () => {
	const root = treeOf(model);

	assert.equal(page.writeFlame(["run", "a/b"]), '["run","a/b"]');
	assert.deepEqual(plain(page.readFlame('["run","a/b"]')), ["run", "a/b"]);
	assert.equal(page.readFlame('[1]'), undefined);
	assert.equal(page.writeFlame([]), "");
	// What is not there any more is left out.
	assert.equal(page.flameAt(root, model.strings, ["run", "gone"]).name,
		model.strings.indexOf("run"));
	assert.equal(page.flameAt(root, model.strings, ["gone"]), root);
});
