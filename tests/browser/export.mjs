// What the page exports, under node alone.
// Usage: node export.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {modelOfRows, page, plain} from "./model.mjs";

const model = modelOfRows([
	{spans: [["decode", 0, 0, 2e6], ["=cmd", 0, 2e6, 3e6, 1]], answer: 100,
		source: "a,\"b\"", group: 4, reward: 0.5, worker: "w"},
	{spans: [["decode", 0, 1e6, 2e6]], label: "@x\ny"},
]);

model.about = {start: 1766101000000000, end: 1766101003000000,
	path: "/data/my dump's.pt", name: "my dump's.pt"};
const scene = {model, stats: page.finish(page.statsSteps(model)),
	order: [0, 1], state: {measured: null, filter: ""}};

test("a sample has its fields, times in Unix seconds", () => {
	const one = plain(page.exportedSample(scene, 0));

	assert.deepEqual([one.start, one.end, one.duration, one.tokens,
		one.tokens_per_second, one.worker], [1766101000, 1766101003, 3,
		100, 50, "w"]);
	assert.equal(plain(page.exportedSample(scene, 1))
		.tokens_per_second, null);
});

test("spans are those in the range", () => {
	const names = (measured) => plain(page.exportedSpans({...scene,
		state: {measured}}, 0)).map(({name, open}) => [name, open]);

	assert.deepEqual(names(null), [["decode", false], ["=cmd", true]]);
	assert.deepEqual(names({start: 2.5e6, end: 3e6}), [["=cmd", true]]);
});

test("CSV is quoted, and no text is a formula", () => {
	assert.deepEqual(["a", "a,b", "say \"x\"", "=1+1", "-1", -1, true, null,
		"@x\ny"].map((value) => page.csvCell(value)), ["a", "\"a,b\"",
		"\"say \"\"x\"\"\"", "'=1+1", "'-1", "-1", "true", "",
		"\"'@x\ny\""]);
	const text = page.csvOf(["name", "open"],
		page.exportedSpans(scene, 0));

	assert.equal(text, "name,open\r\ndecode,false\r\n'=cmd,true\r\n");
});

test("JSON reads back", () => {
	const samples = [0, 1].map((r) => page.exportedSample(scene, r));

	assert.deepEqual(JSON.parse(page.jsonOf(samples)), plain(samples));
});

function commandOf(state, about = {}, order = [0, 1])
{
	return page.finish(page.commandSteps({...scene, order,
		model: {...model, about: {...model.about, path: "d.pt",
			...about}},
		state: {...scene.state, ...state}}));
}

test("a box is said where its tokens alone leave what is shown", () => {
	const box = {tokens: [99.5, 100.2], time: [0, 9e9]};

	assert.equal(commandOf({box}, {}, [0]), "trace-timeline --format " +
		"summary --sample 'tokens>=100 tokens<=100' d.pt");
	assert.equal(commandOf({box}, {}, []), undefined);
	assert.equal(commandOf({box, filter: "group:4"}, {}, [0]),
		"trace-timeline --format summary --sample " +
		"'group:4 tokens>=100 tokens<=100' d.pt");
});

test("what --sample cannot say has no command", () => {
	for (const filter of ["word", "error:x", "attr.a:b",
		"dur>3s word"])
		assert.equal(commandOf({filter}), undefined, filter);
	assert.match(commandOf({filter: "reward.a>1 -name:x"}), /reward\.a/);
	assert.match(commandOf({filter: "worker:w"}), /--sample worker:w/);
});

test("the command has what the page was made of", () => {
	assert.equal(commandOf({filter: "dur>1s"}, {filter: "group:4"}),
		"trace-timeline --format summary --sample 'group:4 dur>1s' d.pt");
	assert.equal(commandOf({}, {top: 9, filter: "group:4"}),
		"trace-timeline --format summary --top 9 --sample group:4 d.pt");
	assert.equal(commandOf({filter: "dur>1s"}, {top: 9}), undefined);
	assert.equal(commandOf({}, {cut: "latest"}), undefined);
	assert.equal(commandOf({}, {part: 2}), undefined);
	assert.equal(commandOf({}, {path: "-x.pt"}),
		"obs-perfsum --breakdown --stragglers 5 ./-x.pt");
});

test("the command names the dump and the filter, for a shell", () => {
	const path = {path: model.about.path};

	assert.equal(commandOf({}, path),
		"obs-perfsum --breakdown --stragglers 5 " +
		"'/data/my dump'\\''s.pt'");
	assert.equal(commandOf({filter: "dur>3s source:math"}, path),
	"trace-timeline --format summary --sample 'dur>3s source:math' " +
		"'/data/my dump'\\''s.pt'");
});
