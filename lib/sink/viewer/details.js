/*
 * Details of what is selected: an item, a sample, or else of all samples in
 * view.
 */

const LISTED = 12; /* spans inside one, names of a sample: before "and more" */
const ERROR_TEXT = 300; /* characters of an error's text, likewise */
const BARS = 24; /* of the histogram of durations */

const CLIPPED_BY = {
	row_end: "the last event of its row",
	next_sibling_start: "the start of its next sibling",
	ancestor_end: "the end of the span around it",
	self: "its own start",
};

/* [[name, text or element], ...] as a description list; an undefined value
 * leaves its pair out. */
function facts(pairs)
{
	return element("dl", {}, ...pairs.flatMap(([name, value]) =>
		value === undefined ? [] : [
			element("dt", {}, name),
			element("dd", {}, value),
		]));
}

function itemName(model, item)
{
	return nameText(model.strings[model.items.name[item]]);
}

/* A square of a colour, {light, dark}; CSS knows the theme. */
function swatch(colour)
{
	const made = element("span", {class: colour.slant ?
		`swatch striped ${colour.slant}` : colour === OTHER_COLOUR ?
		"swatch other" : "swatch",
	"aria-hidden": "true"});

	made.style.setProperty("--light", colour.light);
	made.style.setProperty("--dark", colour.dark);
	if (colour.slant) {
		made.style.setProperty("--light-stripe", colour.lightStripe);
		made.style.setProperty("--dark-stripe", colour.darkStripe);
	}
	return made;
}

function isSpan(items, item)
{
	return items.state[item] <= OPEN;
}

function lengthOf(items, item)
{
	return Math.max(0, items.end[item] - items.start[item]);
}

/* What an item is, in words; undefined for a plain span. attrs is undefined
 * until it is decoded. */
function kindOf(model, item, attrs)
{
	const {items, strings} = model;
	const id = items.spanId[item];

	switch (items.state[item]) {
	case OPEN:
		return "open span: it has no end" + (attrs ? ", and is drawn " +
			`until ${CLIPPED_BY[attrs.end?.clipped_by] ||
			"its row ends"}` : "");
	case POINT:
		return "point event";
	case ORPHAN:
		return "orphan: an end whose start was never recorded" +
			(id > 0 ? ` (span id ${visible(strings[id - 1])})` : "");
	default:
		return [undefined, "prefill half of its parent",
			"decode half of its parent"][items.role[item]];
	}
}

/* How much of its sample's time an item owns: no span inside it was under
 * way. */
function ownTime(stats, r, item)
{
	let time = 0;

	eachInterval(stats.selfTimes, r, ALWAYS, (owner, from, to) => {
		time += owner === item ? to - from : 0;
	});
	return time;
}

function timesOf({model, stats}, r, item)
{
	const {items, about} = model;
	const start = items.start[item];
	const end = items.end[item];
	const clock = (at) => formatClock(about.start + at);

	if (items.timeless[item])
		return [["time", "no valid timestamp"]];
	if (!isSpan(items, item))
		return [["at", formatExact(start)], ["clock", clock(start)]];
	const queued = stats ? stats.queued[item] : 0;

	return [
		["start", formatExact(start)],
		[items.state[item] === OPEN ? "drawn until" : "end",
			formatExact(end)],
		["duration", formatExact(end - start)],
		["self time", stats && items.role[item] === 0 ?
			formatDuration(ownTime(stats, r, item)) : undefined],
		["queued", queued > 0 ? `${formatDuration(queued)} ` +
			"before it started" : undefined],
		["clock", clock(start)],
		["", clock(end)],
	];
}

/* The share of the row's time, as text. */
function shareOf(model, r, item)
{
	const row = model.rows[r];
	const share = ratio(lengthOf(model.items, item), row.end - row.start);

	return share === null ? "" : `${formatShare(share)} of its ${rowNoun(model)}`;
}

/* The spans around an item, innermost first. A chain may be a circle. */
function ancestors(items, item)
{
	const chain = [];
	const seen = new Set([item]);

	for (let i = items.parent[item]; i >= 0 && !seen.has(i);
	     i = items.parent[i]) {
		chain.push(i);
		seen.add(i);
	}
	return chain;
}

/* The items right inside one, in order of start. */
function childrenOf(model, r, item)
{
	const {items} = model;
	const {first, items: many} = model.rows[r];
	const found = [];

	for (let i = first; i < first + many; i++) {
		if (items.parent[i] === item && i !== item)
			found.push(i);
	}
	return found.sort((a, b) => items.start[a] - items.start[b]);
}

/* A list of items to go to; past LISTED they are only counted. */
function itemList(title, list, r, scene, page)
{
	const {model: {items}, model} = scene;
	const entry = (i) => element("li", {}, link(itemName(model, i),
		() => page.reveal(r, i)), " ", element("span", {class: "faint"},
		isSpan(items, i) ? formatDuration(lengthOf(items, i)) : "◆"));
	const rest = list.length - LISTED;

	if (list.length === 0)
		return [];
	return [element("h3", {}, title), element("ul", {class: "plain"},
		...list.slice(0, LISTED).map(entry),
		...rest > 0 ? [element("li", {class: "faint"},
			`and ${formatCount(rest)} more`)] : [])];
}

/* What is around an item: known spans to go to, or an id. */
function aroundOf(r, item, scene, page)
{
	const {items, strings} = scene.model;
	const id = items.parentId[item];

	if (id > 0) {
		return [element("h3", {}, "Parents"), element("p", {},
			`a span that was not recorded: ${visible(strings[id - 1])}`)];
	}
	return itemList("Parents", ancestors(items, item), r, scene, page);
}

/* A reward as it is, or each of several. */
function rewardText(reward, page)
{
	return hasInside(reward) ? tree(reward, page) : formatValue(reward);
}

/* What the trace calls the sample, where that is not its index. */
function ownId(row)
{
	const id = row.sample;

	return !isKnown(id) || id === row.index ? [] :
		[["sample id", formatValue(id)]];
}

/* A value as text; undefined where there is none. */
function knownValue(value)
{
	return isKnown(value) ? formatValue(value) : undefined;
}

function isKnown(value)
{
	return value !== null && value !== undefined;
}

function sampleFacts(scene, page, r)
{
	const row = scene.model.rows[r];

	return facts([
		...row.start <= row.end ? waitFacts(scene, page, r) : [],
		["index", formatValue(row.index)],
		["group", isKnown(row.group) ? link(formatValue(row.group), () =>
			page.setFilter(`group:${quoteTerm(row.group)}`), {
			title: "show this group only"}) : undefined],
		["status", knownValue(row.status)],
		["reward", isKnown(row.reward) ? rewardText(row.reward, page) :
			undefined],
		["source", knownValue(row.source)],
		["label", knownValue(row.label)],
		["response_length", row.tokens ? `${formatValue(row.tokens)} ` +
			`in total, longest ${formatValue(row.longest)}` :
			undefined],
		["from start to end", formatExact(row.end - row.start)],
		["attempt", knownValue(row.attempt)],
		["trace", knownValue(row.trace)],
		...ownId(row),
		["in dump", `position ${formatCount(row.row)}`],
	]);
}

/* A value as a term's, so that the filter reads it back. */
function quoteTerm(value)
{
	return /^[\p{L}\p{N}_.-]+$/u.test(plainText(value)) ? plainText(value) :
		`"${plainText(value).replaceAll("\"", "")}"`;
}

/* Durations as {bars, low, scale}: counts over equal factors of time. */
function histogram(durations, bars)
{
	const low = Math.max(1, durations[0]);
	const high = Math.max(low * 1.01, durations[durations.length - 1]);
	const scale = bars / Math.log(high / low);
	const counted = new Uint32Array(bars);

	for (const us of durations)
		counted[barOf({low, scale, bars: counted}, us)]++;
	return {bars: counted, low, scale};
}

function barOf({bars, low, scale}, us)
{
	const at = Math.floor(Math.log(Math.max(us, low) / low) * scale);

	return Math.min(Math.max(at, 0), bars.length - 1);
}

/* The histogram as bars that grow from the floor, and a mark below one. */
function histogramBars(durations, here, colour, title)
{
	const made = histogram(durations, BARS);
	const most = Math.max(...made.bars);
	const at = barOf(made, here);

	return element("div", {class: "histogram", role: "img",
		"aria-label": title}, ...[...made.bars].map((count, b) => {
		const bar = element("i", {class: b === at ? "here" : ""});

		bar.style.setProperty("--height",
			`${count > 0 ? 4 + 96 * count / most : 0}%`);
		bar.style.setProperty("--light", colour.light);
		bar.style.setProperty("--dark", colour.dark);
		return bar;
	}));
}

function errorNotes(texts)
{
	return texts.map((text) => element("p", {class: "error"},
		leaf(text, ERROR_TEXT)));
}

/* The details of an item; attrs is undefined until decoded. */
function itemDetails(scene, page, r, item, attrs)
{
	const {model, model: {items}} = scene;
	const span = isSpan(items, item);
	const kind = kindOf(model, item, attrs);

	return [
		element("h2", {tabindex: -1}, ...span ?
			[swatch(scene.colours[items.name[item]])] : [],
		itemName(model, item)),
		...span && !items.timeless[item] ? [element("p",
			{class: "lead"}, formatDuration(lengthOf(items, item)),
			" ", element("small", {}, shareOf(model, r, item)))] : [],
		...kind ? [element("p", {class: "notice"}, kind)] : [],
		...attrs ? errorNotes(errorTexts(attrs)) : [],
		noteLine(scene, page),
		facts([
			...timesOf(scene, r, item),
			["lane", String(items.lane[item])],
			["attempt", visible(model.strings[items.attempt[item]])],
		]),
		element("div", {class: "same"}),
		...aroundOf(r, item, scene, page),
		...itemList("Children", childrenOf(model, r, item), r, scene, page),
		...attrs ? [
			...attributeTree(span ? "Start attributes" : "Attributes",
				attrs.start, page),
			...attributeTree("End attributes", attrs.end, page),
		] : [element("p", {class: "notice"},
			"Decoding the attributes…")],
		element("h3", {}, capital(rowNoun(scene.model))),
		sampleFacts(scene, page, r),
	];
}

/* What rows did for how long, the most first: [[activity, time], ...]. */
function activityList(scene, rows, range)
{
	const times = activityTimes(scene.stats, rows, range);
	const sum = times.reduce((total, time) => total + time, 0);

	return element("ul", {class: "plain"}, ...[...times.keys()]
		.filter((activity) => times[activity] > 0 &&
			activityCounts(scene, activity))
		.sort((a, b) => times[b] - times[a])
		.map((activity) => element("li", {},
			swatch(activityColour(activity)),
			ACTIVITY_NAMES[activity], " ",
			element("span", {class: "faint"},
				formatDuration(times[activity]), " · ",
				formatShare(times[activity] / sum)))));
}

/* The names that own most of a sample's time. */
function ownedNames(stats, r, {model, colours})
{
	const times = selfTimes(stats, [r]);
	const names = [...times.keys()].filter((name) => times[name] > 0)
		.sort((a, b) => times[b] - times[a]).slice(0, LISTED);

	return element("ul", {class: "plain"}, ...names.map((name) =>
		element("li", {}, swatch(colours[name]),
			nameText(model.strings[name]), " ",
			element("span", {class: "faint"},
				formatDuration(times[name])))));
}

function rowDetails(scene, page, r)
{
	const {model, stats} = scene;
	const row = model.rows[r];
	const timed = stats && row.start < row.end;
	const {duration} = model.waits.rows[r];

	return [
		element("h2", {tabindex: -1},
			`${capital(rowNoun(model))} ${formatValue(row.index)}`),
		element("p", {class: "lead"}, formatDuration(duration), " ",
			element("small", {}, "of own work in " +
				formatDuration(row.end - row.start))),
		noteLine(scene, page),
		sampleFacts(scene, page, r),
		...timed ? [
			element("h3", {}, "Time by activity"),
			activityList(scene, [r]),
			element("h3", {}, "Self time by span name"),
			ownedNames(stats, r, scene),
		] : [],
		...itemList("Without a time", timelessOf(model, row), r, scene,
			page),
	];
}

/* Of all samples shown, when nothing is selected. */
function overallDetails(scene)
{
	const {model, stats} = scene;
	const hint = element("p", {class: "notice"},
		`Click a bar or a ${rowNoun(model)} for details.`);
	const many = rowNouns(model);
	const {rows, range} = scopeOf(scene);

	if (!stats || rows.length === 0)
		return [hint];
	const {samples, wall, time, own} = extent(stats, rows, range);
	const {peak, tail} = concurrency(stats, rows, range);
	const times = activityTimes(stats, rows, range);
	const share = (us) => us > 0 ? `${formatDuration(us)} · ` +
		formatShare(ratio(us, time)) : undefined;

	return [
		element("h2", {tabindex: -1}, range !== ALWAYS ?
			"The measured range" : samples === model.rows.length ?
				`All ${many}` : `The ${many} shown`),
		hint,
		facts([
			[many, formatCount(samples)],
			["wall time", formatDuration(wall)],
			[`${rowNoun(model)} time`, formatDuration(time)],
			["own work", share(own)],
			["group wait", share(times[GROUP_WAIT])],
			["client queue", share(times[CLIENT_QUEUE])],
			["peak concurrency", formatCount(peak)],
			["bubble", formatShare(bubbleOf(stats, rows, range))],
			["tail (<10% working)", formatDuration(tail)],
		]),
		element("h3", {}, "Time by activity"),
		activityList(scene, rows, range),
	];
}

/* Put elements into the details; a focus that was in them stays there. */
function fillDetails(root, elements)
{
	const focused = root.contains(document.activeElement);

	root.replaceChildren(element("div", {class: "columns-if-wide"},
		...elements));
	if (focused)
		root.querySelector("h2")?.focus();
}

/* Show what is selected. Attributes are decoded on the way, unless something
 * else was selected meanwhile. */
async function showDetails(root, scene, page)
{
	const {model, state: {selected: {row, item}}} = scene;

	if (row < 0) {
		fillDetails(root, overallDetails(scene));
		return;
	}
	if (item < 0) {
		fillDetails(root, rowDetails(scene, page, row));
		return;
	}
	if (!scene.attrs) {
		fillDetails(root, itemDetails(scene, page, row, item));
		await page.needAttrs();
	}
	if (scene.model === model && scene.state.selected.item === item) {
		fillDetails(root, itemDetails(scene, page, row, item,
			readAttrs(model.items, scene.attrs, item)));
		await showSame(root, scene, item);
	}
}

/* The rows shown have changed: so has what is said of all of them. */
function updateDetails(root, scene)
{
	const {selected: {row, item}} = scene.state;
	const same = root.querySelector(".same");

	if (row < 0)
		fillDetails(root, overallDetails(scene));
	else if (item >= 0 && same)
		showSame(root, scene, item);
}
