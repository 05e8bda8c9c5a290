/*
 * The panel of what matters, in tabs: time by span name, the samples that
 * ended last, errors, open spans and orphans. It tells of the rows shown
 * (scene.order) and, when one is measured, of a range of time. Only the tab
 * in front is computed.
 *
 * A tab's steps, where it has some, count in slices what its make is given.
 * That gives {columns, records, notes}: columns have {title, value} and
 * perhaps {text}, records are sorted by value and shown as text; notes are
 * elements above the table.
 */

const PANEL_DELAY = 60; /* ms, in which changes are gathered */
const WIDE = 520; /* px from which a record is one line */
const RECORDS = 200; /* shown at most */
const ERRORS_READ = 5000; /* spans of which errors are counted by kind */

const TABS = {
	stragglers: {title: "Stragglers", steps: stragglersTabSteps,
		make: stragglersTab},
	names: {title: "Names", steps: namesSteps, make: namesTab},
	whatif: {title: "What if", help: "what remedies would have saved",
		make: whatIfTab},
	spread: {title: "Distributions", steps: spreadSteps, make: spreadTab,
		help: "tokens against time, and histograms"},
	critical: {title: "Critical path", steps: criticalSteps,
		make: criticalTab, help: "what had to happen one after the other"},
	flame: {title: "Aggregate", steps: flameSteps, make: flameTab,
		help: "spans by the path of their names, as a flame graph"},
	errors: {title: "Errors", steps: errorsSteps, make: errorsTab,
		count: countErrors, ordered: true},
	open: {title: "Open", help: "open spans, orphans, items without a time",
		ordered: true, steps: openSteps, make: openTab, count: countOdd},
	notes: {title: "Notes", make: notesTab,
		help: "words on spans, rows and moments, kept in the " +
			"URL",
		count: ({state}) => state.notes.length},
	export: {title: "Export", steps: commandSteps, make: exportTab,
		help: "what is shown as files, and as a command"},
};

/* A button that selects a row or an item and brings it into view. */
function goTo(page, text, row, item = -1)
{
	return link(text, () => page.reveal(row, item));
}

/* "#7"; of several rows of one index "#7 (row 12)", its place in the dump. */
function rowTitle({model}, r)
{
	const {index, row} = model.rows[r];

	return `#${formatValue(index)}` + (repeatedIndexes(model).has(
		JSON.stringify(index)) ? ` (row ${formatCount(row)})` : "");
}

/* The indexes, as JSON, that several rows of a model have, found once. */
function repeatedIndexes(model)
{
	return finish(repeatedSteps(model));
}

function* repeatedSteps(model)
{
	const {rows} = model;
	const seen = new Set();
	const repeated = new Set();

	for (let r = 0; !model.repeated && r < rows.length; r++) {
		const index = JSON.stringify(rows[r].index);

		if (seen.size === seen.add(index).size)
			repeated.add(index);
		if (r % SUM_ROWS === 0)
			yield;
	}
	model.repeated ??= repeated;
	return model.repeated;
}

/* Which part of all the figures are of. */
function scopeNote({model, order, state: {measured}})
{
	const all = model.rows.length;
	const rows = (order.length === all ? "" :
		`${formatCount(order.length)} of `) + plural(all, rowNoun(model));

	return element("p", {class: "notice"}, measured ?
		`${rows} within ${formatRange(measured)}` : rows);
}

/* --- by name --- */

const NAME_COLUMNS = [
	{title: "self", value: (said) => said.self, text: formatDuration,
		help: "time in which no span inside it was under way"},
	{title: "share", wide: true, value: (said) => said.share,
		text: formatShare, help: "self time of the time of all rows"},
	{title: "total", value: (said) => said.total, text: formatDuration,
		help: "sum of durations"},
	{title: "count", value: (said) => said.count, text: formatCount,
		help: "spans"},
	{title: "concurrency", wide: true, value: (said) => said.concurrency,
		text: (many) => many === null ? "–" : formatValue(many),
		help: "running on average"},
	{title: "p50", wide: true, value: (said) => said.p50,
		text: formatDuration, help: "median duration"},
	{title: "p95", value: (said) => said.p95, text: formatDuration,
		help: "95 of 100 last no longer"},
	{title: "max", wide: true, value: (said) => said.max,
		text: formatDuration, help: "longest duration"},
];

/* The spans of a name among the rows shown, the longest first. */
function longestOf({model, order}, name)
{
	const found = [];

	eachSpan(model, order, ALWAYS, (i, duration) =>
		model.items.name[i] === name && found.push([duration, i]));
	return found.sort((a, b) => b[0] - a[0] || a[1] - b[1])
		.slice(0, RECORDS).map(([, i]) => i);
}

/* A name goes to its longest span, and on to the next when that is it. */
function goToLongest(scene, page, name)
{
	const longest = longestOf(scene, name);
	const at = longest.indexOf(scene.state.selected.item);
	const item = longest[(at + 1) % longest.length];

	if (item !== undefined)
		page.reveal(rowOfItem(scene.model, item), item);
}

function nameHead(scene, page, name)
{
	const text = nameText(scene.model.strings[name]);
	const rows = rowNouns(scene.model);

	return [
		swatch(scene.colours[name]),
		link(text, () => goToLongest(scene, page, name), {
			title: "to its longest span; again: to the next"}),
		element("span", {class: "actions"},
			link(`show ${rows}`, () => page.setFilter(
				`name=${quoteTerm(scene.model.strings[name])}`), {
				"aria-label": `filter by ${text}`,
				title: `only ${rows} with such a span`}),
			" · ", link("isolate", () => page.toggleName(name, true), {
				"aria-label": `show only ${text}`,
				title: "draw only these spans"})),
	];
}

function namesSteps({stats, order, model, state})
{
	return nameSteps(stats, timedRows(model, order),
		state.measured || ALWAYS);
}

function namesTab(scene, page, names)
{
	const {model} = scene;

	return {
		head: "span", columns: NAME_COLUMNS, sort: "self",
		notes: [scopeNote(scene)],
		records: names.filter(({name}) =>
			!scene.state.hidden.has(name)).map((said) => ({
			said,
			share: said.share,
			name: model.strings[said.name],
			head: () => nameHead(scene, page, said.name),
		})),
	};
}

/* --- errors, open spans and orphans --- */

function brokenRows({model: {rows}, order})
{
	const found = [];

	for (const r of order) {
		const {status} = rows[r];

		if (status === "failed" || status === "aborted")
			found.push(r);
	}
	return found;
}

/* Those of the measured range, if there is one. */
function brokenInScope(scene)
{
	return brokenRows(scene.state.measured ?
		{model: scene.model, order: scopeOf(scene).rows} : scene);
}

function countErrors(scene)
{
	return countItems(scene, "error") + brokenInScope(scene).length;
}

function countOdd(scene)
{
	return countItems(scene, "odd");
}

/* The attributes of an item; undefined before they are there. */
function attrsOf({model, attrs}, item)
{
	return attrs && readAttrs(model.items, attrs, item);
}

function itemRecord(scene, page, [r, item])
{
	return {
		said: {row: r, item}, name: item,
		head: () => [
			goTo(page, `${rowTitle(scene, r)} ` +
				itemName(scene.model, item), r, item)],
	};
}

/* When an item is, for its column. */
function timeColumn({model: {items, rows}})
{
	return {
		title: "at", text: formatDuration,
		value: ({row, item}) => item < 0 ? rows[row].end :
			items.timeless[item] ? NaN : items.start[item],
	};
}

function errorWords(scene, {row, item})
{
	if (item < 0)
		return `the ${rowNoun(scene.model)}'s status is ${scene.model.rows[row].status}`;
	return scene.attrs ? errorTexts(attrsOf(scene, item)).map((text) =>
		visible(text.slice(0, TREE_TEXT))).join(": ") : "decoding…";
}

/* Slices: {items, kinds}: the spans with an error, and how many there are by
 * the first text of each, the most frequent first. */
function* errorsSteps(scene)
{
	const items = yield* markedSteps(scene, "error");
	const counted = new Map();

	for (let k = 0; scene.attrs && k < items.length && k < ERRORS_READ; k++) {
		const [text] = errorTexts(attrsOf(scene, items[k][1]));

		counted.set(text, (counted.get(text) || 0) + 1);
		if (k % SUM_ROWS === 0)
			yield;
	}
	return {items, kinds: [...counted].sort((a, b) => b[1] - a[1])};
}

/* Those kinds as filters. */
function errorKinds({model}, page, kinds)
{
	return element("ul", {class: "plain kinds"}, ...kinds.slice(0, 8)
		.map(([text, many]) => element("li", {},
			link(visible(text.slice(0, 120)), () => page.setFilter(
				`error:${quoteTerm(text.slice(0, 120))}`),
			{title: `only ${rowNouns(model)} with such an error`}),
			` × ${formatCount(many)}`)));
}

function errorsTab(scene, page, {items, kinds})
{
	const rows = brokenInScope(scene);
	const nouns = rowNouns(scene.model);
	const text = rows.length + items.length === 0 ?
		`No span with an error among the ${nouns} shown, and none of ` +
		"them failed or was aborted." :
		`${formatCount(items.length)} spans with an error; ` +
		`${formatCount(rows.length)} ${nouns} failed or aborted.`;

	return {
		head: "where", columns: [timeColumn(scene),
			{title: "what", words: (said) =>
				errorWords(scene, said)}],
		notes: [element("p", {class: "notice"}, text),
			...scene.attrs ? [errorKinds(scene, page, kinds)] : []],
		needsAttrs: items.length > 0,
		records: [
			...items.map((pair) => itemRecord(scene, page, pair)),
			...rows.map((r) => ({
				said: {row: r, item: -1}, name: r,
				head: () => [goTo(page, rowTitle(scene, r), r)],
			})),
		],
	};
}

/* Why an item is in the tab of open spans and orphans. */
function oddWords(scene, {item})
{
	const {model, model: {items}} = scene;
	const attrs = attrsOf(scene, item);

	return [
		...items.state[item] === OPEN || items.state[item] === ORPHAN ?
			[kindOf(model, item, attrs)] : [],
		...items.timeless[item] ? ["its time is none that could be " +
			"placed, so it is not drawn"] : [],
	].join("; ");
}

function openSteps(scene)
{
	return markedSteps(scene, "odd");
}

function openTab(scene, page, found)
{
	return {
		head: "where", columns: [timeColumn(scene),
			{title: "why", words: (said) => oddWords(scene, said)}],
		notes: [element("p", {class: "notice"}, found.length === 0 ?
			`Every span of the ${rowNouns(scene.model)} shown has ` +
			"its start and its end." : "A span is open when the rollout ended, or the " +
			"process died, before its end was recorded.")],
		needsAttrs: found.length > 0,
		records: found.map((pair) => itemRecord(scene, page, pair)),
	};
}

/* --- the panel --- */

function tabButton(key, {title, help}, count, chosen, choose)
{
	return element("button", {
		type: "button", role: "tab", id: `tab-${key}`,
		title: help || title.toLowerCase(),
		"aria-selected": String(chosen), "aria-controls": "tab-panel",
		tabindex: chosen ? 0 : -1, click: () => choose(key),
	}, count > 0 ? `${title} ${formatCount(count)}` : title);
}

/* Left, right, Home and End walk tabs. */
function walkTabs(event, choose)
{
	const keys = Object.keys(TABS);
	const at = keys.indexOf(event.target.id.slice("tab-".length));
	const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0,
		End: keys.length - 1}[event.key];

	if (at < 0 || to === undefined)
		return;
	event.preventDefault();
	event.stopPropagation();
	choose(keys[(to + keys.length) % keys.length]);
	document.getElementById(`tab-${keys[(to + keys.length) % keys.length]}`)
		?.focus();
}

/*
 * The panel in `root`: {update(why)}, to be called when the rows shown or the
 * range have changed ("rows"), or their order ("order"), the statistics were
 * counted ("stats"), the notes are others ("notes"), and for "selection" and
 * "theme", which change nothing here.
 */
function makePanel(root, scene, page)
{
	const sorted = {}; /* by tab: {title, down} */
	const content = element("div", {id: "tab-panel", class: "tab-panel",
		role: "tabpanel", tabindex: 0});
	const list = element("div", {role: "tablist",
		"aria-label": "what matters"});
	const choose = (tab) => {
		page.setState({tab});
		draw();
	};
	const wide = () => root.clientWidth >= WIDE;
	let drawnWide; /* undefined: no records yet */
	let counting;
	let timer = 0;
	let drawn; /* the key of the tab */

	/* Resolves once what the tab has is there. */
	async function draw()
	{
		const key = scene.state.tab;

		clearTimeout(timer);
		keepFocused(() => list.replaceChildren(...Object.entries(TABS)
			.map(([name, tab]) => tabButton(name, tab, scene.stats ?
				tab.count?.(scene) : 0, name === key, choose))));
		content.setAttribute("aria-labelledby", `tab-${key}`);
		if (!scene.stats) {
			content.replaceChildren(element("p", {class: "notice"},
				"counting…"));
			return;
		}
		drawnWide = wide();
		await count(key);
	}

	/* What was there stays until it is counted. */
	async function count(key)
	{
		const {steps, make} = TABS[key];

		counting?.abort();
		counting = new AbortController();
		const {signal} = counting;
		const counted = steps &&
			await inSlices(steps(scene), signal);

		if (steps)
			await pause(); /* the table is a task of its own */
		if (signal.aborted)
			return;
		const change = () => drawTab(key, make(scene, page, counted));

		if (key === drawn)
			keepFocused(change);
		else
			change();
		drawn = key;
	}

	function drawTab(key, tab)
	{
		const by = sorted[key] || {title: tab.sort, down: true};
		const {scrollTop} = content;
		const {model} = scene;
		const open = new Set([...content.querySelectorAll(
			"details[open]")].map(({dataset}) => dataset.row));

		content.replaceChildren(...tab.notes, ...tab.records.length ?
			[makeTable(tab, by, drawnWide, (title) => {
				sorted[key] = {title, down: by.title !== title ||
					!by.down};
				drawTab(key, tab);
				content.querySelector(`[aria-sort]:not([aria-sort=` +
					`"none"]) button`)?.focus();
			})] : []);
		for (const fold of content.querySelectorAll("details"))
			fold.open = open.has(fold.dataset.row);
		content.scrollTop = scrollTop;
		if (tab.needsAttrs && !scene.attrs) {
			page.needAttrs().then(() => scene.model === model &&
				root.isConnected && later());
		}
	}

	/* Without the focus being lost to elements that are made anew. */
	function keepFocused(change)
	{
		const buttons = () =>
			[...root.querySelectorAll("button, input, summary")];
		const focused = buttons().indexOf(document.activeElement);

		change();
		if (!root.contains(document.activeElement))
			buttons()[focused]?.focus();
	}

	function later()
	{
		clearTimeout(timer);
		timer = setTimeout(draw, PANEL_DELAY);
	}

	list.addEventListener("keydown", (event) => walkTabs(event, choose));
	root.replaceChildren(list, content);
	const sizes = new ResizeObserver(() => drawnWide !== undefined &&
		wide() !== drawnWide && later());

	sizes.observe(root);
	draw();
	return {
		/* Resolves once a tab is there for paper, if nobody sees it. */
		async drawn() {
			if (!drawn)
				await draw();
		},

		update(why) {
			if (["rows", "stats", "notes"].includes(why) ||
			    (why === "order" && TABS[scene.state.tab].ordered))
				later();
		},

		/* Another is made, of another dump. */
		stop() {
			counting?.abort();
			clearTimeout(timer);
			sizes.disconnect();
		},
	};
}
