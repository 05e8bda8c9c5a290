// The viewer's functions under node alone, without a browser, and models to
// try them on.
import fs from "node:fs";
import vm from "node:vm";

const folder = new URL("../../lib/sink/viewer/", import.meta.url);
const sources = fs.readdirSync(folder)
	.filter((name) => name.endsWith(".js")).sort()
	.map((name) => fs.readFileSync(new URL(name, folder), "utf8"));
export const page = vm.createContext({TextDecoder, URLSearchParams,
	performance, setTimeout});

vm.runInContext(sources.join(""), page);

// A value from the page's realm as one of ours, to be compared.
export function plain(value)
{
	return JSON.parse(JSON.stringify(value));
}

// JSON as the page has it.
function ascii(value)
{
	return JSON.stringify(value).replace(/[\x7f-\uffff]/g, (c) =>
		"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// The waits of rows that waited for nothing: each worked from the start of its
// first span to the end of its last one.
function workedThroughout(items, rows)
{
	const own = rows.map((row) => {
		let [start, end] = [Infinity, -Infinity];

		for (let i = row.first; i < row.first + row.items; i++) {
			if (!page.counts(items, i))
				continue;
			start = Math.min(start, items.start[i]);
			end = Math.max(end, items.end[i]);
		}
		const phase = (from, to, working) =>
			({from, to, wait: -1, working});
		const phases = [phase(row.start, start, false),
			phase(start, end, true), phase(end, row.end, false)];

		return {start, end, duration: Math.max(0, end - start),
			earlier: 0, groupWait: 0, clientQueue: 0, open: false,
			phases: phases.filter(({from, to}) => from < to)};
	});

	return {rows: own, heldUp: new Map(), heldBy: new Map()};
}

// A model of rows, each {spans: [[name, lane, start, end, state, role, parent,
// attempt]], ...} with what else is said of a row; parent counts in the row, -1
// is none; attrs of an item as {start, end}.
export function modelOfRows(rows, attrs = [])
{
	const spans = rows.flatMap((row) => row.spans);
	const texts = ([name, , , , , , , attempt]) =>
		attempt === undefined ? [name] : [name, String(attempt)];
	const names = [...new Set(spans.flatMap(texts))];
	let first = 0;

	page.count = spans.length;
	const items = vm.runInContext(
		"({...emptyItems(count), ...emptySizes(count)})", page);

	items.parent.fill(-1);
	spans.forEach(([name, lane, start, end, state, role, , attempt], i) => {
		items.name[i] = names.indexOf(name);
		items.lane[i] = lane;
		items.start[i] = start;
		items.end[i] = end;
		items.state[i] = state || 0;
		items.role[i] = role || 0;
		items.attempt[i] = Math.max(0, names.indexOf(String(attempt)));
	});
	const attributes = spans.map((span, i) => ["start", "end"].map((side) =>
		attrs[i]?.[side] ? ascii(attrs[i][side]) : ""));

	attributes.forEach(([start, end], i) => {
		items.startAttrs[i] = start.length;
		items.endAttrs[i] = end.length;
		items.error[i] = /"(error|exception)/.test(start + end) ? 1 : 0;
	});
	page.placeAttrs(items);
	const made = rows.map(({spans: own, ...said}, r) => {
		const row = {row: r, index: r, group: null, source: null,
			status: null, label: null, reward: null, tokens: 0,
			...said, first, items: own.length,
			lanes: Math.max(...own.map(([, lane]) => lane)) + 1};

		page.rowTimes(items, row);
		own.forEach(([, , , , , , parent = -1], i) => {
			items.parent[first + i] = parent < 0 ? -1 :
				first + parent;
		});
		first += own.length;
		return row;
	});

	return {
		waits: workedThroughout(items, made),
		about: {start: 0, end: Math.max(...made.map((row) => row.end))},
		items, strings: names, rows: made,
		bytes: new TextEncoder().encode(attributes.flat().join("")),
	};
}

export function modelOf(...spans)
{
	return modelOfRows([{spans}]);
}
