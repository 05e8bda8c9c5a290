/*
 * What a person has chosen: one plain object, a view of which every control
 * is. It is written to the URL's hash and read from there, so that a link or
 * a reload restores it; only what differs from the default is written.
 *
 *	dump      which of the page's dumps is shown
 *	window    {start, end} in µs, null: all of the time
 *	far       whether the time of samples far from all others is shown
 *	top       the first line in view
 *	sort      what rows are sorted by (order.js), down: the largest first
 *	by        what the rows are of: "" samples, else see rows_by.js
 *	group     rows of one sample group stand together
 *	filter    text, see filter.js
 *	attempts  of an earlier attempt, items are shown: "all"; not: "filter";
 *	          faded: "highlight"
 *	points, open, orphans   whether such items are shown
 *	selected  {row, item}, -1 for none
 *	expanded  a byte a row
 *	hidden    a Set of names, numbers into strings, and of waits: an
 *	          activity of stats.js with a minus sign
 *	theme     "system", "light" or "dark"
 *	tab       which tab of the panel is shown
 *	remedy    the remedy whose effect is shaded in the rows, "" for none
 *	measured  {start, end}, null: no range is measured
 *	cursor    the moment that is pinned, null: none
 *	charts    whether the charts are shown
 *	box       {tokens, time}: the samples that were brushed, see spread.js;
 *	          null: all
 *	flame     the path of names that the aggregate is zoomed to, see flame.js
 *	notes     see notes.js
 *	compared  [n, m]: the dumps that are compared, null: none
 *	dock      where the panel is: "right" or "bottom"; panel: whether it is
 *	side      its size in px, 0: the usual one
 */

function defaultState(model)
{
	return {
		dump: 0, window: null, far: false, top: 0, sort: "end", down: true,
		by: "", group: false,
		filter: "", attempts: "all", points: true, open: true,
		orphans: true, selected: {row: -1, item: -1},
		expanded: new Uint8Array(model.rows.length),
		hidden: new Set(), theme: "system", tab: "stragglers", remedy: "",
		measured: null, cursor: null, charts: true, box: null, flame: [],
		notes: [], compared: null,
		dock: "right", panel: true, side: 0,
	};
}

/* A range as text with all of its digits: µs are what the dump has. */
function writeRange(range)
{
	return range && `${Number(range.start.toFixed(3))},` +
		`${Number(range.end.toFixed(3))}`;
}

function readNumbers(text, count)
{
	const numbers = text.split(",").map(Number);

	return numbers.length === count && numbers.every(Number.isFinite) ?
		numbers : undefined;
}

function readRange(text)
{
	const [start, end] = readNumbers(text, 2) || [0, 0];

	return start < end ? {start, end} : undefined;
}

function oneOf(...choices)
{
	return (text) => choices.includes(text) ? text : undefined;
}

/* The numbers of the rows that are expanded. */
function writeExpanded(expanded)
{
	if (expanded.length > 0 && !expanded.includes(0))
		return "all";
	return [...expanded.keys()].filter((r) => expanded[r]).join(",");
}

function readExpanded(text, model)
{
	const expanded = new Uint8Array(model.rows.length);

	if (text === "all")
		return expanded.fill(1);
	for (const r of text.split(",").map(Number)) {
		if (r in expanded)
			expanded[r] = 1;
	}
	return expanded;
}

/* An item is told by its place in its row. */
function writeSelected({row, item}, model)
{
	if (row < 0)
		return "";
	return item < 0 ? String(row) :
		`${row},${item - model.rows[row].first}`;
}

function readSelected(text, model)
{
	const [r, i] = text.split(",").map(Number);
	const row = model.rows[r];

	if (!row)
		return undefined;
	return {row: r, item: i >= 0 && i < row.items ? row.first + i : -1};
}

/* A name as text, a wait as text in a list: a span may have its name. */
function hiddenText(model, name)
{
	return name < 0 ? [ACTIVITY_NAMES[-name]] : model.strings[name];
}

function writeHidden(hidden, model)
{
	return hidden.size ? JSON.stringify([...hidden].map(
		(name) => hiddenText(model, name))) : "";
}

function readHidden(text, model)
{
	const wanted = JSON.parse(text).map((one) => JSON.stringify(one));

	return new Set([...spanNames(model.items), -CLIENT_QUEUE, -GROUP_WAIT]
		.filter((name) => wanted.includes(
			JSON.stringify(hiddenText(model, name)))));
}

const flag = {
	write: (value) => value ? "1" : "0",
	read: (text) => text === "1",
};
const word = {write: (value) => value, read: (text) => text};
const range = {write: writeRange, read: readRange};
const number = {
	write: String,
	read: (text) => readNumbers(text, 1)?.[0],
};

/* How each field is written; read gives undefined for what makes no sense. */
const FIELDS = {
	dump: number,
	window: range,
	far: flag,
	top: number,
	sort: {
		write: word.write,
		read: (text) => text.startsWith("attr:") ||
			Object.hasOwn(SORTS, text) ? text : undefined,
	},
	down: flag,
	by: {write: word.write, read: readBy},
	group: flag,
	filter: word,
	attempts: {write: word.write, read: oneOf("all", "filter",
		"highlight")},
	points: flag,
	open: flag,
	orphans: flag,
	selected: {write: writeSelected, read: readSelected},
	expanded: {write: writeExpanded, read: readExpanded},
	hidden: {write: writeHidden, read: readHidden},
	theme: {write: word.write, read: oneOf("system", "light", "dark")},
	tab: {
		write: word.write,
		read: (text) => Object.hasOwn(TABS, text) ? text : undefined,
	},
	remedy: word,
	measured: range,
	cursor: {
		write: (value) => value === null ? "" :
			String(Number(value.toFixed(3))),
		read: number.read,
	},
	charts: flag,
	box: {write: writeBox, read: readBox},
	flame: {write: writeFlame, read: readFlame},
	notes: {write: writeNotes, read: readNotes},
	compared: {
		write: (value) => value ? value.join(",") : "",
		read: (text) => readNumbers(text, 2)?.map(Math.trunc),
	},
	dock: {write: word.write, read: oneOf("right", "bottom")},
	panel: flag,
	side: number,
};

/* The state as a hash without "#"; "" for the default. */
function writeHash(state, model)
{
	const usual = defaultState(model);
	const parts = new URLSearchParams();

	for (const [key, {write}] of Object.entries(FIELDS)) {
		const text = write(state[key], model);

		if (text !== write(usual[key], model))
			parts.set(key, text);
	}
	return parts.toString();
}

/* The state that a hash tells. Hashes come from anywhere: what makes no sense
 * is left at its default. */
function readHash(text, model)
{
	const state = defaultState(model);
	const parts = new URLSearchParams(text.replace(/^#/, ""));

	for (const [key, {read}] of Object.entries(FIELDS)) {
		if (!parts.has(key))
			continue;
		try {
			state[key] = read(parts.get(key), model) ?? state[key];
		} catch {
			continue; /* not JSON */
		}
	}
	return state;
}
