/*
 * Mouse, touchpad and pen on the rows, and the tip at the pointer.
 */

const DRAG_START = 4; /* px below which a press is a click */
const LARGEST_TURN = 0.7; /* of a wheel event, about a doubling */
const SMALLEST_SIDE = 200; /* px of the panel */

/* The time at a place of the rows, in µs. */
function timeAt(scene, x)
{
	return timeAtX(plotScale(scene), x);
}

function hitAt(scene, event)
{
	return hit(scene, plotWidth(), event.offsetX,
		event.offsetY + scene.scroll);
}

function listenToPointer(scene, page)
{
	const canvas = byId("rows");

	listenToGestures(canvas, {
		begin: (event) => ({x: event.offsetX, y: event.offsetY,
			dragged: false, measures: event.shiftKey,
			window: scene.window, scroll: scene.scroll}),
		move: (press, event) => drag(scene, page, press, event),
		end: (press, event) => endPress(scene, page, press, event),
		hold: (press) => holdToMeasure(page, press),
		pinch: (before, now) => pinch(scene, page, before, now),
		beginPinch: () => ({window: scene.window,
			scroll: scene.scroll}),
		letGo: () => canvas.classList.remove("dragging"),
		hover(event, press) {
			showHairAt(scene, event.offsetX);
			if (!press)
				hover(scene, event);
		},
	});
	canvas.addEventListener("pointerleave", () => {
		hideTip();
		hideHair(scene);
	});
	canvas.addEventListener("dblclick", (event) => {
		const {row, item} = hitAt(scene, event);

		fit(scene, page, item < 0 ? -1 : row, item);
	});
	for (const id of ["rows", "time"]) {
		byId(id).addEventListener("wheel", (event) =>
			turnWheel(scene, page, event, timeAt(scene,
				placeOn(byId("ground"), event))),
		{passive: false});
	}
	listenToAxis(scene, page);
	listenToLabels(scene, page);
	byId("scroller").addEventListener("scroll", () =>
		followScroll(scene, page));
}

/* px from an element's left edge */
function placeOn(element, event)
{
	return event.clientX - element.getBoundingClientRect().left;
}

/* A drag along the axis measures, with no key and with a finger, too. */
function listenToAxis(scene, page)
{
	const axis = byId("time");
	const place = (event) => placeOn(byId("ground"), event);

	listenToGestures(axis, {
		begin: (event) => ({x: place(event), y: 0, dragged: false,
			measures: true}),
		move(press, event) {
			press.dragged ||= Math.abs(place(event) - press.x) >=
				DRAG_START;
			if (press.dragged)
				measure(scene, page, timeAt(scene, press.x),
					timeAt(scene, place(event)));
		},
		end(press) {
			if (press.dragged)
				page.setState({measured: scene.state.measured});
		},
		hover: (event) => showHairAt(scene, place(event)),
	});
	axis.addEventListener("pointerleave", () => hideHair(scene));
}

function endPress(scene, page, press, event)
{
	if (press.dragged && press.measures) {
		page.setState({measured: scene.state.measured});
	} else if (!press.dragged && !press.measures) {
		const {row, item} = hitAt(scene, event);

		page.select(row, item);
	}
}

/* A finger that stays measures from there on. */
function holdToMeasure(page, press)
{
	press.measures = true;
	navigator.vibrate?.(20);
	page.announce("drag to measure a range");
}

/* Two fingers: what lay between them stays there. */
function pinch(scene, page, before, now)
{
	const left = byId("ground").getBoundingClientRect().left;
	const old = makeScale(before.window, plotWidth());
	const at = timeAtX(old, before.middle - left);
	const wanted = zoomed(before.window, before.apart / now.apart, at,
		scene.whole);
	const {scale} = makeScale(wanted, plotWidth());

	hideTip();
	page.look(panned(wanted, (before.middle - now.middle) / scale,
		scene.whole));
	page.scrollTo(before.scroll + before.y - now.y);
}

/* While labels scroll, a canvas that shows them gets the clicks. */
function listenToLabels(scene, page)
{
	byId("gutter").addEventListener("click", (event) => {
		restLabels(scene, page);
		clickLabel(scene, page, event.target.closest(".label") ?
			event.target : document.elementFromPoint(event.clientX,
				event.clientY));
	});
	byId("labels").addEventListener("focusin", () =>
		restLabels(scene, page));
}

/* The fold's corner of a label expands its row, the rest selects it. */
function clickLabel(scene, page, target)
{
	const {row, line} = target.closest(".label")?.dataset ?? {};

	if (line !== undefined)
		selectInLane(scene, page, Number(line));
	if (row === undefined)
		return;
	page.select(Number(row));
	if (target.closest(".fold"))
		page.expand(Number(row));
}

function followScroll(scene, page)
{
	const {scrollTop} = byId("scroller");

	if (scrollTop !== scene.scroll) {
		scene.state.top = lastAtMost(scene.tops, scrollTop);
		page.keepHash();
		hideTip();
	}
	page.scrolled();
}

function drag(scene, page, press, event)
{
	const dx = event.offsetX - press.x;
	const dy = event.offsetY - press.y;

	if (!press.dragged && Math.hypot(dx, dy) < DRAG_START)
		return;
	press.dragged = true;
	hideTip();
	if (press.measures) {
		hideHair(scene);
		measure(scene, page, timeAt(scene, press.x),
			timeAt(scene, event.offsetX));
		return;
	}
	byId("rows").classList.add("dragging");
	page.look(panned(press.window,
		-dx / makeScale(press.window, plotWidth()).scale, scene.whole));
	page.scrollTo(press.scroll - dy);
}

/* Statistics of the range wait for the end of the drag. A range holds no time
 * before the first moment nor after the last. */
function measure(scene, page, a, b)
{
	const {start, end} = scene.model.extent;
	const [from, to] = [a, b].sort((x, y) => x - y).map((time) =>
		Math.min(Math.max(time, start), end));

	if (from < to) {
		scene.state.measured = {start: from, end: to};
		page.draw();
	}
}

/* A wheel scrolls the rows, sideways it pans, with Ctrl it zooms, as a pinch
 * of a touchpad does. Wheels say lines or pages where touchpads say pixels; no
 * event more than doubles. The moment `at` stays in place. */
function turnWheel(scene, page, event, at)
{
	const unit = [1, 16, 400][event.deltaMode];
	const dx = (event.shiftKey && !event.deltaX ? event.deltaY :
		event.deltaX) * unit;
	const dy = event.shiftKey ? 0 : event.deltaY * unit;

	hideTip();
	event.preventDefault();
	if (event.ctrlKey || event.metaKey) {
		const turn = Math.min(Math.max((dy || dx) * 0.01,
			-LARGEST_TURN), LARGEST_TURN);

		page.look(zoomed(scene.window, Math.exp(turn), at,
			scene.whole));
	} else if (Math.abs(dx) > Math.abs(dy)) {
		page.look(panned(scene.window, dx / plotScale(scene).scale,
			scene.whole));
	} else {
		page.scrollTo(scene.scroll + dy);
	}
}

function hover(scene, event)
{
	const {row, item} = hitAt(scene, event);

	byId("rows").classList.toggle("over", item >= 0);
	if (item < 0) {
		hideTip();
		return;
	}
	const canvas = byId("rows").getBoundingClientRect();
	const line = lineOfHit(scene, row, item);
	const bottom = canvas.top + Math.min(scene.tops[line + 1] -
		scene.scroll, event.offsetY + LANE_HEIGHT);

	const time = timeAt(scene, event.offsetX);
	const segment = segmentAt(scene.model, scene.model.rows[row], item,
		time);
	const wait = drawnWaits(scene.model, row).find((phase) =>
		phase.item === item && phase.from <= time && time < phase.to);

	showTip(wait ? waitLines(scene.model, wait) :
		tipLines(scene.model, item, segment), event.clientX, bottom);
}

/* What a sample waited for, then how long and when. */
function waitLines({about}, {wait, from, to})
{
	return [ACTIVITY_NAMES[wait], activityColour(wait).help,
		`${formatDuration(to - from)} at ${formatExact(from)}`,
		formatClock(about.start + from)];
}

/* The name, then how long and when; the segment, where it has some. */
function tipLines(model, item, segment)
{
	const {items, about} = model;
	const start = items.start[item];
	const duration = formatDuration(items.end[item] - start);
	const when = `at ${formatExact(start)}`;
	const clock = formatClock(about.start + start);
	const what = {
		[CLOSED]: `${duration} ${when}`,
		[OPEN]: `no end, drawn for ${duration} ${when}`,
		[POINT]: `point ${when}`,
		[ORPHAN]: `end without a start ${when}`,
	}[items.state[item]];

	return [itemName(model, item), ...segment ?
		[`${segment.name} ${formatDuration(segment.took)}`] : [],
	what, clock];
}

/* Below `bottom`, so that it leaves what it speaks of in sight; above the
 * pointer's line where there is no room. */
function showTip([title, ...lines], x, bottom)
{
	const tip = byId("tip");

	tip.replaceChildren(element("b", {}, title),
		...lines.map((line) => element("div", {}, line)));
	tip.hidden = false;
	const {width, height} = tip.getBoundingClientRect();
	const left = Math.min(x + 12, innerWidth - width - 8);
	const below = bottom + 8;
	const top = below + height > innerHeight ?
		bottom - 2 * ROOMY_HEIGHT - height : below;

	tip.style.left = `${Math.max(8, left)}px`;
	tip.style.top = `${top}px`;
}

function hideTip()
{
	setHidden(byId("tip"), true);
}

/* A line through all that has a time axis, and its time on the axis. What the
 * pointer is at stays where the pointer is when the window moves: a place in
 * the plot, or a time in the overview. */
function showHair(scene, time)
{
	scene.hair = {time, x: undefined};
	placeHair(scene);
}

function showHairAt(scene, x)
{
	scene.hair = {time: undefined, x};
	placeHair(scene);
}

function placeHair(scene)
{
	const {hair, plot} = scene;

	if (!plot)
		return; /* nothing is drawn yet */
	const time = hair?.time ?? timeAtX(plot, hair?.x ?? 0);

	placeLines(scene, "hair", hair && time);
	placeClock(scene, hair && time, xAt(plot, time), plot.width);
	showValues(scene, hair && time);
}

function placeClock(scene, time, x, width)
{
	const clock = byId("clock");

	setHidden(clock, time === undefined || x < 0 || x > width);
	if (clock.hidden)
		return;
	setText(clock, `${formatExact(time)} · ` +
		formatClock(scene.model.about.start + time).slice(11, -7));
	setStyle(clock, "transform", `translateX(clamp(0px, ${x}px - 50%, ` +
		`${width}px - 100%))`);
}

function hideHair(scene)
{
	scene.hair = undefined;
	placeHair(scene);
}

/* The edge between the plot and the panel is dragged, or moved by keys. */
function listenToSplitter(scene, page)
{
	const edge = byId("splitter");
	const resize = (px) => {
		const right = scene.state.dock === "right";
		const room = right ? innerWidth : innerHeight;

		page.setState({side: Math.round(Math.min(
			Math.max(px, SMALLEST_SIDE), room / 2))});
	};

	edge.addEventListener("pointerdown", (event) =>
		edge.setPointerCapture(event.pointerId));
	edge.addEventListener("pointermove", (event) => {
		if (!edge.hasPointerCapture(event.pointerId))
			return;
		const {right, bottom} = byId("main").getBoundingClientRect();

		resize(getComputedStyle(edge).cursor === "row-resize" ?
			bottom - event.clientY : right - event.clientX);
	});
	edge.addEventListener("keydown", (event) => {
		const step = {ArrowLeft: 24, ArrowUp: 24, ArrowRight: -24,
			ArrowDown: -24}[event.key];
		const {width, height} = byId("side").getBoundingClientRect();

		if (!step)
			return;
		event.preventDefault();
		event.stopPropagation();
		resize((scene.state.dock === "right" ? width : height) + step);
	});
}
