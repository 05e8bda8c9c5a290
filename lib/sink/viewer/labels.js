/*
 * The list of samples at the left: real elements, only those in view.
 */

const SCROLL_REST = 150; /* ms */

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
		`${rowNoun(model)} ${formatValue(row.index)}`, ...facts,
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
const LETTERS_ROOM = {fold: 1, source: 4, duration: 8, faint: 1};

/* The class of a text in a column. Browsers make a layer of each that they may
 * have to cut, and layers are slow to scroll: only those that may be too long
 * are cut. */
function columnClass(key, text)
{
	const fits = text.length <= LETTERS_ROOM[key] ||
		(text.length <= DIGITS_ROOM[key] && /^[#\d.,-]*$/.test(text));

	return fits ? key : `${key} cut`;
}

/* The columns of numbers, see heads.js; speed is known once the statistics
 * are. */
function labelFigures({model, stats}, r)
{
	const row = model.rows[r];
	const {duration} = model.waits.rows[r];
	const rate = stats ? rateOf(stats, r) : NaN;

	return {
		duration: row.start <= row.end ? formatDuration(duration) : "",
		tokens: tokensOf(row) ? shortCount(tokensOf(row)) : "",
		rate: rate > 0 ? threeDigits(rate) : "",
		reward: row.reward === null ? "" :
			formatValue(shortReward(row.reward)),
	};
}

/* The texts of a label by their classes, from left to right. */
function labelTexts(scene, r)
{
	const row = scene.model.rows[r];

	return {
		index: "#" + formatValue(row.index),
		source: extraHead(scene.state.sort) ? extraText(scene, r) :
			row.source === null ? "" : formatValue(row.source),
		...labelFigures(scene, r),
	};
}

/* All that is written on a label, by the classes of its places. */
function labelWords(scene, r)
{
	const status = formatValue(scene.model.rows[r].status);

	return [["fold", scene.state.expanded[r] ? "▾" : "▸"],
		...Object.entries(labelTexts(scene, r)),
		["faint", STATUS_SHAPES[status] || "·"]];
}

/* Its places are filled by fillLabel. */
function makeLabel()
{
	const places = Array.from({length: 8}, () =>
		element("span", {}, document.createTextNode("")));

	return element("button", {type: "button"}, ...places.flatMap((place) =>
		[place, " "]).slice(0, -1));
}

/* What an element with a text node says; the node stays. */
function setWords({firstChild}, text)
{
	if (firstChild.data !== text)
		firstChild.data = text;
}

function setAttributes(node, attributes)
{
	for (const [name, value] of Object.entries(attributes)) {
		if (node.getAttribute(name) !== String(value))
			node.setAttribute(name, value);
	}
}

/* Make a label that of row r. */
function fillLabel(label, scene, r)
{
	const open = Boolean(scene.state.expanded[r]);
	const status = formatValue(scene.model.rows[r].status);
	const chosen = r === scene.state.selected.row;
	const texts = labelWords(scene, r);
	const said = sayRow(scene.model, r);

	texts.forEach(([key, text], n) => {
		setWords(label.children[n], text);
		setAttributes(label.children[n],
			{class: columnClass(key, text)});
	});
	setAttributes(label.lastChild, {title: status});
	setAttributes(label, {
		class: chosen ? "label chosen" : "label",
		title: said,
		/* What is written comes first, for those who speak to the page. */
		"aria-label": `${texts.slice(1, -1).map(([, text]) => text)
			.filter((text) => text !== "").join(" ")}, ${said}`,
		"aria-expanded": open,
		"aria-current": chosen,
		tabindex: chosen ? 0 : -1,
		"data-row": r,
	});
}

/* The entry of a line, with its place among all for screen readers. spare:
 * entries of samples that are in view no longer, which are used first: it takes
 * a browser far longer to make new ones. */
function makeEntry(scene, line, spare)
{
	const {lines, tops} = scene;
	const head = headAt(lines, line);
	const text = head && headTitle(scene, head);
	const isSample = !head && !laneAt(scene, line);
	const entry = isSample && spare.shift() || element("li", head && {
		class: "head", title: `${text} · ${headFacts(scene, head)}`,
	}, head ? text : isSample ? makeLabel() :
		makeLaneLabel(scene, line));

	if (isSample)
		fillLabel(entry.firstChild, scene, lines.at[line]);
	setAttributes(entry, {"aria-posinset": line + 1,
		"aria-setsize": lines.at.length});
	setStyle(entry, "height", `${tops[line + 1] - tops[line]}px`);
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

/* What the list shows, its entries aside: no zoom changes it. */
function listLook({tops, scroll, lines, state: {expanded, selected}}, height)
{
	return [tops, scroll, lines, expanded, selected, height];
}

/* Put the entries of the lines in view into the list. kept: a Map that the list
 * alone uses, of {entry, key} by line, cleared when lines are made anew. */
function showLabels(scene, list, height, kept)
{
	const {tops, scroll, lines} = scene;
	const look = listLook(scene, height);

	if (look.every((one, k) => one === kept.look?.[k]))
		return;
	kept.look = look;
	const first = lastAtMost(tops, scroll);
	const end = Math.min(firstAbove(tops, scroll + height - 0.5),
		lines.at.length);

	keepFocus(list, () => {
		const spare = takeSpare(kept, first, end);
		const many = spare.length;

		for (let line = first; line < end; line++)
			keepEntry(scene, kept, line, spare);
		kept.mixed ||= spare.length < many;
		spare.forEach((entry) => entry.remove());
		insertEntries(list, kept, first, end);
	});
	setStyle(list, "transform", `translateY(${-scroll}px)`);
}

/* The focus stays on its row, if that is in view. */
function keepFocus(list, change)
{
	const focused = document.activeElement?.dataset?.row;

	change();
	if (focused !== undefined && !document.activeElement?.dataset?.row)
		list.querySelector(`[data-row="${focused}"]`)?.focus();
}

/* Drop the entries that are in view no longer; returns those of samples, for
 * others to use. */
function takeSpare(kept, first, end)
{
	const spare = [];

	for (const [line, {entry}] of kept) {
		if (line >= first && line < end)
			continue;
		kept.delete(line);
		if (entry.firstChild.dataset?.row !== undefined &&
		    !entry.contains(document.activeElement))
			spare.push(entry);
		else
			entry.remove();
	}
	return spare;
}

/* An entry that looks the same stays as it is, a sample's keeps its place. */
function keepEntry(scene, kept, line, spare)
{
	const key = entryKey(scene, line);
	const had = kept.get(line);

	if (had?.key === key) {
		setStyle(had.entry, "top", `${scene.tops[line]}px`);
		return;
	}
	const entry = makeEntry(scene, line, had ? [had.entry] : spare);

	if (had && had.entry !== entry)
		had.entry.replaceWith(entry);
	setStyle(entry, "top", `${scene.tops[line]}px`);
	kept.set(line, {entry, key});
}

/* To move an entry costs as much as to make one: while lines scroll, those that
 * are used for others stay where they are in the list, of which nothing is seen;
 * they are put in order once the scroll rests. */
function insertEntries(list, kept, first, end)
{
	if (!kept.mixed) {
		putInOrder(list, kept, first, end);
		return;
	}
	for (const {entry} of kept.values()) {
		if (!entry.isConnected)
			list.append(entry);
	}
	clearTimeout(kept.timer);
	kept.timer = setTimeout(() => {
		kept.mixed = false;
		keepFocus(list, () => putInOrder(list, kept, first, end));
	}, SCROLL_REST);
}

function putInOrder(list, kept, first, end)
{
	let before = list.firstElementChild;

	for (let line = first; line < end; line++) {
		const entry = kept.get(line)?.entry;

		if (entry && entry === before)
			before = before.nextElementSibling;
		else if (entry)
			list.insertBefore(entry, before);
	}
}

/* Have the labels made anew. */
function forgetLabels({labels})
{
	labels.forEach(({entry}) => entry.remove());
	labels.clear();
	labels.look = undefined;
	labels.mixed = false;
	clearTimeout(labels.timer);
}
