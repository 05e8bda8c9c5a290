/*
 * The panel beside the plot. All text goes in as text nodes: what a dump says
 * is never markup.
 */

/* An element with attributes and children; a string child is text. */
function element(tag, attributes, ...children)
{
	const made = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (key === "click")
			made.addEventListener("click", value);
		else
			made.setAttribute(key, value);
	}
	made.append(...children.filter((child) => child !== undefined));
	return made;
}

/* {name: text or element} as a description list. */
function facts(pairs)
{
	return element("dl", {}, ...pairs.flatMap(([name, value]) => [
		element("dt", {}, name),
		element("dd", {}, value),
	]));
}

/* A decoded JSON value as nested lists. */
function tree(value)
{
	const list = Array.isArray(value);
	const entries = Object.entries(value);

	if (entries.length === 0)
		return leaf(list ? "[]" : "{}");
	return element("ul", {class: "tree"}, ...entries.map(([key, inner]) =>
		element("li", {}, element("span", {class: "key"},
			visible(key) + " "), branch(inner))));
}

function branch(value)
{
	if (value instanceof Digits)
		return leaf(value.text);
	if (value !== null && typeof value === "object")
		return tree(value);
	return leaf(typeof value === "string" ?
		visible(value) : String(value));
}

function leaf(text)
{
	return element("span", {class: "value"}, text);
}

/* A titled tree, nothing where there are no attributes. */
function attributes(title, value)
{
	if (value === null || Object.keys(value).length === 0)
		return [];
	return [element("h3", {}, title), tree(value)];
}

function itemName(model, item)
{
	return visible(model.strings[model.items.name[item]]);
}

/* What an item is, in words; nothing for a plain span. */
function kindOf(model, item, attrs)
{
	const {items} = model;

	switch (items.state[item]) {
	case OPEN:
		return "open span: it has no end, and is drawn until " +
			(CLIPPED_BY[attrs?.end.clipped_by] || "its row ends");
	case POINT:
		return "point event";
	case ORPHAN:
		return "orphan: an end whose start was never recorded";
	default:
		return [undefined, "prefill half of its parent",
			"decode half of its parent"][items.role[item]];
	}
}

const CLIPPED_BY = {
	row_end: "the last event of its sample",
	next_sibling_start: "its next sibling starts",
	ancestor_end: "the span around it ends",
	self: "its own start",
};

function timesOf(model, item)
{
	const {items, about} = model;
	const start = items.start[item];
	const end = items.end[item];
	const span = items.state[item] <= OPEN;
	const word = items.state[item] === OPEN ? "drawn until" : "end";

	if (items.timeless[item])
		return [["time", "none that could be placed"]];
	return [
		[span ? "start" : "at", formatExact(start)],
		...span ? [[word, formatExact(end)],
			["duration", formatExact(end - start)]] : [],
		["clock", formatClock(about.start + start)],
	];
}

/* The share of the row's time, as text. */
function shareOf(model, item)
{
	const row = model.rows[rowOfItem(model, item)];
	const share = (model.items.end[item] - model.items.start[item]) /
		(row.end - row.start);

	return share >= 0 ? `${(share * 100).toFixed(1)}% of its sample` : "";
}

/* The spans around an item, innermost first. A chain may be a circle. */
function ancestors(items, item)
{
	const chain = [];

	for (let i = items.parent[item]; i >= 0 && i !== item &&
	     !chain.includes(i); i = items.parent[i])
		chain.push(i);
	return chain;
}

function parentChain(model, item, select)
{
	const chain = ancestors(model.items, item);
	const unknown = model.items.parentId[item];

	if (chain.length > 0) {
		return [element("h3", {}, "Inside"), element("div",
			{class: "chain"}, ...chain.map((i) => element("button",
				{type: "button", click: () => select(i)},
				itemName(model, i))))];
	}
	if (unknown > 0) {
		return [element("h3", {}, "Inside"), element("div", {},
			"a span that was not recorded: " +
			visible(model.strings[unknown - 1]))];
	}
	return [];
}

function sampleFacts(row)
{
	return facts([
		["position", `${formatCount(row.row)} in the dump`],
		["index", formatValue(row.index)],
		["group", formatValue(row.group)],
		["status", formatValue(row.status)],
		["reward", typeof row.reward === "object" && row.reward ?
			tree(row.reward) : formatValue(row.reward)],
		["source", formatValue(row.source)],
		["label", formatValue(row.label)],
		["tokens", `${formatValue(row.tokens)} in all, ` +
			`${formatValue(row.longest)} at most`],
		["duration", formatExact(row.end - row.start)],
		["attempt", formatValue(row.attempt)],
		["trace", formatValue(row.trace)],
	]);
}

/* Show an item. attrs is undefined until the attributes are decoded. */
function showItem(panel, scene, item, attrs, select)
{
	const {model} = scene;
	const {items} = model;
	const span = items.state[item] <= OPEN;
	const duration = items.end[item] - items.start[item];
	const spanId = items.spanId[item];
	const kind = kindOf(model, item, attrs);

	panel.replaceChildren(
		element("h2", {}, ...span ? [swatch(colourOf(scene, item))] :
			[], itemName(model, item)),
		...span && !items.timeless[item] ? [element("p",
			{class: "lead"}, formatDuration(duration), " ",
			element("small", {}, shareOf(model, item)))] : [],
		...kind ? [element("p", {class: "notice"}, kind)] : [],
		facts([
			...timesOf(model, item),
			["lane", String(items.lane[item])],
			["attempt", formatValue(
				model.strings[items.attempt[item]])],
			...spanId ? [["span id",
				visible(model.strings[spanId - 1])]] : [],
		]),
		...parentChain(model, item, select),
		...attrs === undefined ? [element("p", {class: "notice"},
			"Decoding the attributes…")] : [],
		...attrs ? attributes(span ? "At its start" : "Attributes",
			attrs.start) : [],
		...attrs ? attributes("At its end", attrs.end) : [],
		element("h3", {}, "Sample"),
		sampleFacts(model.rows[rowOfItem(model, item)]));
}

function showRow(panel, scene, r)
{
	const row = scene.model.rows[r];

	panel.replaceChildren(
		element("h2", {}, `Sample ${formatValue(row.index)}`),
		element("p", {class: "lead"},
			formatDuration(row.end - row.start)),
		sampleFacts(row));
}

function showNothing(panel)
{
	panel.replaceChildren(
		element("p", {class: "notice"}, "Each line is a sample; its " +
			"colours say what it was doing. Click a bar for its " +
			"details, a sample for its spans."),
		element("div", {}, ...ACTIVITIES.map((activity) => element(
			"div", {}, swatch(activity), activity.name))));
}

/* A colour, told as light and dark or as one string. */
function swatch(colour)
{
	const made = element("span", {class: "swatch"});
	const theme = document.documentElement.dataset.theme;

	made.style.background = colour[theme] || colour;
	return made;
}

/* By span name: how many, how long, over all samples; the longest first. */
function nameTotals(model)
{
	const {items} = model;
	const totals = new Map();

	for (let i = 0; i < items.name.length; i++) {
		if (items.state[i] > OPEN || items.role[i] !== 0 ||
		    items.timeless[i])
			continue;
		const name = items.name[i];
		const sum = totals.get(name) || {name, count: 0, total: 0};

		sum.count++;
		sum.total += items.end[i] - items.start[i];
		totals.set(name, sum);
	}
	return [...totals.values()].sort((a, b) => b.total - a.total);
}

function showNames(panel, scene)
{
	const {model} = scene;
	const head = ["span", "count", "total", "mean"];

	panel.replaceChildren(element("table", {},
		element("thead", {}, element("tr", {}, ...head.map((text) =>
			element("th", {scope: "col"}, text)))),
		element("tbody", {}, ...scene.totals.map((sum) => {
			const name = visible(model.strings[sum.name]);

			return element("tr", {},
				element("td", {title: name},
					swatch(scene.colours[sum.name]), name),
				element("td", {}, formatCount(sum.count)),
				element("td", {}, formatDuration(sum.total)),
				element("td", {}, formatDuration(
					sum.total / sum.count)));
		}))));
}
