/*
 * The page itself: one scene, changed by input, drawn in one frame.
 *
 * scene: model, shapes, colours, totals   made once
 *        window {start, end} in µs, scroll in px, expanded, selected
 *        {row, item}, theme               what input changes
 *        tops, ink                        follow from those
 */

const ZOOM_STEP = 1.25; /* a key's */
const PAN_STEP = 0.15; /* of the window */
const DRAG_START = 4; /* px below which a press is a click */
const THEMES = ["system", "light", "dark"];

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
	try {
		open(await openModel(0));
	} catch (error) {
		say(`The data in this page cannot be read (${error.message});` +
			" is the file whole?");
	}
}

function open(model)
{
	const scene = {
		model,
		shapes: new Shapes(model),
		colours: colourNames(model),
		totals: nameTotals(model),
		whole: wholeWindow(model.about),
		window: wholeWindow(model.about),
		scroll: 0,
		expanded: new Uint8Array(model.rows.length),
		selected: {row: -1, item: -1},
		themeChoice: "system",
	};
	const page = makePage(scene);

	say("");
	showFacts(model);
	byId("main").hidden = false;
	page.applyTheme();
	page.layout();
	page.select(-1);
	listenToPointer(scene, page);
	listenToKeys(scene, page);
	listenToControls(scene, page);
	document.documentElement.dataset.ready = "yes";
	globalThis.timeline = scene; /* for the console, and for tests */
}

function showFacts({about, rows})
{
	const parts = [
		`${formatCount(rows.length)} samples`,
		formatDuration(about.end - about.start),
		`${formatCount(about.items)} items`,
		`from ${formatClock(about.start)}`,
	];

	if (leftOut(about))
		parts.push(leftOut(about));
	if (about.rollout !== null && about.rollout !== undefined)
		parts.unshift(`rollout ${formatValue(about.rollout)}`);
	byId("name").textContent = visible(about.name);
	byId("name").title = visible(about.path);
	byId("facts").textContent = parts.join(" · ");
	byId("corner").textContent = rows.length ?
		"sample, source, reward, tokens" : "";
	if (rows.length === 0)
		say("No sample of this dump has a trace.");
}

/* The operations on the page that input calls. */
function makePage(scene)
{
	let frame = 0;
	let attrBytes; /* a promise of them, once asked for */

	const page = {
		/* Draw once in the next frame, however often it is asked. */
		draw() {
			frame ||= requestAnimationFrame(() => {
				frame = 0;
				drawScene(scene, page);
			});
		},

		/* Row heights changed: tops, the scroller's length. */
		layout() {
			scene.tops = rowTops(scene.model, scene.expanded);
			byId("spacer").style.height =
				`${scene.tops[scene.model.rows.length]}px`;
			page.draw();
		},

		look(window) {
			scene.window = window;
			page.draw();
		},

		scrollTo(y) {
			byId("scroller").scrollTop = y;
		},

		toggle(r) {
			scene.expanded[r] ^= 1;
			page.selectRow(r);
			page.layout();
		},

		toggleAll() {
			const open = scene.expanded.includes(1);

			scene.expanded.fill(open ? 0 : 1);
			byId("expand").textContent =
				open ? "Expand all" : "Collapse all";
			page.layout();
		},

		selectRow(r) {
			scene.selected = {row: r, item: -1};
			showRow(byId("details"), scene, r);
			page.draw();
		},

		select(item) {
			scene.selected = {
				item,
				row: item < 0 ? -1 : rowOfItem(scene.model, item),
			};
			page.showDetails();
			page.draw();
		},

		async showDetails() {
			const {item} = scene.selected;
			const panel = byId("details");

			if (item < 0) {
				showNothing(panel);
				return;
			}
			if (!attrBytes) {
				showItem(panel, scene, item, undefined,
					page.select);
				attrBytes = openAttrs(0);
			}
			const bytes = await attrBytes;

			if (item === scene.selected.item) {
				showItem(panel, scene, item, readAttrs(
					scene.model.items, bytes, item),
				page.select);
			}
		},

		applyTheme() {
			applyTheme(scene);
			showNames(byId("names"), scene);
			page.showDetails();
			page.draw();
		},
	};
	return page;
}

function drawScene(scene, page)
{
	const scroller = byId("scroller");

	scene.scroll = scroller.scrollTop;
	byId("stage").style.height = `${scroller.clientHeight}px`;
	byId("axis").style.width = `${byId("rows").clientWidth}px`;
	showLabels(scene, byId("labels"), scroller.clientHeight, page.toggle);
	paintAxis(scene, byId("axis"));
	paintRows(scene, byId("rows"));
}

function applyTheme(scene)
{
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const root = document.documentElement;

	scene.theme = scene.themeChoice !== "system" ? scene.themeChoice :
		dark ? "dark" : "light";
	root.dataset.theme = scene.theme;
	byId("theme").textContent = `Theme: ${scene.themeChoice}`;
	const style = getComputedStyle(root);

	scene.ink = Object.fromEntries(["ground", "raised", "line", "text",
		"faint", "accent", "chosen"].map((name) =>
		[name, style.getPropertyValue("--" + name).trim()]));
}

/* The time at a place of the plot, in µs. */
function timeAt(scene, x)
{
	const {start, end} = scene.window;

	return start + x / byId("rows").clientWidth * (end - start);
}

function hitAt(scene, event)
{
	const canvas = byId("rows");

	return hit(scene, canvas.clientWidth, event.offsetX,
		event.offsetY + scene.scroll);
}

function listenToPointer(scene, page)
{
	const canvas = byId("rows");
	let press = null;

	canvas.addEventListener("pointerdown", (event) => {
		if (event.button !== 0)
			return;
		canvas.setPointerCapture(event.pointerId);
		press = {x: event.offsetX, y: event.offsetY, dragged: false,
			window: scene.window, scroll: scene.scroll};
	});
	canvas.addEventListener("pointermove", (event) => {
		if (press)
			drag(scene, page, press, event);
		else
			hover(scene, event);
	});
	canvas.addEventListener("pointerup", (event) => {
		if (press && !press.dragged)
			page.select(hitAt(scene, event).item);
		canvas.classList.remove("dragging");
		press = null;
	});
	canvas.addEventListener("pointercancel", () => {
		press = null;
	});
	canvas.addEventListener("pointerleave", hideTip);
	canvas.addEventListener("dblclick", (event) =>
		fitItem(scene, page, hitAt(scene, event).item));
	canvas.addEventListener("wheel", (event) =>
		turnWheel(scene, page, event), {passive: false});
}

function drag(scene, page, press, event)
{
	const dx = event.offsetX - press.x;
	const dy = event.offsetY - press.y;
	const span = press.window.end - press.window.start;
	const width = byId("rows").clientWidth;

	if (!press.dragged && Math.hypot(dx, dy) < DRAG_START)
		return;
	press.dragged = true;
	hideTip();
	byId("rows").classList.add("dragging");
	page.look(panned(press.window, -dx / width * span, scene.whole));
	page.scrollTo(press.scroll - dy);
}

/* Wheels say lines or pages where touchpads say pixels; one event never
 * more than doubles. */
function turnWheel(scene, page, event)
{
	const unit = [1, 16, 400][event.deltaMode];
	const dx = (event.shiftKey && !event.deltaX ? event.deltaY :
		event.deltaX) * unit;
	const dy = event.shiftKey ? 0 : event.deltaY * unit;
	const speed = event.ctrlKey ? 0.01 : 0.002;
	const span = scene.window.end - scene.window.start;

	event.preventDefault();
	hideTip();
	if (Math.abs(dx) > Math.abs(dy)) {
		page.look(panned(scene.window,
			dx / byId("rows").clientWidth * span, scene.whole));
		return;
	}
	const factor = Math.exp(Math.min(Math.max(dy * speed, -0.7), 0.7));

	page.look(zoomed(scene.window, factor, timeAt(scene, event.offsetX),
		scene.whole));
}

function hover(scene, event)
{
	const {item} = hitAt(scene, event);
	const tip = byId("tip");

	byId("rows").classList.toggle("over", item >= 0);
	if (item < 0) {
		hideTip();
		return;
	}
	tip.replaceChildren(element("b", {}, itemName(scene.model, item)),
		" " + tipTimes(scene.model.items, item));
	tip.hidden = false;
	placeTip(tip, event.clientX, event.clientY);
}

function tipTimes(items, item)
{
	const at = `at ${formatExact(items.start[item])}`;
	const duration = formatDuration(items.end[item] - items.start[item]);

	if (items.state[item] === OPEN)
		return `no end, drawn for ${duration} ${at}`;
	return items.state[item] === CLOSED ? `${duration} ${at}` : at;
}

/* Below the pointer, or above it near the window's lower edge. */
function placeTip(tip, x, y)
{
	const {width, height} = tip.getBoundingClientRect();
	const left = Math.min(x + 12, innerWidth - width - 8);
	const top = y + 18 + height > innerHeight ? y - height - 10 : y + 18;

	tip.style.left = `${Math.max(8, left)}px`;
	tip.style.top = `${top}px`;
}

function hideTip()
{
	byId("tip").hidden = true;
}

/* Zoom to an item; to everything for -1. */
function fitItem(scene, page, item)
{
	const {items} = scene.model;

	page.look(item < 0 || items.timeless[item] ? {...scene.whole} :
		windowAround(items.start[item], items.end[item], scene.whole));
}

/* Zoom to what is selected, be it an item or a whole sample. */
function fitSelected(scene, page)
{
	const row = scene.model.rows[scene.selected.row];

	if (scene.selected.item < 0 && row && row.start <= row.end)
		page.look(windowAround(row.start, row.end, scene.whole));
	else
		fitItem(scene, page, scene.selected.item);
}

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

function scrollBy(page, px)
{
	page.scrollTo(byId("scroller").scrollTop + px);
}

function makeKeys(scene, page)
{
	const zoomIn = () => zoomBy(scene, page, 1 / ZOOM_STEP);
	const zoomOut = () => zoomBy(scene, page, ZOOM_STEP);
	const left = () => panBy(scene, page, -PAN_STEP);
	const right = () => panBy(scene, page, PAN_STEP);
	const pageHeight = () => byId("scroller").clientHeight - ROW_HEIGHT;

	return {
		"w": zoomIn, "+": zoomIn, "=": zoomIn,
		"s": zoomOut, "-": zoomOut,
		"a": left, "arrowleft": left,
		"d": right, "arrowright": right,
		"arrowup": () => scrollBy(page, -ROW_HEIGHT),
		"arrowdown": () => scrollBy(page, ROW_HEIGHT),
		"pageup": () => scrollBy(page, -pageHeight()),
		"pagedown": () => scrollBy(page, pageHeight()),
		"home": () => page.scrollTo(0),
		"end": () => page.scrollTo(byId("spacer").clientHeight),
		"f": () => fitSelected(scene, page),
		"0": () => fitItem(scene, page, -1),
		"e": () => page.toggleAll(),
		"enter": () => scene.selected.row >= 0 &&
			page.toggle(scene.selected.row),
		"escape": () => page.select(-1),
		"?": () => byId("keys").showModal(),
	};
}

function listenToKeys(scene, page)
{
	const keys = makeKeys(scene, page);

	addEventListener("keydown", (event) => {
		const action = keys[event.key.toLowerCase()];
		const button = event.target.closest?.("button");

		if (!action || event.ctrlKey || event.metaKey || event.altKey ||
		    byId("keys").open || (button && event.key === "Enter"))
			return;
		event.preventDefault();
		hideTip();
		action();
	});
}

function listenToControls(scene, page)
{
	const on = (id, action) => byId(id).addEventListener("click", action);

	on("expand", page.toggleAll);
	on("zoom-in", () => zoomBy(scene, page, 1 / ZOOM_STEP));
	on("zoom-out", () => zoomBy(scene, page, ZOOM_STEP));
	on("fit", () => fitItem(scene, page, -1));
	on("help", () => byId("keys").showModal());
	on("theme", () => {
		const at = THEMES.indexOf(scene.themeChoice);

		scene.themeChoice = THEMES[(at + 1) % THEMES.length];
		page.applyTheme();
	});
	byId("scroller").addEventListener("scroll", page.draw);
	addEventListener("resize", page.draw);
	matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", page.applyTheme);
}

if (typeof document !== "undefined")
	start();
