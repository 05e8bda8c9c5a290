/*
 * Tables of the panel: sortable by their heads, a line a record where there is
 * room, else the record's head above its cells.
 */

/* Records by a column; what has no value is last in both directions. */
function sortRecords(records, column, down)
{
	const value = column.value ? ({said}) => column.value(said) :
		({name}) => name;
	const sign = down ? -1 : 1;
	const missing = (one) => one === null || Number.isNaN(one);

	return [...records].sort((a, b) => {
		const [x, y] = [value(a), value(b)];

		if (missing(x) || missing(y))
			return missing(x) - missing(y);
		return x < y ? -sign : x > y ? sign : 0;
	});
}

function headCell(column, sorted, sort)
{
	const by = sorted.title === column.title;
	const order = !by ? "none" : sorted.down ? "descending" : "ascending";
	const mark = !by ? "" : sorted.down ? " ↓" : " ↑";

	if (column.words)
		return element("th", {scope: "col", class: "words"},
			column.title);
	return element("th", {scope: "col", "aria-sort": order},
		link(column.title + mark, () => sort(column.title),
			{title: column.help || `sort by ${column.title}`}));
}

function cell(column, record)
{
	if (column.words)
		return element("td", {class: "words"},
			column.words(record.said));
	return element("td", {}, column.text(column.value(record.said),
		record.said));
}

/* A record: its head beside the cells when there is room, else above them. */
function recordBody(record, columns, wide)
{
	const head = element("th", {scope: wide ? "row" : "rowgroup",
		...wide ? {} : {colspan: columns.length}}, ...record.head());

	if (record.share > 0)
		head.style.setProperty("--share", `${record.share * 100}%`);
	const words = wide ? [] : columns.filter((column) => column.words);
	const cells = columns.filter((column) => !words.includes(column))
		.map((column) => cell(column, record));
	const body = element("tbody", {}, ...wide ?
		[element("tr", {}, head, ...cells)] :
		[element("tr", {}, head), element("tr", {}, ...cells)]);

	for (const column of words) {
		const text = cell(column, record);

		text.setAttribute("colspan", columns.length);
		body.append(element("tr", {}, text));
	}
	return body;
}

function makeTable(tab, sorted, wide, sort)
{
	const columns = tab.columns.filter((column) => wide || !column.wide);
	const first = {title: tab.head};
	const by = [first, ...columns].find((column) =>
		column.title === sorted.title);
	const sortedRecords = by ? sortRecords(tab.records, by, sorted.down) :
		tab.records;
	const records = sortedRecords.slice(0, RECORDS);
	const heads = [...wide ? [first] : [], ...columns.filter((column) =>
		wide || !column.words)];

	return element("table", {class: wide ? "wide" : "narrow"},
		...records.length < tab.records.length ? [element("caption", {},
			`${RECORDS} of ${formatCount(tab.records.length)}`)] : [],
		element("thead", {}, element("tr", {}, ...heads.map((column) =>
			headCell(column, sorted, sort)))),
		...records.map((record) => recordBody(record,
			columns, wide)));
}
