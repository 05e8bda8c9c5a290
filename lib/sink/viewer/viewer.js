/*
 * The page itself: one scene, changed by input, drawn in one frame.
 *
 * scene: model, colours, legend, earlier  made once for a dump
 *        stats                            made after the first paint
 *        state                            what a person chose, see state.js
 *        filter, order, lines, tops, shapes, window, plot, scroll, theme,
 *        ink, rgb
 *                                         follow from those
 */

const HASH_DELAY = 250; /* ms; browsers mind many changes of the address */

function byId(id)
{
	return document.getElementById(id);
}

function say(text)
{
	byId("message").textContent = text;
	byId("message").hidden = text === "";
}

async function start()
{
	if (typeof DecompressionStream === "undefined") {
		say("This browser is too old to open the data in this page: " +
			"it lacks DecompressionStream. Chrome 80, Firefox " +
			"113, Safari 16.4 and later have it.");
		return;
	}
	const scene = {};
	const page = makePage(scene);

	try {
		globalThis.timeline = scene; /* for the console, and tests */
		showSorts();
		await page.openHash();
		listenToPointer(scene, page);
		listenToBrush(scene, page);
		listenToCharts(scene, page);
		listenToSplitter(scene, page);
		listenToPrint(scene, page);
		listenToKeys(scene, page);
		listenToControls(scene, page);
		document.documentElement.dataset.ready = "yes";
		await documentRead();
		if (!byId("made-by"))
			throw new Error("its end is missing");
	} catch (error) {
		page.loaded();
		say(`The data in this page cannot be read (${error.message});` +
			" is the file whole?");
	}
}

/* What follows from each field of the state, in the order of EFFECTS. */
const FOLLOWS = {
	filter: ["parse"], sort: ["order"], down: ["order"], group: ["order"],
	expanded: ["layout"], hidden: ["shapes"], attempts: ["shapes"],
	points: ["shapes"], open: ["shapes"], orphans: ["shapes"],
	theme: ["theme"], dock: ["dock"], panel: ["dock"], side: ["dock"],
	far: ["far"], window: ["window"],
	selected: ["selection"], measured: ["rows"], tab: ["rows"],
	charts: ["charts"], cursor: ["cursor"], remedy: ["rows"],
	box: ["order"], by: ["order"], flame: ["rows"], notes: ["notes"],
};

const EFFECTS = {
	far(scene, page) {
		scene.whole = wholeOf(scene.model, scene.state.far);
		EFFECTS.window(scene);
		EFFECTS.overview(scene, page);
		showFar(scene, page);
	},
	window(scene) {
		scene.window = windowOf(scene.state, scene.whole);
	},
	parse(scene, page) {
		readFilter(scene, page);
	},
	order(scene, page) {
		const {model, state, filter, shown} = scene;

		scene.order = orderRows(model, state,
			spreadTest(scene, filter.test), scene.attrs);
		scene.shown = model.shown;
		setLines(scene, page);
		forgetLabels(page);
		scene.fades = fadesOf(scene);
		EFFECTS.layout(scene, page);
		showCount(scene);
		showNone(scene, page);
		showHeads(scene, page);
		if (shown === model.shown) {
			page.tell("order");
			return;
		}
		EFFECTS.overview(scene, page);
		EFFECTS.rows(scene, page);
		countCharts(scene, page);
	},
	charts(scene, page) {
		showCharts(scene, page);
		EFFECTS.cursor(scene, page);
	},
	cursor(scene, page) {
		showCursor(scene, page);
	},
	layout(scene, page) {
		const {top} = scene.state;

		scene.rowHeight = rowHeightFor(scene.lines.at.length,
			byId("scroller").clientHeight);
		document.documentElement.style.setProperty("--row",
			`${scene.rowHeight}px`);
		scene.tops = lineTops(scene.model, scene.lines,
			scene.state.expanded, scene.rowHeight);
		byId("spacer").style.height =
			`${scene.tops[scene.lines.at.length]}px`;
		page.scrollTo(scene.tops[Math.min(top,
			scene.lines.at.length)]);
	},
	shapes(scene, page) {
		scene.shapes.forget();
		relane(scene, page);
		scene.fades = fadesOf(scene);
		EFFECTS.overview(scene, page);
		showLegend(scene, page);
		EFFECTS.rows(scene, page);
	},
	overview(scene) {
		scene.overview = undefined;
		scene.overviewWanted = true;
	},
	theme(scene, page) {
		applyTheme(scene);
		showLegend(scene, page);
		EFFECTS.overview(scene, page);
		page.tell("theme");
	},
	dock(scene, page) {
		applyDock(scene);
		EFFECTS.overview(scene, page);
	},
	selection(scene, page) {
		page.tell("selection");
		if (scene.state.selected.row >= 0 && !scene.sheet) {
			scene.sheet = true;
			applyDock(scene);
		}
	},
	notes(scene, page) {
		page.tell("notes");
	},
	rows(scene, page) {
		countFigures(scene, page);
	},
};

/* Whether an item is drawn faint: it does not match the filter's terms about
 * spans, or belongs to an attempt that failed. */
function fadesOf(scene)
{
	const {earlier, filter: {spanTest}, state} = scene;
	const fade = state.attempts === "highlight";

	if (!spanTest && !fade)
		return () => false;
	return (i) => Boolean(fade && earlier[i]) ||
		Boolean(spanTest && !spanTest(i));
}

/* Read the filter and show what it finds: a dump's first one at once, for what
 * is drawn first. */
function readFilter(scene, page)
{
	const {model, state} = scene;
	const steps = filterSteps(state.filter, model);
	const signal = beginAnew(page.tasks, "filter");

	if (!scene.filter) {
		useFilter(scene, page, finish(steps), signal);
		return;
	}
	inSlices(steps, signal).then((filter) => filter &&
		useFilter(scene, page, filter, signal));
}

/* What attributes must decide is added when they are there. */
function useFilter(scene, page, filter, signal)
{
	scene.filter = filter;
	showFilterError(filter.error);
	page.apply("order");
	if (!filter.needsAttrs)
		return;
	page.needAttrs().then((bytes) => filter.prepare(bytes, signal))
		.then((done) => done && page.apply("order"));
}

/* The operations on the page that input calls. */
function makePage(scene)
{
	let frame = 0;
	let hashTimer = 0;
	let panel;
	let dumps;
	let attrs; /* a promise of them, once asked for */
	let asked = 0; /* dumps, of which only the last one is opened */
	const told = new Set();

	const page = {
		labels: new Map(), /* see showLabels */
		restTimer: 0, /* see glideLabels */
		tasks: {}, /* see beginAnew */
		loaded: holdLoad(), /* to be called once all is drawn */

		/* Draw once in the next frame, however often it is asked. */
		draw() {
			scene.drawn = undefined;
			page.scrolled();
		},

		/* The same where nothing but the scroll has changed. */
		scrolled() {
			frame ||= requestAnimationFrame(() => {
				frame = 0;
				if (!scene.paper)
					drawScene(scene, page);
			});
		},

		async openHash() {
			const mine = ++asked;
			const {hash} = location;
			const wanted = Number(new URLSearchParams(
				hash.slice(1)).get("dump"));

			if (wanted >= 1)
				await documentRead();
			const n = wanted >= 1 ? Math.min(Math.floor(wanted),
				dumpCount() - 1) : 0;
			const model = n === scene.state?.dump ? scene.model :
				await openModel(n);

			if (mine !== asked)
				return;
			page.open(model, {...readHash(hash, model), dump: n});
			if (location.hash !== hash)
				page.keepHash(); /* another was kept since */
		},

		open(model, state) {
			attrs = undefined;
			panel?.stop();
			Object.values(page.tasks).forEach((task) =>
				task.abort());
			Object.assign(scene, sceneOf(model, state));
			say(model.rows.length ? "" :
				"No sample of this dump has a trace.");
			for (const id of ["verdict", "line", "main"])
				byId(id).hidden = false;
			showFacts(scene);
			showChoices(scene);
			showColumns(model);
			documentRead().then(() => {
				dumps ||= makeDumps(byId("dumps"), scene, page);
				dumps.update();
			});
			panel = makePanel(byId("panel"), scene, page);
			page.panelDrawn = panel.drawn;
			page.apply("theme", "dock", "parse", "selection",
				"far");
			if (state.sort.startsWith("attr:"))
				page.needAttrs().then(() =>
					page.apply("order"));
			afterFrame(() => countStatistics(scene, page, model)
				.finally(page.loaded));
		},

		/* With what was chosen until it is open. */
		async selectDump(n) {
			const mine = ++asked;
			const model = await openModel(n);

			if (mine !== asked)
				return;
			const {filter, sort, down, group, theme, tab, dock,
				side, notes, panel: shown} = scene.state;

			page.open(model, {...defaultState(model), dump: n,
				filter, sort, down, group, theme, tab, dock,
				side, notes, panel: shown});
			page.keepHash();
		},

		/* What follows from a change, then all that is drawn. */
		apply(...effects) {
			for (const effect of new Set(effects))
				EFFECTS[effect](scene, page);
			page.draw();
		},

		setState(patch) {
			Object.assign(scene.state, patch);
			scene.sheet = patch.panel ?? scene.sheet;
			showChoices(scene);
			page.apply(...Object.keys(patch).flatMap(
				(key) => FOLLOWS[key] || []));
			page.keepHash();
		},

		/* The address says what is shown, a moment later. */
		keepHash() {
			clearTimeout(hashTimer);
			hashTimer = setTimeout(() => history.replaceState(
				null, "", "#" + writeHash(scene.state,
					scene.model)), HASH_DELAY);
		},

		/* No control shows the window, so none is asked. */
		look(window) {
			const {start, end} = scene.whole;

			scene.state.window = window.start === start &&
				window.end === end ? null : window;
			page.apply("window");
			page.keepHash();
		},

		scrollTo(y) {
			byId("scroller").scrollTop = snap(y);
			page.scrolled();
		},

		/* The line of row r is in view. */
		showLine(r) {
			const line = lineOfHit(scene, r,
				scene.state.selected.item);
			const top = scene.tops[line];
			const height = byId("scroller").clientHeight;
			const bottom = Math.min(scene.tops[line + 1],
				top + height);

			if (line < 0)
				return;
			if (top < scene.scroll)
				page.scrollTo(top);
			else if (bottom > scene.scroll + height)
				page.scrollTo(bottom - height);
		},

		expand(r) {
			const expanded = scene.state.expanded.slice();

			expanded[r] ^= 1;
			page.setState({expanded});
		},

		expandAll() {
			const open = scene.state.expanded.includes(1);

			page.setState({expanded: new Uint8Array(
				scene.model.rows.length).fill(open ? 0 : 1)});
		},

		select(row, item = -1) {
			page.setState({selected: {row, item}});
			page.announce(saySelection(scene, row, item));
		},

		/* Select it and bring it into view. */
		reveal(row, item = -1) {
			if (scene.lines.lineOf[row] === -1) {
				page.setFilter("");
				page.announce("the filter hid it, and is off");
			}
			page.select(row, item);
			page.showLine(row);
			lookCloseAt(scene, page, row, item);
		},

		setFilter(filter) {
			page.setState({filter, top: 0});
		},

		/* Hide or show the names; alone: hide all others. */
		toggleNames(names, alone) {
			page.setState({hidden: toggled(scene, names, alone)});
		},

		toggleName(name, alone) {
			page.toggleNames([name], alone);
		},

		async needAttrs() {
			const {state: {dump}, model} = scene;

			attrs ||= openAttrs(dump, model);
			const bytes = await attrs;

			if (scene.model === model)
				scene.attrs = bytes;
			return bytes;
		},

		announce(text) {
			byId("announce").textContent = text;
		},

		/* The panel follows after the frame, and once. */
		tell(why) {
			if (told.size === 0) {
				afterFrame(() => tellPanel(scene, page, panel,
					told));
			}
			told.add(why);
		},
	};
	return page;
}

function tellPanel(scene, page, panel, told)
{
	const all = [...told];

	told.clear();
	if (all.some((why) => ["selection", "stats", "notes"].includes(why)))
		showDetails(byId("details"), scene, page);
	else if (all.includes("rows"))
		updateDetails(byId("details"), scene);
	if (scene.state.panel)
		all.forEach((why) => panel.update(why));
}

/* What is measured comes first and what is moved last, so that the browser lays
 * the page out once a frame. */
function drawScene(scene, page)
{
	const scroller = byId("scroller");
	const canvas = byId("rows");
	const clientHeight = scroller.clientHeight;

	scene.scroll = scroller.scrollTop;
	setStyle(byId("stage"), "height", `${clientHeight}px`);
	if (!scene.drawn || !fitsPlace(canvas)) {
		scene.drawn = undefined;
		drawOthers(scene);
	} else if (scene.chartsWait) {
		scene.chartsWait = paintCharts(scene);
	}
	const before = scene.drawn;

	scene.drawn = moveRows(scene, canvas) || paintRows(scene, canvas);
	placeNotes(scene, page);
	if (!glideLabels(scene, page, before, clientHeight)) {
		showLabels(scene, byId("labels"), clientHeight,
			page.labels);
	}
	if (scene.stats && scene.overviewWanted)
		countOverview(scene, page);
	if (scene.chartsWait)
		page.scrolled();
}

/* What has a time axis, apart from the rows: no scroll changes it. */
function drawOthers(scene)
{
	scene.plot = plotScale(scene);
	paintChanged(scene, scene.axis, byId("axis"),
		() => paintAxis(scene, byId("axis")));
	scene.chartsWait = paintCharts(scene);
	placePins(scene);
	paintBrush(scene, byId("brush"));
	placeHair(scene);
}

if (typeof document !== "undefined")
	start();
