/*
 * The list of samples at the left: real elements, only those in view.
 */

/* A shape a status, so that colour is never needed. */
const STATUS_SHAPES = {
	completed: "●",
	truncated: "◐",
	pending: "○",
	aborted: "✕",
	failed: "▲",
};

/* A row's label as a screen reader says it. */
function sayRow(row)
{
	return [
		`sample ${formatValue(row.index)}`,
		`group ${formatValue(row.group)}`,
		`source ${formatValue(row.source)}`,
		`status ${formatValue(row.status)}`,
		`reward ${formatValue(row.reward)}`,
		`${formatValue(row.tokens)} tokens`,
		formatDuration(row.end - row.start),
	].join(", ");
}

function shortCount(value)
{
	return typeof value === "number" ? formatCount(value) :
		formatValue(value);
}

/* Three decimals tell rewards apart in a list. */
function shortReward(reward)
{
	return typeof reward === "number" && Math.abs(reward) < 1000 ?
		Number(reward.toFixed(3)) : reward;
}

function makeLabel(scene, r, toggle)
{
	const row = scene.model.rows[r];
	const open = Boolean(scene.expanded[r]);
	const status = formatValue(row.status);
	const chosen = r === scene.selected.row ? " chosen" : "";

	return element("button", {
		type: "button",
		class: "label" + chosen,
		title: sayRow(row),
		"aria-label": sayRow(row),
		"aria-expanded": String(open),
		"data-row": r,
		click: () => toggle(r),
	},
	element("span", {class: "fold"}, open ? "▼" : "▶"),
	element("span", {}, "#" + formatValue(row.index)),
	element("span", {class: "source"}, formatValue(row.source)),
	element("span", {class: "reward"}, row.reward === null ? "" :
		"r " + formatValue(shortReward(row.reward))),
	element("span", {class: "faint tokens"}, row.tokens ?
		shortCount(row.tokens) : ""),
	element("span", {class: "faint"}, STATUS_SHAPES[status] || "·"));
}

/* Put the labels of the rows in view into the list. Keeps the focus where it
 * was, for a list that is made anew would lose it. */
function showLabels(scene, list, height, toggle)
{
	const {tops, scroll, model} = scene;
	const focused = document.activeElement?.dataset?.row;
	const entries = [];

	for (let r = lastAtMost(tops, scroll);
	     r < model.rows.length && tops[r] < scroll + height; r++) {
		const entry = element("li", {}, makeLabel(scene, r, toggle));

		entry.style.top = `${tops[r] - scroll}px`;
		entry.style.height = `${tops[r + 1] - tops[r]}px`;
		entries.push(entry);
	}
	list.replaceChildren(...entries);
	if (focused !== undefined)
		list.querySelector(`[data-row="${focused}"]`)?.focus();
}
