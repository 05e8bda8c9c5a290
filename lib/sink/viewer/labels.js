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
function sayRow(model, r)
{
	const row = model.rows[r];
	const {duration, clientQueue, groupWait} = model.waits.rows[r];

	const facts = ["group", "source", "status", "reward"].filter((key) =>
		isKnown(row[key])).map((key) => `${key} ${formatValue(row[key])}`);

	return [
		`sample ${formatValue(row.index)}`, ...facts,
		...isKnown(tokensOf(row)) ?
			[`${formatValue(tokensOf(row))} tokens`] : [],
		row.start <= row.end ? `${formatDuration(duration)} of own work` :
			"no time",
		...clientQueue > 0 ? ["client queue " +
			formatDuration(clientQueue)] : [],
		...groupWait > 0 ? [`group wait ${formatDuration(groupWait)}`] :
			[],
	].join(", ");
}

/* What a sample completed, as far as it is known. */
function tokensOf({answer, tokens})
{
	return answer ?? tokens;
}

/* Columns without a value have no place, or at least no head. */
function showColumns({rows})
{
	const {classList} = byId("plot");

	classList.toggle("no-tokens", !rows.some(tokensOf));
	classList.toggle("no-sources", rows.every(({source}) =>
		source === null));
	classList.toggle("no-rewards", rows.every(({reward}) =>
		reward === null));
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

/* How many digits have room in a column of --columns, or letters. */
const DIGITS_ROOM = {index: 5, tokens: 6, rate: 5, reward: 6};
const LETTERS_ROOM = {source: 4, duration: 8};

/* A text in a column. Browsers make a layer of each that they may have to cut,
 * and layers are slow to scroll: only those that may be too long are cut. */
function columnText(key, text)
{
	const fits = text.length <= LETTERS_ROOM[key] ||
		(text.length <= DIGITS_ROOM[key] && /^[#\d.,-]*$/.test(text));

	return element("span", {class: fits ? key : `${key} cut`}, text);
}

/* The columns of numbers, see heads.js; speed is known once the statistics
 * are. */
function labelFigures({model, stats}, r)
{
	const row = model.rows[r];
	const {duration} = model.waits.rows[r];
	const rate = stats ? rateOf(stats, r) : NaN;

	return [
		columnText("duration", row.start <= row.end ?
			formatDuration(duration) : ""),
		columnText("tokens", tokensOf(row) ? shortCount(tokensOf(row)) :
			""),
		columnText("rate", rate > 0 ? threeDigits(rate) : ""),
		columnText("reward", row.reward === null ? "" :
			formatValue(shortReward(row.reward))),
	];
}

function makeLabel(scene, r)
{
	const row = scene.model.rows[r];
	const open = Boolean(scene.state.expanded[r]);
	const status = formatValue(row.status);
	const chosen = r === scene.state.selected.row;
	const texts = [
		columnText("index", "#" + formatValue(row.index)),
		columnText("source", extraHead(scene.state.sort) ?
			extraText(scene, r) : row.source === null ? "" :
				formatValue(row.source)),
		...labelFigures(scene, r),
	];
	/* What is written comes first, for those who speak to the page. */
	const said = `${texts.map((one) => one.textContent)
		.filter((text) => text !== "").join(" ")}, ` +
		sayRow(scene.model, r);

	return element("button", {
		type: "button",
		class: chosen ? "label chosen" : "label",
		title: sayRow(scene.model, r),
		"aria-label": said,
		"aria-expanded": String(open),
		"aria-current": String(chosen),
		tabindex: chosen ? 0 : -1,
		"data-row": r,
	},
	element("span", {class: "fold"}, open ? "▾" : "▸"), " ",
	...texts.flatMap((one) => [one, " "]),
	element("span", {class: "faint", title: status},
		STATUS_SHAPES[status] || "·"));
}

/* The entry of a line, with its place among all for screen readers. */
function makeEntry(scene, line)
{
	const {lines, tops} = scene;
	const head = headAt(lines, line);
	const text = head && headTitle(scene, head);
	const entry = element("li", {
		"aria-posinset": line + 1,
		"aria-setsize": lines.at.length,
		...head && {class: "head",
			title: `${text} · ${headFacts(scene, head)}`},
	}, head ? text : laneAt(scene, line) ? makeLaneLabel(scene, line) :
		makeLabel(scene, lines.at[line]));

	entry.style.height = `${tops[line + 1] - tops[line]}px`;
	return entry;
}

/* What an entry looks like depends on no more than this. */
function entryKey(scene, line)
{
	const r = scene.lines.at[line];

	if (laneAt(scene, line))
		return `${line} ${isChosenLane(scene, line)}`;
	return r < 0 ? `${line}` : `${line} ${r} ` +
		`${scene.state.expanded[r]} ${r === scene.state.selected.row}`;
}

/* Put the entries of the lines in view into the list; those that were there
 * and look the same stay, and so does the focus. kept: a Map that the list
 * alone uses, cleared when lines are made anew. */
function showLabels(scene, list, height, kept)
{
	const {tops, scroll, lines} = scene;
	const first = lastAtMost(tops, scroll);
	const end = Math.min(firstAbove(tops, scroll + height - 0.5),
		lines.at.length);
	const focused = document.activeElement?.dataset?.row;
	const entries = new Map();

	for (let line = first; line < end; line++) {
		const key = entryKey(scene, line);
		const entry = kept.get(key) || makeEntry(scene, line);

		setStyle(entry, "top", `${tops[line]}px`);
		entries.set(key, entry);
	}
	for (const [key, entry] of kept) {
		if (!entries.has(key))
			entry.remove();
	}
	kept.clear();
	let before = list.firstElementChild;
	for (const [key, entry] of entries) {
		kept.set(key, entry);
		if (entry === before)
			before = before.nextElementSibling;
		else
			list.insertBefore(entry, before);
	}
	setStyle(list, "transform", `translateY(${-scroll}px)`);
	if (focused !== undefined && !document.activeElement?.dataset?.row)
		list.querySelector(`[data-row="${focused}"]`)?.focus();
}

/* Have the labels made anew. */
function forgetLabels({labels})
{
	labels.forEach((label) => label.remove());
	labels.clear();
}
