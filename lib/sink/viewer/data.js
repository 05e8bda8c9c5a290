/*
 * From the page's compressed streams to typed arrays. lib/sink/timeline/html.c writes
 * them and says what they hold; times become microseconds since the earliest
 * moment of the dump. A page holds one dump or several, numbered from 0.
 */

/* What an item is; the spans are up to OPEN. */
const [CLOSED, OPEN, POINT, ORPHAN] = [0, 1, 2, 3];

/* In the order of enum column in html.c. */
const COLUMNS = [
	"kind", "name", "lane", "start", "length", "parent", "parentId",
	"spanId", "attempt", "queue", "startAttrs", "endAttrs",
];

/* What readModel takes, in this order. */
const MODEL_STREAMS = ["about", "items", "rows", "strings", "waits"];

const BASE64_PIECE = 1 << 22; /* letters decoded between pauses */

async function bytesOfBase64(text)
{
	const pieces = [];

	for (let at = 0; at < text.length; at += BASE64_PIECE) {
		if (at > 0)
			await pause();
		pieces.push(decodeBase64(text.slice(at, at + BASE64_PIECE)));
	}
	return new Blob(pieces);
}

function decodeBase64(text)
{
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* blob: the compressed bytes */
async function inflate(blob)
{
	const stream = blob.stream()
		.pipeThrough(new DecompressionStream("gzip"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* A number with all its digits, where a double would lose some. */
class Digits {
	constructor(text)
	{
		this.text = text;
	}

	toString()
	{
		return this.text;
	}

	toJSON()
	{
		return this.text;
	}
}

/* JSON in which integers past 2^53 stand as {"$int": digits}. */
function parseExactly(text)
{
	if (!text.includes("\"$int\""))
		return JSON.parse(text);
	return JSON.parse(text, (key, value) =>
		value && typeof value.$int === "string" &&
		Object.keys(value).length === 1 &&
		/^-?\d+$/.test(value.$int) ? new Digits(value.$int) : value);
}

/* The values of JSON lines, as an array. */
function jsonLines(bytes)
{
	const text = new TextDecoder().decode(bytes).trimEnd();

	return parseExactly("[" + text.replaceAll("\n", ",") + "]");
}

/* A function that gives the next varint of bytes at each call, and fills a part
 * of an array with the next ones. Past 2^53 a number is rounded, as only broken
 * clocks need. */
function varints(bytes)
{
	let at = 0;
	const next = () => {
		let byte = bytes[at++];
		let value = byte & 127;
		let scale = 128;

		while (byte > 127) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
			scale *= 128;
		}
		return value;
	};

	next.fill = (array, from, end) => {
		for (let i = from; i < end; i++) {
			if (bytes[at] < 128)
				array[i] = bytes[at++];
			else
				array[i] = next();
		}
	};
	return next;
}

function unzigzag(value)
{
	return value % 2 ? -(value + 1) / 2 : value / 2;
}

function emptyItems(count)
{
	return {
		state: new Uint8Array(count),
		role: new Uint8Array(count), /* 1 prefill, 2 decode half */
		timeless: new Uint8Array(count),
		error: new Uint8Array(count), /* its attributes tell of one */
		request: new Uint8Array(count), /* it is a generation span */
		name: new Uint32Array(count),
		lane: new Uint32Array(count),
		start: new Float64Array(count),
		end: new Float64Array(count),
		parent: new Int32Array(count), /* item, -1: none or unknown */
		parentId: new Uint32Array(count), /* string + 1, 0: none */
		spanId: new Uint32Array(count),
		attempt: new Uint32Array(count),
		queue: new Float64Array(count), /* µs of its start in a queue */
		attrsAt: new Uint32Array(count),
		startAttrs: new Uint32Array(count), /* lengths, end's follow */
		endAttrs: new Uint32Array(count),
	};
}

/* How a column's numbers, in `raw` from 0 on, become the row's items. */
const STORE = {
	kind({state, role, timeless, error, request}, {first, items}, raw) {
		for (let k = 0, i = first; k < items; k++, i++) {
			state[i] = raw[k] & 3;
			role[i] = raw[k] >> 2 & 3;
			timeless[i] = raw[k] >> 4 & 1;
			error[i] = raw[k] >> 5 & 1;
			request[i] = raw[k] >> 6 & 1;
		}
	},
	start({start}, {first, items, clock}, raw) {
		let at = clock;

		for (let k = 0; k < items; k++) {
			at += unzigzag(raw[k]);
			start[first + k] = at;
		}
	},
	length({start, end}, {first, items}, raw) {
		for (let k = 0, i = first; k < items; k++, i++)
			end[i] = start[i] + unzigzag(raw[k]);
	},
	parent({parent}, {first, items}, raw) {
		for (let k = 0; k < items; k++)
			parent[first + k] = raw[k] ? first + raw[k] - 1 : -1;
	},
};

/* raw: an array of numbers with room for a row. */
function readColumn(items, column, row, next, raw)
{
	const store = STORE[column];

	if (!store) {
		next.fill(items[column], row.first, row.first + row.items);
		return;
	}
	next.fill(raw, 0, row.items);
	store(items, row, raw);
}

/* The span of time of a row's items; NaN when none has a time. */
function rowTimes(items, row)
{
	row.start = Infinity;
	row.end = -Infinity;
	for (let i = row.first; i < row.first + row.items; i++) {
		if (items.timeless[i])
			continue;
		row.start = Math.min(row.start, items.start[i]);
		row.end = Math.max(row.end, items.end[i]);
	}
	if (row.start > row.end)
		row.start = row.end = NaN;
}

function placeAttrs(items)
{
	let at = 0;

	for (let i = 0; i < items.attrsAt.length; i++) {
		items.attrsAt[i] = at;
		at += items.startAttrs[i] + items.endAttrs[i];
	}
}

/* The model from the streams that drawing needs, as in MODEL_STREAMS. */
function readModel(aboutBytes, itemBytes, rowBytes, stringBytes, waitBytes)
{
	const [about] = jsonLines(aboutBytes);
	const rows = jsonLines(rowBytes);
	const items = emptyItems(about.items);
	const next = varints(itemBytes);
	const raw = new Float64Array(rows.reduce((most, row) =>
		Math.max(most, row.items), 0));
	let base = -about.start;
	let first = 0;

	for (const row of rows) {
		base += unzigzag(next());
		row.first = first;
		row.clock = base;
		for (const column of COLUMNS)
			readColumn(items, column, row, next, raw);
		delete row.clock;
		rowTimes(items, row);
		spreadLanes(items, row);
		first += row.items;
	}
	placeAttrs(items);
	return {about, rows, items, strings: jsonLines(stringBytes),
		waits: readWaits(waitBytes, rows)};
}

/* The row that item i belongs to. */
function rowOfItem(model, i)
{
	let low = 0;
	let high = model.rows.length - 1;

	while (low < high) {
		const middle = low + high + 1 >> 1;

		if (model.rows[middle].first <= i)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The items of a row that have no time: they cannot be drawn. */
function timelessOf({items}, row)
{
	const found = [];

	for (let i = row.first; i < row.first + row.items; i++) {
		if (items.timeless[i])
			found.push(i);
	}
	return found;
}

/* {start, end}: the attributes of item i, {} where it has none. */
function readAttrs(items, attrBytes, i)
{
	const at = items.attrsAt[i];
	const middle = at + items.startAttrs[i];
	const end = middle + items.endAttrs[i];
	const parse = (from, to) => from === to ? {} :
		parseExactly(new TextDecoder().decode(
			attrBytes.subarray(from, to)));

	return {start: parse(at, middle), end: parse(middle, end)};
}

/* What a page leaves out of a dump, or "". */
function leftOut({rows, of, filter, top, cut, part, more})
{
	const said = [];

	if (part)
		said.push(`part ${part}${more ? ", more follow" : ", the last"}`);
	if (top)
		said.push(`the ${formatCount(top)} longest`);
	if (filter)
		said.push(`those with ${visible(filter)}`);
	if (cut)
		said.push(`cut to the ${cut} ${formatCount(rows)}`);
	if (of > rows && !part)
		said.unshift(`of ${formatCount(of)}`);
	return said.join(", ");
}

/* What to call a dump in a list of several. */
function dumpName({name, rollout})
{
	return rollout === null || rollout === undefined ? visible(name) :
		`${visible(name)} · rollout ${formatValue(rollout)}`;
}

function dumpCount()
{
	return document.querySelectorAll("[id^=data-][id$=-about]").length;
}

/* The compressed bytes by the streams' ids: taken out of the page, where
 * they would take more memory as text. */
const packedStreams = new Map();

async function openStream(dump, name)
{
	const id = `data-${dump}-${name}`;

	if (!packedStreams.has(id)) {
		const holder = document.getElementById(id);

		packedStreams.set(id, bytesOfBase64(holder.textContent));
		holder.textContent = "";
	}
	return inflate(await packedStreams.get(id));
}

async function openAbout(dump)
{
	return jsonLines(await openStream(dump, "about"))[0];
}

async function openModel(dump)
{
	return startClock(readModel(...await Promise.all(
		MODEL_STREAMS.map((name) => openStream(dump, name)))));
}

function openAttrs(dump)
{
	return openStream(dump, "attrs");
}

/* What is shown beside the rows, see engines.js; [] where there is nothing.
 * shift: see startClock. */
async function openBeside(dump, shift)
{
	const id = `data-${dump}-beside`;
	const beside = packedStreams.has(id) || document.getElementById(id) ?
		jsonLines(await openStream(dump, "beside")) : [];

	return shift > 0 ? shiftBeside(beside, shift) : beside;
}
