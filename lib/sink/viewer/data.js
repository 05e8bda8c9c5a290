/*
 * From the page's streams to typed arrays. lib/sink/timeline/html.c writes
 * them and says what they hold; times become microseconds since the earliest
 * moment of the dump. A page holds one dump or several, numbered from 0.
 */

/* What an item is; the spans are up to OPEN. */
const [CLOSED, OPEN, POINT, ORPHAN] = [0, 1, 2, 3];

/* In the order of enum column in html.c: those that drawing needs, then the
 * sizes of attributes. */
const COLUMNS = [
	"kind", "name", "lane", "start", "length", "parent", "parentId",
	"spanId", "attempt", "queue",
];
const SIZES = ["startAttrs", "endAttrs"];

/* What readModel takes, in this order. */
const MODEL_STREAMS = ["about", "items", "rows", "strings", "waits"];

const ROWS_READ = 256; /* between pauses */
const TEXT_PIECE = 1 << 18; /* bytes of JSON lines read between pauses */

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
	return finish(jsonLinesSteps(bytes));
}

function* jsonLinesSteps(bytes)
{
	const decoder = new TextDecoder();
	const values = [];

	for (let at = 0; at < bytes.length;) {
		const end = bytes.indexOf(10, at + TEXT_PIECE);
		const piece = bytes.subarray(at, end < 0 ? bytes.length : end);
		const text = decoder.decode(piece).trimEnd();

		for (const value of parseExactly(
			"[" + text.replaceAll("\n", ",") + "]"))
			values.push(value);
		at += piece.length + 1;
		yield;
	}
	return values;
}

/* The numbers of a stream, one after the other. Past 2^53 a number is rounded,
 * as only broken clocks need. */
class Varints {
	constructor(bytes)
	{
		this.bytes = bytes;
		this.at = 0;
	}

	next()
	{
		const {bytes} = this;
		let byte = bytes[this.at++];
		let value = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[this.at++];
			value += (byte & 127) * scale;
		}
		return value;
	}

	/* The next ones, into a part of an array. */
	fill(array, from, end)
	{
		const {bytes} = this;
		let {at} = this;

		for (let i = from; i < end; i++) {
			let byte = bytes[at++];
			let value = byte & 127;

			for (let scale = 128; byte > 127; scale *= 128) {
				byte = bytes[at++];
				value += (byte & 127) * scale;
			}
			array[i] = value;
		}
		this.at = at;
	}
}

function unzigzag(value)
{
	if (value < 2 ** 31)
		return value >> 1 ^ -(value & 1);
	return value % 2 ? -(value + 1) / 2 : value / 2;
}

/* The least array for numbers up to a largest one. */
function arrayFor(largest)
{
	return largest < 1 << 8 ? Uint8Array : largest < 1 << 16 ? Uint16Array :
		largest < 2 ** 32 ? Uint32Array : Float64Array;
}

/* The arrays of the columns by what each must hold: about.largest, and for
 * times about.wide. Without an about they hold anything. */
function emptyItems(count, {largest = [], wide = true} = {})
{
	const column = (name, most = 2 ** 32 - 1) => new (arrayFor(
		largest[COLUMNS.indexOf(name)] ?? most))(count);
	const Times = wide ? Float64Array : Uint32Array;
	const lanes = largest[COLUMNS.indexOf("lane")];

	return {
		Times,
		state: new Uint8Array(count),
		role: new Uint8Array(count), /* 1 prefill, 2 decode half */
		timeless: new Uint8Array(count),
		error: new Uint8Array(count), /* its attributes tell of one */
		request: new Uint8Array(count), /* it is a generation span */
		name: column("name"),
		lane: new (arrayFor((lanes + 1) * LANES_TRIED))(count),
		start: new Times(count),
		end: new Times(count),
		parent: new Int32Array(count), /* item, -1: none or unknown */
		parentId: column("parentId"), /* string + 1, 0: none */
		spanId: column("spanId"),
		attempt: column("attempt"),
		queue: column("queue", Infinity), /* µs of its start in a queue */
	};
}

/* The columns of the attributes' sizes: lengths, the end's follow. */
function emptySizes(count, {largest = []} = {})
{
	const [start, end] = SIZES.map((name, n) => new (arrayFor(
		largest[COLUMNS.length + n] ?? 2 ** 32 - 1))(count));

	return {attrsAt: new Uint32Array(count), startAttrs: start,
		endAttrs: end};
}

/* How a column's numbers, in `raw` from 0 on, become the row's items. */
const STORE = {
	kind({state, role, timeless, error, request}, {first, items}, raw) {
		for (let k = 0, i = first; k < items; k++, i++) {
			const kind = raw[k];

			state[i] = kind & 3;
			role[i] = kind >> 2 & 3;
			timeless[i] = kind >> 4 & 1;
			error[i] = kind >> 5 & 1;
			request[i] = kind >> 6 & 1;
		}
	},
	start({start}, {first, items}, raw, clock) {
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

/* The columns of which all numbers of a dump are 0: they are a byte each, and
 * need not be stored. */
function emptyColumns({largest = []})
{
	return new Set(COLUMNS.filter((column, n) =>
		!STORE[column] && largest[n] === 0));
}

/* The columns of a row. raw: an array of numbers with room for it; clock: when
 * it begins. */
function readColumns(items, row, numbers, {empty, raw, clock})
{
	const end = row.first + row.items;

	for (const column of COLUMNS) {
		if (empty.has(column)) {
			numbers.at += row.items;
		} else if (STORE[column]) {
			numbers.fill(raw, 0, row.items);
			STORE[column](items, row, raw, clock);
		} else {
			numbers.fill(items[column], row.first, end);
		}
	}
}

/* The span of time of a row's items; NaN when none has a time. */
function rowTimes({timeless, start: starts, end: ends}, row)
{
	const {first, items: many} = row;
	let [start, end] = [Infinity, -Infinity];

	for (let i = first; i < first + many; i++) {
		if (timeless[i])
			continue;
		if (starts[i] < start)
			start = starts[i];
		if (ends[i] > end)
			end = ends[i];
	}
	row.start = start > end ? NaN : start;
	row.end = start > end ? NaN : end;
}

function placeAttrs(items)
{
	const {attrsAt, startAttrs, endAttrs} = items;
	let at = 0;

	for (let i = 0; i < attrsAt.length; i++) {
		attrsAt[i] = at;
		at += startAttrs[i] + endAttrs[i];
	}
}

/* Slices: where the attributes of each item are. */
function* sizesSteps({about, items, rows}, bytes)
{
	const numbers = new Varints(bytes);

	Object.assign(items, emptySizes(about.items, about));
	for (let r = 0; r < rows.length; r++) {
		const {first, items: many} = rows[r];

		for (const column of SIZES)
			numbers.fill(items[column], first, first + many);
		if (r % ROWS_READ === 0)
			yield;
	}
	placeAttrs(items);
}

/* The model from the streams that drawing needs, as in MODEL_STREAMS. */
function readModel(...streams)
{
	return finish(modelSteps(...streams));
}

function* modelSteps(aboutBytes, itemBytes, rowBytes, stringBytes, waitBytes)
{
	const [about] = jsonLines(aboutBytes);
	const rows = yield* jsonLinesSteps(rowBytes);
	const items = emptyItems(about.items, about);
	const numbers = new Varints(itemBytes);
	const raw = new Float64Array(rows.reduce((most, row) =>
		Math.max(most, row.items), 0));
	const empty = emptyColumns(about);
	let clock = -about.start;
	let first = 0;

	for (let r = 0; r < rows.length; r++) {
		const row = rows[r];

		clock += unzigzag(numbers.next());
		row.first = first;
		readColumns(items, row, numbers, {empty, raw, clock});
		rowTimes(items, row);
		spreadLanes(items, row);
		first += row.items;
		if (r % ROWS_READ === 0)
			yield;
	}
	const strings = yield* jsonLinesSteps(stringBytes);

	knowNames(items, about);
	return {about, rows, items, strings,
		waits: yield* waitsSteps(waitBytes, rows, items.Times)};
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
		said.push(`the ${formatCount(top)} that end last`);
	if (filter)
		said.push(`those with ${visible(filter)}`);
	if (cut)
		said.push(cut === "first" ? `cut to the first ` +
			formatCount(rows) : `cut to the ${formatCount(rows)} ` +
			"that end last");
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

async function openAbout(dump)
{
	return jsonLines(await openStream(dump, "about"))[0];
}

async function openModel(dump)
{
	const streams = await Promise.all(MODEL_STREAMS.map(
		(name) => openStream(dump, name)));
	const time = document.documentElement.dataset.ready ? SLICE_TIME :
		FIRST_SLICE_TIME;
	const model = await inSlices(modelSteps(...streams), undefined, time);

	return inSlices(clockSteps(model), undefined, time);
}

/* The texts of attributes, of which the model learns where each is. */
async function openAttrs(dump, model)
{
	const [sizes, attrs] = await Promise.all(["sizes", "attrs"].map(
		(name) => openStream(dump, name)));

	if (!model.items.attrsAt)
		await inSlices(sizesSteps(model, sizes));
	return attrs;
}

/* What is shown beside the rows, see engines.js; [] where there is nothing.
 * shift: see clockSteps. */
async function openBeside(dump, shift)
{
	const id = `data-${dump}-beside`;

	await documentRead();
	const beside = packedStreams.has(id) || document.getElementById(id) ?
		await inSlices(jsonLinesSteps(await openStream(dump,
			"beside"))) : [];

	return shift > 0 ? shiftBeside(beside, shift) : beside;
}
