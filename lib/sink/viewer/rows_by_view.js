/*
 * Rows by engine or attribute (rows_by.js) on the page: made in slices, drawn,
 * labelled, and walked by keys.
 */

/* The lines of rows by a sample at once; of lanes a moment later, until when
 * the lines before stay. */
function setLines(scene, page)
{
	const {model, state, order} = scene;
	const signal = beginAnew(page.tasks, "lanes");

	if (state.by === "" || scene.linesOf !== model) {
		scene.lines = makeLines(model, state, order);
		scene.linesOf = model;
		byId("plot").classList.remove("by-lane");
	}
	if (state.by !== "")
		makeLanes(scene, page, signal);
}

async function makeLanes(scene, page, signal)
{
	const {model, order, state: {by}} = scene;
	const bytes = by === ENGINE || by.startsWith("attr:") ?
		await page.needAttrs() : undefined;
	const values = by.startsWith("attr:") && !signal.aborted ?
		await attributeValues(model, bytes, by.slice("attr:".length),
			signal) : undefined;

	if (signal.aborted)
		return;
	const made = await inSlices(laneSteps(model, order, by,
		unitsBy(model, by, values), {bytes,
			shown: (i) => isShown(scene, i)}), signal);

	if (!made)
		return;
	scene.lines = makeLaneLines(model, order, by, made);
	byId("plot").classList.add("by-lane");
	forgetLabels(page);
	page.apply("layout", "rows");
	showHeads(scene, page);
	showNone(scene, page);
	showNoLanes(scene, page);
	page.announce(`${plural(made.groups.length, "row group")} by ${byTitle(by)}`);
}

/* Where samples are shown and none of their spans, why. */
function showNoLanes({lines, order}, page)
{
	const place = byId("none");

	if (lines.lanes.length > 0 || order.length === 0)
		return;
	place.hidden = false;
	place.replaceChildren(`No span that is shown has ${byTitle(lines.by)}. `,
		link("Rows by sample", () => setBy(page, "")));
}

/* What follows when other items are shown. */
function relane(scene, page)
{
	if (scene.state.by !== "")
		setLines(scene, page);
}

/* --- drawing --- */

function paintLane(pen, line, y)
{
	const {scene} = pen;
	const {item, start, end} = laneAt(scene, line);

	pen.row = -1;
	pen.onLane = true;
	paintBars(pen, {item, start, end}, y, scene.rowHeight);
	pen.onLane = false;
	outlineUnits(pen, line, y);
}

/* {unit, units}: what stands on a lane for the selection, and all of its
 * sample's; kept while it is selected. */
function chosenUnits(scene)
{
	const {lines, state: {selected}} = scene;
	const {row, item} = selected;

	if (lines.chosen?.selected !== selected) {
		lines.chosen = {selected, ...row < 0 ? {unit: -1, units: []} :
			{unit: unitOf(scene, row, item),
				units: unitsOfRow(scene, row)}};
	}
	return lines.chosen;
}

/* The selected span, and all others of its sample. */
function outlineUnits(pen, line, y)
{
	const {scene, scene: {lines: {lineOfItem, times}}} = pen;

	const {unit, units} = chosenUnits(scene);

	for (const i of units) {
		const left = Math.max(xAt(pen, times.start[i]), -4);
		const right = Math.min(xAt(pen, times.end[i]), pen.width + 4);

		if (lineOfItem.get(i) === line && right >= -4 &&
		    left <= pen.width + 4) {
			outline(pen, left, {y: y + 1,
				height: scene.rowHeight - 2}, Math.max(right - left,
				3), i === unit ? scene.ink.text :
				scene.ink.accent, i === unit ? 2 : 1);
		}
	}
}

/* "#417 · 400 tok · 34 tok/s", or as much of it as has room. */
function laneText(pen, item, width)
{
	const {scene} = pen;
	const r = rowOfItem(scene.model, item);
	const title = `#${formatValue(scene.model.rows[r].index)}`;
	const long = `${title} · ${barFigures(scene, r, item)}`;

	return [long, title].find((text) =>
		textWidth(pen, text) <= width) ?? "";
}

/* --- what lies under the pointer --- */

/* As hit's: {row, item}. */
function hitLane(scene, line, time, slack)
{
	const item = itemAt(laneAt(scene, line), time, slack);

	return {row: item < 0 ? -1 : rowOfItem(scene.model, item), item};
}

/* --- labels --- */

function laneFigures({model: {items}}, {item, start, end})
{
	let busy = 0;

	for (let k = 0; k < item.length; k++)
		busy += end[k] - start[k];
	return {busy, count: item.length, requests: items.request[item[0]] === 1};
}

function makeLaneLabel(scene, line)
{
	const lane = laneAt(scene, line);
	const {busy, count, requests} = laneFigures(scene, lane);
	const engine = scene.lines.by === ENGINE;
	const name = `${engine ? "slot" : "lane"} ${lane.number + 1}`;
	const chosen = isChosenLane(scene, line);
	const said = `${name} of ${laneGroupTitle(scene.lines.by, lane.group)}, ` +
		`${plural(count, requests ? "request" : "span")}, busy for ` +
		formatDuration(busy);

	return element("button", {
		type: "button", class: chosen ? "label lane chosen" : "label lane",
		title: said, "aria-label": said, "data-line": line,
		"aria-current": String(chosen), tabindex: chosen ? 0 : -1,
	}, element("span", {class: "fold"}), " ",
	element("span", {class: "lane-name cut"}, name), " ",
	element("span", {class: "cut"}, formatDuration(busy)), " ",
	element("span", {class: "cut"}, formatCount(count)));
}

function isChosenLane(scene, line)
{
	return scene.lines.lineOfItem.get(chosenUnits(scene).unit) === line;
}

/* The heads of the columns of lanes, which nothing sorts. */
function laneHeads({by})
{
	return [["lane-name", by === ENGINE ? "slot" : "lane"],
		["", "busy"], ["", "spans"]].map(([name, text]) =>
		element("span", {class: name}, text));
}

/* A click on a lane's label selects the first of its spans in view. */
function selectInLane(scene, page, line)
{
	const lane = laneAt(scene, line);
	const k = lane ? firstAbove(lane.end, scene.window.start) : 0;
	const item = lane?.item[Math.min(k, lane.item.length - 1)];

	if (item !== undefined)
		page.select(rowOfItem(scene.model, item), item);
}

/* --- keys --- */

/* The span of a lane nearest to a moment. */
function nearestInLane({item, start, end}, time)
{
	let [best, least] = [-1, Infinity];

	for (let k = 0; k < item.length; k++) {
		const away = Math.max(start[k] - time, time - end[k], 0);

		if (away < least)
			[best, least] = [item[k], away];
	}
	return best;
}

function selectUnit(scene, page, item)
{
	const row = rowOfItem(scene.model, item);

	page.select(row, item);
	page.showLine(row);
	lookAt(scene, page, row, item);
	focusLane(scene, row, item);
}

/* The focus goes along when it was on a label. */
function focusLane(scene, row, item)
{
	const line = lineOfHit(scene, row, item);

	if (document.activeElement?.dataset?.line !== undefined) {
		requestAnimationFrame(() => byId("labels").querySelector(
			`[data-line="${line}"]`)?.focus());
	}
}

/* Up and down keep the moment, past the heads. */
function walkLanes(scene, page, step)
{
	const {lines, tops, scroll, window, model: {items},
		state: {selected: {row, item}}} = scene;
	const unit = row < 0 ? -1 : unitOf(scene, row, item);
	let line = unit < 0 ? lastAtMost(tops, scroll) :
		lines.lineOfItem.get(unit) + step;

	while (lines.at[line] < 0)
		line += unit < 0 ? 1 : step;
	const lane = laneAt(scene, line);

	if (lane) {
		selectUnit(scene, page, nearestInLane(lane, unit < 0 ?
			window.start : (items.start[unit] + items.end[unit]) / 2));
	}
}

/* Left and right walk the spans of a lane. */
function walkLane(scene, page, step)
{
	const {lines, state: {selected: {row, item}}} = scene;
	const unit = row < 0 ? -1 : unitOf(scene, row, item);

	if (unit < 0) {
		walkLanes(scene, page, 1);
		return;
	}
	const lane = laneAt(scene, lines.lineOfItem.get(unit));
	const next = lane.item[lane.item.indexOf(unit) + step];

	if (next !== undefined)
		selectUnit(scene, page, next);
}

/* From a span on a lane to its sample's row. */
function goToSample(scene, page, row, item)
{
	page.setState({by: ""});
	page.select(row, item);
	page.showLine(row);
}

/* --- the choice --- */

function setBy(page, by)
{
	page.setState({by, top: 0});
}

/* Its name is asked for, those there are offered. */
async function chooseBy(scene, page)
{
	const box = byId("by-key");

	box.hidden = false;
	box.focus();
	const keys = attributeKeys(scene.model, await page.needAttrs());

	byId("sort-keys").replaceChildren(...keys.map((key) =>
		element("option", {value: visible(key)})));
}

function listenToBy(scene, page)
{
	byId("by").replaceChildren(element("option", {value: ""}, "sample"),
		...Object.entries(BYS).map(([key, {title}]) =>
			element("option", {value: key}, title)),
		element("option", {value: "attr"}, "an attribute…"));
	byId("by").addEventListener("change", () => {
		if (byId("by").value === "attr")
			chooseBy(scene, page);
		else
			setBy(page, byId("by").value);
	});
	byId("by-key").addEventListener("change", () => {
		if (byId("by-key").value !== "")
			setBy(page, `attr:${byId("by-key").value}`);
	});
	showBy(scene);
}

function showBy({state: {by}})
{
	const key = by.startsWith("attr:");

	byId("by").value = key ? "attr" : by;
	byId("by-key").hidden = !key;
	if (document.activeElement !== byId("by-key"))
		byId("by-key").value = key ? by.slice("attr:".length) : "";
}
