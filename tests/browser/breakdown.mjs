// The viewer's statistics of a page, against what obs-perfsum says of the
// same dump: one set of definitions, two programs.
// Usage: node breakdown.mjs PAGE PERFSUM_JSON
import assert from "node:assert/strict";
import fs from "node:fs";
import vm from "node:vm";
import zlib from "node:zlib";

const MOST = 100;
const folder = new URL("../../lib/sink/viewer/", import.meta.url);
const sources = fs.readdirSync(folder)
	.filter((name) => name.endsWith(".js")).sort()
	.map((name) => fs.readFileSync(new URL(name, folder), "utf8"));
const page = vm.createContext({TextDecoder});

vm.runInContext(sources.join(""), page);

const html = fs.readFileSync(process.argv[2], "utf8");
const want = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));

function stream(name)
{
	const text = html.match(
		new RegExp(`id="data-0-${name}">([^<]*)</script>`))[1];

	return new Uint8Array(zlib.gunzipSync(Buffer.from(text, "base64")));
}

page.streams = ["about", "items", "rows", "strings", "waits"].map(stream);
page.most = MOST;
const have = JSON.parse(JSON.stringify(vm.runInContext(`
	(() => {
		const model = readModel(...streams);
		const stats = prepareStats(model);
		const flame = finish(flameTree(stats, timedRows(model),
			ALWAYS));

		const path = finish(criticalPath(stats));

		return {path, ...breakdown(stats, timedRows(model), ALWAYS, most),
			flame: flameNodes(flame).map(({name, parent, ...node}) =>
				({...node, children: 0, name: parent &&
					model.strings[name]}))};
	})()`, page)));

function close(us, seconds, what)
{
	same(us === null || us === undefined ? null : us / 1e6, seconds, what);
}

function same(a, b, what)
{
	if (a === null || b === null) {
		assert.equal(a, b, what);
		return;
	}
	assert.ok(Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b)),
		`${what}: the viewer has ${a}, obs-perfsum ${b}`);
}

// The viewer's word for an activity.
function wordOf(text)
{
	return text.replace(/\btransfer$/, "KV transfer").replace("_", " ");
}

const {breakdown: b} = want;

assert.equal(have.samples, b.samples);
assert.equal(have.peak, b.peak);
close(have.wall, b.wall, "wall");
close(have.time, b.sample_time, "sample time");
close(have.own, b.own_time, "own time");
close(have.tail, b.tail, "tail");
same(have.utilisation, b.utilisation, "utilisation");
same(have.bubble, b.bubble, "bubble");
for (const wait of ["group", "client", "reward"])
	close(have.waiting[wait], b.waiting[wait], `waiting: ${wait}`);
assert.equal(Object.keys(have.activities).length,
	Object.keys(b.activities).length);
for (const [activity, seconds] of Object.entries(b.activities))
	close(have.activities[wordOf(activity)], seconds, activity);

const names = new Map(have.names.map((name) => [name.name, name]));

assert.equal(names.size, b.spans.length);
for (const span of b.spans) {
	const name = names.get(span.name);

	assert.ok(name, span.name);
	assert.equal(name.count, span.count, span.name);
	for (const key of ["total", "self", "p50", "p95", "max"])
		close(name[key], span[key], `${key} of ${span.name}`);
	same(name.share, span.share, `share of ${span.name}`);
	same(name.concurrency, span.concurrency,
		`concurrency of ${span.name}`);
}

// The paths of the aggregate, added up by name, are the names.
const [whole, ...paths] = have.flame;

close(whole.total, b.sample_time, "time of the aggregate");
for (const span of b.spans) {
	const some = paths.filter(({name}) => name === span.name);
	const sum = (key) => some.reduce((all, node) => all + node[key], 0);

	assert.equal(sum("count"), span.count, `paths of ${span.name}`);
	for (const key of ["total", "self"])
		close(sum(key), span[key], `${key} of paths of ${span.name}`);
}

// The parts of the critical path follow one another for all of the wall time.
assert.ok(have.path.every(({from, to}, k) => from < to &&
	(k === 0 || from === have.path[k - 1].to)));
close(have.path.reduce((sum, {from, to}) => sum + to - from, 0), b.wall,
	"critical path");

if (b.last) {
	same(have.last.share, b.last.share, "share of the last");
	close(have.last.seconds, b.last.seconds, "seconds of the last");
	assert.equal(have.last.row, b.last.row);
	assert.deepEqual(have.last.index, b.last.sample);
	assert.equal(have.last.held?.name ?? null, b.last.name);
	close(have.last.held?.time ?? 0, b.last.time, "time of the last");
}

close(have.medians.duration, want.medians.duration, "median duration");
same(have.medians.tokens, want.medians.tokens, "median of tokens");
same(have.medians.rate, want.medians.decode_rate, "median rate");

assert.equal(have.stragglers.length, want.stragglers.length);
have.stragglers.forEach((one, i) => {
	const other = want.stragglers[i];

	for (const key of ["row", "group", "last", "longest", "worker", "open",
		"victims"])
		assert.deepEqual(one[key], other[key], `${key} of ${one.row}`);
	assert.equal(one.cause, wordOf(other.cause), `cause of ${one.row}`);
	assert.deepEqual(one.index, other.sample);
	assert.equal(one.held?.name ?? null, other.span);
	close(one.held?.time ?? 0, other.span_time, "time of its span");
	assert.equal(one.activity, wordOf(other.activity));
	close(one.time, other.activity_time, "time of its activity");
	close(one.start, other.start, "own start");
	close(one.end, other.end, "own end");
	close(one.duration, other.duration, "own work");
	close(one.clientQueue, other.client_queue, "client queue");
	close(one.groupWait, other.waited, "group wait");
	close(one.kept, other.group_wait, "how long its group waited");
	same(one.tokens, other.tokens, "tokens");
	same(one.rate, other.decode_rate, "decode rate");
});
