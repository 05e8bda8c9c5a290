/*
 * Keys, and what they do with the window and the selection.
 */

const ZOOM_STEP = 1.25;
const PAN_STEP = 0.15; /* of the window */

function zoomBy(scene, page, factor)
{
	const {start, end} = scene.window;

	page.look(zoomed(scene.window, factor, (start + end) / 2,
		scene.whole));
}

function panBy(scene, page, windows)
{
	const {start, end} = scene.window;

	page.look(panned(scene.window, windows * (end - start), scene.whole));
}

/* The time that a row or one of its items takes; undefined for none. */
function timeOf({model}, row, item)
{
	const {items, rows} = model;

	if (item >= 0 && !items.timeless[item]) {
		return {start: items.start[item],
			end: Math.max(items.start[item], items.end[item])};
	}
	return rows[row]?.start <= rows[row]?.end ?
		{start: rows[row].start, end: rows[row].end} : undefined;
}

/* Zoom to an item, a row, or, for none, to everything. What takes no time
 * cannot be zoomed to: it comes to the middle. */
function fit(scene, page, row, item)
{
	const time = timeOf(scene, row, item);
	const {start, end} = scene.window;

	if (!time)
		page.look(scene.whole);
	else if (time.start < time.end)
		page.look(windowAround(time.start, time.end, scene.whole));
	else
		page.look(panned(scene.window, time.start - (start + end) / 2,
			scene.whole));
}

/* Move the window as little as shows the item, or the row's start; never zoom
 * for it. */
function lookAt(scene, page, row, item)
{
	const time = timeOf(scene, row, item);
	const {start, end} = scene.window;

	if (time && (time.start > end || time.end < start))
		page.look(panned(scene.window,
			time.start - start - (end - start) * 0.1, scene.whole));
}

/* As lookAt, and near enough for a span to be seen. */
function lookCloseAt(scene, page, row, item)
{
	const time = timeOf(scene, row, item);
	const {start, end} = scene.window;

	if (time && time.start < time.end &&
	    (time.end - time.start) / (end - start) <= 1 / 400)
		fit(scene, page, row, item);
	else
		lookAt(scene, page, row, item);
}

/* What a screen reader says of a selection. */
function saySelection({model, lines}, row, item)
{
	const {items, rows} = model;

	if (row < 0)
		return "nothing selected";
	const line = lineOfHit({model, lines}, row, item);
	const place = `line ${line + 1} of ${lines.at.length}`;

	if (item < 0)
		return `${sayRow(model, row)}; ${place}`;
	const what = ["", "open, ", "point, ", "orphan, "][items.state[item]];
	const duration = items.state[item] <= OPEN ?
		`${formatDuration(items.end[item] - items.start[item])}, ` : "";

	return `${itemName(model, item)}, ${what}${duration}at ` +
		`${formatDuration(items.start[item])}, ${rowNoun(model)} ` +
		formatValue(rows[row].index);
}

/* The row `step` lines from the selected one, past heads; the first in view
 * when none is selected. */
function rowBeside({lines, state, tops, scroll}, step)
{
	const from = lines.lineOf[state.selected.row] ?? -1;
	let line = from < 0 ? lastAtMost(tops, scroll) : from + step;

	while (lines.at[line] < 0)
		line += from < 0 ? 1 : step;
	return lines.at[line] ?? -1;
}

/* Up and down keep the moment: a span stays selected where there is one. */
function walkRows(scene, page, step)
{
	if (scene.lines.lanes) {
		walkLanes(scene, page, step);
		return;
	}
	const {model: {items}, state: {selected: {item}}} = scene;
	const row = rowBeside(scene, step);

	if (row < 0)
		return;
	const beside = item < 0 ? -1 : itemAt(scene.shapes.flat(row),
		(items.start[item] + items.end[item]) / 2, 0);

	page.select(row, beside);
	page.showLine(row);
	focusRow(row);
}

/* The focus goes along when it was on a label. */
function focusRow(row)
{
	if (document.activeElement?.dataset?.row !== undefined) {
		requestAnimationFrame(() => byId("labels").querySelector(
			`[data-row="${row}"]`)?.focus());
	}
}

function walkItems(scene, page, step)
{
	if (scene.lines.lanes) {
		walkLane(scene, page, step);
		return;
	}
	const {model, state: {selected}} = scene;
	const row = selected.row < 0 ? rowBeside(scene, 0) : selected.row;

	if (row < 0)
		return;
	const order = walkOrder(model, model.rows[row], scene.shapes.shown);
	const at = order.indexOf(selected.item);
	const next = at < 0 ? order[step > 0 ? 0 : order.length - 1] :
		order[at + step];

	if (next !== undefined) {
		page.select(row, next);
		page.showLine(row);
		lookAt(scene, page, row, next);
	}
}

/* To the span around the selected one, or to the first one inside of it. */
function walkDepth(scene, page, step)
{
	const {model: {items, rows}, state: {selected: {row, item}}} = scene;

	if (item < 0)
		return;
	const {first, items: count} = rows[row];
	let next = items.parent[item];

	if (step > 0) {
		next = items.parent.subarray(first, first + count)
			.indexOf(item);
		next = next < 0 ? -1 : first + next;
	}
	if (next >= 0) {
		page.select(row, next);
		lookAt(scene, page, row, next);
	}
}

/* One thing after the other: the range, the selection. */
function escape(scene, page)
{
	if (byId("view").open)
		byId("view").open = false;
	else if (scene.state.measured)
		page.setState({measured: null});
	else if (scene.state.cursor !== null)
		page.setState({cursor: null});
	else
		page.select(-1);
}

function makeKeys(scene, page)
{
	const zoomIn = () => zoomBy(scene, page, 1 / ZOOM_STEP);
	const zoomOut = () => zoomBy(scene, page, ZOOM_STEP);
	const scroll = (pages) => page.scrollTo(scene.scroll + pages *
		(byId("scroller").clientHeight - scene.rowHeight));
	const selected = (action) => {
		const {row, item} = scene.state.selected;

		if (row >= 0)
			action(row, item);
	};

	return {
		"w": zoomIn, "+": zoomIn, "=": zoomIn,
		"s": zoomOut, "-": zoomOut,
		"a": () => panBy(scene, page, -PAN_STEP),
		"d": () => panBy(scene, page, PAN_STEP),
		"arrowleft": () => walkItems(scene, page, -1),
		"arrowright": () => walkItems(scene, page, 1),
		"arrowup": () => walkRows(scene, page, -1),
		"arrowdown": () => walkRows(scene, page, 1),
		"shift arrowup": () => walkDepth(scene, page, -1),
		"shift arrowdown": () => walkDepth(scene, page, 1),
		"pageup": () => scroll(-1),
		"pagedown": () => scroll(1),
		"home": () => page.scrollTo(0),
		"end": () => page.scrollTo(byId("spacer").clientHeight),
		"f": () => fit(scene, page, scene.state.selected.row,
			scene.state.selected.item),
		"0": () => page.look(scene.whole),
		"m": () => selected((row, item) => page.setState({
			measured: timeOf(scene, row, item) || null})),
		"c": () => pinSelection(scene, page),
		"n": () => noteSelection(scene, page),
		"e": () => page.expandAll(),
		"enter": () => selected((row, item) => scene.lines.lanes ?
			goToSample(scene, page, row, item) : page.expand(row)),
		"g": () => page.setState({group: !scene.state.group, top: 0}),
		"b": () => setBy(page, scene.state.by === "" ? ENGINE : ""),
		"p": () => page.setState({panel: !panelShown(scene)}),
		"t": () => nextTheme(scene, page),
		"/": () => byId("filter").select(),
		"escape": () => escape(scene, page),
		"?": showHelp,
	};
}

/* Keys that the focused element itself has a use for. */
function ownsKey(target, key)
{
	if (target.closest("input, select, textarea, dialog"))
		return true;
	return key === "enter" && !target.dataset.row &&
		Boolean(target.closest("button, summary, a"));
}

function listenToKeys(scene, page)
{
	const keys = makeKeys(scene, page);

	addEventListener("keydown", (event) => {
		const key = event.key.toLowerCase();
		const action = event.shiftKey && keys[`shift ${key}`] ||
			keys[key];

		if (!action || event.ctrlKey || event.metaKey || event.altKey ||
		    byId("keys").open || ownsKey(event.target, key))
			return;
		event.preventDefault();
		hideTip();
		action();
	});
}
