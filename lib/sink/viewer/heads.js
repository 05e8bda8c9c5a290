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
	{key: "reward", title: "r", down: true, help: "reward"},
];

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

	return element("button", {
		type: "button", class: head.key, "data-head": head.key,
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

	byId("heads").replaceChildren(...scene.lines.lanes ?
		laneHeads(scene.lines) : HEADS.map((head) =>
			makeHead(scene, page, head)));
	if (focused) {
		byId("heads").querySelector(`[data-head="${focused}"]`)
			?.focus();
	}
}
