/*
 * The aggregate: the spans of the samples shown, merged by the path of their
 * names, as a flame graph that hangs from the top. A block is as wide as the
 * time that its spans and those inside them own, each moment counted once
 * (self_time.js), so that the blocks below one never need more room than it
 * has. Names that the legend hides are left out, and what is inside them
 * hangs from what is around them.
 *
 * A node is {name, parent, children, depth, self, total, count, wide}: self,
 * total and count are those of the names' table for this path alone, wide is
 * self with that of all below. The first node is the whole; its name is -1 and
 * its total is the time of the samples.
 */

const FLAME_ROWS = 64; /* between pauses */
const FLAME_HEIGHT = 19; /* px of a level */
const FLAME_LEAST = 0.0015; /* of the width: what is thinner is not drawn */
const FLAME_SEPARATOR = " › ";

function flameNode(name, parent)
{
	return {name, parent, children: new Map(), self: 0, total: 0, count: 0,
		wide: 0, depth: parent ? parent.depth + 1 : 0};
}

function flameChild(node, name)
{
	if (!node.children.has(name))
		node.children.set(name, flameNode(name, node));
	return node.children.get(name);
}

/* The nodes of a row's items, by their place in the row. Parents that are a
 * circle begin at the whole. */
function flamePaths({items}, {first, items: many}, root, hidden)
{
	const nodes = new Array(many);

	for (let i = first; i < first + many; i++) {
		const chain = [];
		let at = i;

		while (at >= 0 && nodes[at - first] === undefined) {
			nodes[at - first] = root;
			chain.push(at);
			at = items.parent[at];
		}
		let node = at < 0 ? root : nodes[at - first];

		for (const item of chain.reverse()) {
			if (counts(items, item) && !hidden.has(items.name[item]))
				node = flameChild(node, items.name[item]);
			nodes[item - first] = node;
		}
	}
	return nodes;
}

/* Count a row's spans into their nodes. */
function addFlameRow(stats, r, range, root, hidden)
{
	const {model, model: {items}} = stats;
	const row = model.rows[r];
	const nodes = flamePaths(model, row, root, hidden);

	eachSpan(model, [r], range, (i, time) => {
		if (hidden.has(items.name[i]))
			return;
		nodes[i - row.first].count++;
		nodes[i - row.first].total += time;
	});
	eachInterval(stats.selfTimes, r, range, (item, from, to) => {
		if (item >= 0 && !hidden.has(items.name[item]))
			nodes[item - row.first].self += to - from;
	});
}

/* A node and all below it, each before its own children. */
function flameNodes(root)
{
	const found = [root];

	for (let k = 0; k < found.length; k++)
		found.push(...found[k].children.values());
	return found;
}

/* Slices: the whole of the rows within the range, without what is hidden. */
function* flameTree(stats, rows, range, hidden = new Set())
{
	const root = flameNode(-1);

	for (let k = 0; k < rows.length; k++) {
		addFlameRow(stats, rows[k], range, root, hidden);
		if (k % FLAME_ROWS === 0)
			yield;
	}
	for (const node of flameNodes(root).reverse()) {
		node.wide += node.self;
		if (node.parent)
			node.parent.wide += node.wide;
	}
	root.total = extent(stats, rows, range).time;
	root.count = rows.length;
	return root;
}

/* The children that have a width or spans, the widest first. */
function flameChildren(node)
{
	return [...node.children.values()].filter(({count, wide}) =>
		count > 0 || wide > 0).sort((a, b) => b.wide - a.wide ||
		b.total - a.total || a.name - b.name);
}

/* The nodes from below the whole to this one. */
function flamePath(node)
{
	const path = [];

	for (let at = node; at.parent; at = at.parent)
		path.unshift(at);
	return path;
}

/* The node of a path of names as text, or as much of it as there is. */
function flameAt(root, strings, path)
{
	let node = root;

	for (const text of path) {
		const next = [...node.children.values()].find(({name}) =>
			strings[name] === text);

		if (!next)
			break;
		node = next;
	}
	return node;
}

/* Where blocks stand, when `zoomed` takes all of the width: [{node, left,
 * width, level}], parts of the width. Those around it are as wide. */
function flameBlocks(root, zoomed)
{
	const around = [root, ...flamePath(zoomed)];
	const blocks = around.map((node, level) =>
		({node, left: 0, width: 1, level}));
	const whole = zoomed === root ? Math.max(root.total, root.wide) :
		zoomed.wide;

	for (let k = blocks.length - 1; k < blocks.length; k++) {
		const {node, left, level} = blocks[k];
		let at = left;

		for (const child of flameChildren(node)) {
			const width = whole > 0 ? child.wide / whole : 0;

			if (width >= FLAME_LEAST) {
				blocks.push({node: child, left: at, width,
					level: level + 1});
			}
			at += width;
		}
	}
	return blocks;
}

/* The path of names that is zoomed to, as the address has it. */
function writeFlame(path)
{
	return path.length ? JSON.stringify(path) : "";
}

function readFlame(text)
{
	const path = JSON.parse(text);

	return Array.isArray(path) && path.every((name) =>
		typeof name === "string") ? path : undefined;
}

/* --- the tab --- */

function flameName(model, node)
{
	return node.parent ? nameText(model.strings[node.name]) :
		`all ${rowNouns(model)}`;
}

function sayFlame({model}, root, node)
{
	const path = node.parent ? flamePath(node).map((one) =>
		flameName(model, one)).join(FLAME_SEPARATOR) :
		flameName(model, node);
	const noun = rowNoun(model);

	return `${path}: total ${formatDuration(node.total)} · self ${
		formatDuration(node.self)} · ${node.parent ?
		plural(node.count, "span") : plural(node.count, noun)} · ${
		formatShare(ratio(node.wide, root.total))} of ${noun} time`;
}

/* Zoom, and keep the focus on the graph if it is there. */
function zoomFlame(scene, page, node)
{
	scene.flameFocus = Boolean(document.activeElement?.closest(".flame"));
	page.setState({flame: flamePath(node).map(({name}) =>
		scene.model.strings[name])});
}

function flameBlock(scene, root, {node, left, width, level})
{
	const made = element("button", {type: "button", class: "flame-block",
		role: "treeitem", tabindex: -1, "aria-level": level + 1,
		"aria-label": sayFlame(scene, root, node),
		title: sayFlame(scene, root, node)},
	flameName(scene.model, node));
	const colour = node.parent ? scene.colours[node.name] : IDLE_COLOUR;

	made.style.left = `${100 * left}%`;
	made.style.width = `${100 * width}%`;
	made.style.top = `${level * FLAME_HEIGHT}px`;
	for (const theme of ["light", "dark"]) {
		made.style.setProperty(`--${theme}`, colour[theme]);
		made.style.setProperty(`--${theme}-ink`, inkOn(colour[theme]));
	}
	return made;
}

/* The block that a key leads to from the k-th one; undefined: none. */
function flameBeside(blocks, k, key)
{
	const {node, level, left} = blocks[k];
	const near = (list) => list.reduce((best, one) => !best ||
		Math.abs(one.left - left) < Math.abs(best.left - left) ?
		one : best, undefined);
	const row = blocks.filter((one) => one.level === level);
	const at = row.indexOf(blocks[k]);

	return {
		ArrowLeft: row[at - 1], ArrowRight: row[at + 1],
		ArrowUp: blocks.find((one) => one.node === node.parent),
		ArrowDown: near(blocks.filter((one) =>
			one.node.parent === node)),
		Home: blocks[0], End: blocks[blocks.length - 1],
	}[key];
}

/* The blocks: a click or Enter zooms, arrows walk, Backspace goes out. */
function flameGraph(scene, page, root, zoomed)
{
	const blocks = flameBlocks(root, zoomed);
	const made = blocks.map((block) => flameBlock(scene, root, block));
	const said = element("p", {class: "notice flame-said"},
		sayFlame(scene, root, zoomed));
	const graph = element("div", {class: "flame", role: "tree",
		"aria-label": "spans by the path of their names"}, ...made);
	const here = made[blocks.findIndex(({node}) => node === zoomed)];
	const of = (event) => made.indexOf(event.target);
	const say = (event) => of(event) >= 0 && (said.textContent =
		sayFlame(scene, root, blocks[of(event)].node));

	graph.style.height = `${FLAME_HEIGHT * (1 + blocks.reduce((most,
		{level}) => Math.max(most, level), 0))}px`;
	here.tabIndex = 0;
	if (scene.flameFocus)
		setTimeout(() => here.focus());
	scene.flameFocus = false;
	graph.addEventListener("pointerover", say);
	graph.addEventListener("focusin", say);
	graph.addEventListener("click", (event) => of(event) >= 0 &&
		zoomFlame(scene, page, blocks[of(event)].node));
	graph.addEventListener("keydown", (event) => {
		const next = flameBeside(blocks, of(event), event.key);

		if (event.key === "Backspace" && zoomed.parent) {
			zoomFlame(scene, page, zoomed.parent);
		} else if (next) {
			made.forEach((one) => one.tabIndex = -1);
			made[blocks.indexOf(next)].tabIndex = 0;
			made[blocks.indexOf(next)].focus();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	});
	return [graph, said];
}

const FLAME_COLUMNS = [
	{title: "self", value: (node) => node.self, text: formatDuration,
		help: "time in which no span inside it was under way"},
	{title: "share", value: (node) => node.share, text: formatShare,
		help: "self time of the time of all rows"},
	{title: "total", value: (node) => node.total, text: formatDuration,
		help: "sum of durations"},
	{title: "count", value: (node) => node.count, text: formatCount,
		help: "spans"},
];

function flameRecord(scene, page, root, node)
{
	const {model} = scene;
	const text = flameName(model, node);
	const above = flamePath(node).slice(0, -1).map((one) =>
		flameName(model, one)).join(FLAME_SEPARATOR);

	return {
		said: {...node, share: ratio(node.self, root.total)},
		name: text, share: ratio(node.self, root.total),
		head: () => [
			swatch(scene.colours[node.name]),
			link(text, () => zoomFlame(scene, page, node),
				{title: "zoom to it"}),
			...above ? [" ", element("span", {class: "faint"},
				`in ${above}`)] : [],
			element("span", {class: "actions"}, link(
				`show ${rowNouns(model)}`, () => page.setFilter(`name=${
					quoteTerm(model.strings[node.name])}`), {
					"aria-label": `filter by ${text}`,
					title: `only ${rowNouns(model)} with such a span`})),
		],
	};
}

/* Slices: the tree, kept while the same is asked. */
function* flameSteps(scene)
{
	const {stats, order, state: {measured, hidden}} = scene;
	const kept = stats.flame;

	if (kept?.order === order && kept.measured === measured &&
	    kept.hidden === hidden)
		return kept.root;
	const {rows, range} = scopeOf(scene);
	const root = yield* flameTree(stats, rows, range, hidden);

	stats.flame = {order, measured, hidden, root};
	return root;
}

function flameTab(scene, page, root)
{
	const {model, state} = scene;
	const zoomed = flameAt(root, model.strings, state.flame);
	const below = flameNodes(zoomed).filter(({count, parent}) =>
		parent && count > 0);

	if (root.children.size === 0) {
		return {columns: [], records: [], notes: [scopeNote(scene),
			element("p", {class: "notice"}, "No span to aggregate.")]};
	}
	return {
		head: "span", columns: FLAME_COLUMNS, sort: "self",
		notes: [scopeNote(scene), ...flameGraph(scene, page, root,
			zoomed), ...zoomed.parent ? [element("p", {},
			chipButton("zoom out", () => zoomFlame(scene, page,
				zoomed.parent)), " ",
			chipButton("all", () => zoomFlame(scene, page, root)))] :
			[]],
		records: below.map((node) => flameRecord(scene, page, root,
			node)),
	};
}
