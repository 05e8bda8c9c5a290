// The language of the viewer's search box, under node alone.
// Usage: node filter.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page} from "./model.mjs";

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
	const cases = [["colour:red", 0, /“colour” is not a key/],
		["math dur>abc", 5, /“abc” is not a duration/],
		["tokens>many", 0, /“many” is not a number \(character 1\)/],
		["status<3", 0, /status is text/], [">5", 0, /needs a key/],
		["a \"b", 2, /quote has no end/], ["status:", 0, /needs a value/],
		["attr.:3", 0, /needs a key/], ["-dur>1y", 0, /not a duration/],
		["constructor:1", 0, /not a key/]];

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
