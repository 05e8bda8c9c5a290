/*
 * The heads of the label columns, which sort the rows. Each is a member of
 * SORTS; `down` is the direction of the first click: large values first, text
 * from its start.
 */

const HEADS = [
	{key: "index", title: "index", down: false},
	{key: "source", title: "source", down: false},
	{key: "duration", title: "dur", down: true,
		help: "own work, without waits"},
	{key: "tokens", title: "tok", down: true, help: "tokens"},
	{key: "rate", title: "tok/s", down: true,
		help: "tokens per second of decode"},
	{key: "reward", title: "reward", down: true},
];

/* What rows are sorted by and no column has stands in that of the source. */
function extraHead(sort)
{
	if (["row", "start", "end"].includes(sort) ||
	    HEADS.some(({key}) => key === sort))
		return undefined;
	return {key: sort, column: "source", down: true,
		title: sort.startsWith("attr:") ?
			visible(sort.slice("attr:".length)) : SORTS[sort].title};
}

/* Its text for row r. */
function extraText({model, state: {sort}, attrs}, r)
{
	const row = model.rows[r];

	if (sort.startsWith("attr:")) {
		return attrs ? formatValue(attributeOf(model, attrs, row,
			sort.slice("attr:".length))) : "";
	}
	const {key, time} = SORTS[sort];
	const value = key(row, r, model.waits.rows[r], () => statsOf(model));

	return time ? formatDuration(value) : formatValue(value);
}

/* ↓ from large to small, ↑ from small to large, as everywhere. */
function sortMark(down)
{
	return down ? "↓" : "↑";
}

/* What a click on a head makes of the order. */
function sortedBy({sort, down}, head)
{
	return {sort: head.key, down: sort === head.key ? !down : head.down,
		top: 0};
}

function makeHead(scene, page, head)
{
	const {sort, down} = scene.state;
	const chosen = sort === head.key;
	const said = head.help || head.title;
	const column = head.column || head.key;

	return element("button", {
		type: "button", class: column, "data-head": column,
		"aria-pressed": String(chosen),
		title: `sort by ${said}`, "aria-label": `${head.title}: sort by ${said}` +
			(chosen ? `, ${down ? "descending" : "ascending"}` : ""),
		click: () => page.setState(sortedBy(scene.state, head)),
	}, head.title, ...chosen ? [element("span", {"aria-hidden": "true"},
		sortMark(down))] : []);
}

function showHeads(scene, page)
{
	const focused = document.activeElement?.dataset?.head;
	const extra = extraHead(scene.state.sort);

	byId("heads").replaceChildren(...scene.lines.lanes ?
		laneHeads(scene.lines) : HEADS.map((head) => makeHead(
			scene, page, head.key === extra?.column ? extra : head)));
	if (focused) {
		byId("heads").querySelector(`[data-head="${focused}"]`)
			?.focus();
	}
}
