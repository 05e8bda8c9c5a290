/*
 * The strip above the rows: how many samples run at each moment, stacked by
 * what they do, and the brush that is the window of the rows.
 */

/* From the ground up; activities by their numbers in stats.js. */
const STACK = ["decode", "prefill", "KV transfer", "queue", "tool", "reward",
	"other", "client queue", "group wait", "idle"].map((name) =>
	ACTIVITY_NAMES.indexOf(name));
const SHADES = STACK.flatMap((activity) => activity === OTHER ? [OTHER,
	...OTHERS.map((_, n) => ACTIVITY_NAMES.length + n)] : [activity]);
const TIMES_HEIGHT = 14; /* px of the axis above the columns */
const BRUSH_START = 3; /* px below which a press is a click */
const BRUSH_EDGE = 6; /* px at an edge of the brush that move it alone */

/* Slices: the columns for a strip of so many px, which shades it shows, and the most
 * that any column has of them; what is hidden is left out. */
function* overviewOf(scene, width)
{
	const {model, colours, state: {hidden}} = scene;

	if (width === 0)
		return undefined;
	const stats = {...scene.stats,
		activity: shadeNames(model, colours, hidden)};
	const columns = yield* overviewSteps(stats, scene.order, scene.whole, width,
		ACTIVITY_NAMES.length + OTHERS.length + 1);
	const stack = SHADES.filter((shade) =>
		!activityHidden(scene, shade));
	let peak = 0;

	for (let x = 0; x < width; x++) {
		peak = Math.max(peak, stack.reduce(
			(sum, shade) => sum + columns[shade][x], 0));
	}
	return {columns, stack, peak, width};
}

/* Whether the legend hides all names of an activity. */
function activityHidden(scene, activity)
{
	const names = scene.legend.get(activity);

	return Boolean(names) &&
		names.every((name) => scene.state.hidden.has(name));
}

/* A column a pixel of the screen: where the browser's zoom is no whole number,
 * columns of CSS pixels would leave gaps. */
function paintOverview(scene, canvas)
{
	const {context, height, ratio} = fitCanvas(canvas);
	const {columns, stack, peak, width} = scene.overview;
	const below = new Float64Array(width);
	const room = canvas.height - TIMES_HEIGHT * ratio;

	paintTimes(scene, context, height);
	context.setTransform(1, 0, 0, 1, 0, 0);
	for (const shade of stack) {
		const colour = shadeColour(shade);

		columns[shade].forEach((count, x) => {
			const tall = room * count / peak;

			below[x] += tall;
			if (tall > 0) {
				fillColour(context, scene.theme, colour, x,
					canvas.height - below[x], 1, tall);
			}
		});
	}
}

/* The overview's own time axis: it shows all of the time, the other the
 * window. */
function paintTimes(scene, context, height)
{
	const all = wholeScale(scene);

	context.font = "10px system-ui, sans-serif";
	context.textBaseline = "middle";
	for (const tick of ticks(all.start, all.end, all.width)) {
		const x = snap(xAt(all, tick.at));
		const {width} = context.measureText(tick.text);

		context.fillStyle = scene.ink.line;
		fillLine(context, x, 0, height);
		context.fillStyle = scene.ink.faint;
		if (x + 4 + width < all.width)
			context.fillText(tick.text, x + 4, TIMES_HEIGHT / 2);
	}
}

/* What the strip says of the moment at a place, as lines of text. */
function sayOverview(scene, x)
{
	const {columns, stack, width} = scene.overview;
	const all = wholeScale(scene);
	const bin = Math.min(Math.max(Math.floor(x / all.width * width), 0),
		width - 1);
	const counted = new Map();
	let running = 0;

	for (const shade of stack) {
		const count = columns[shade][bin];
		const name = shadeName(shade);

		counted.set(name, (counted.get(name) || 0) + count);
		running += count;
	}
	return [`${formatDuration(timeAtX(all, x))}: ` +
		plural(Math.round(running), rowNoun(scene.model)),
	[...counted].filter(([, count]) => count > 0.05).map(([name, count]) =>
		`${name} ${formatCount(Math.round(count))}`).join(", ")];
}

/* The window's frame, with handles, and a shade over what is outside; below the
 * times, which can be read in any case. */
function paintBrush(scene, canvas)
{
	const {context, width, height} = fitCanvas(canvas);
	const all = makeScale(scene.whole, width);
	const left = snap(xAt(all, scene.window.start));
	const right = Math.max(snap(xAt(all, scene.window.end)), left + 2);
	const tall = height - TIMES_HEIGHT;

	context.fillStyle = "rgb(127 127 127 / 0.28)";
	context.fillRect(0, TIMES_HEIGHT, left, tall);
	context.fillRect(right, TIMES_HEIGHT, width - right, tall);
	outline({context}, left, {y: TIMES_HEIGHT, height: tall}, right - left,
		scene.ink.accent, 1);
	context.lineWidth = 3;
	context.lineCap = "round";
	for (const x of [left + 0.5, right - 0.5]) {
		context.beginPath();
		context.moveTo(x, TIMES_HEIGHT + 0.3 * tall + 1.5);
		context.lineTo(x, TIMES_HEIGHT + 0.7 * tall - 1.5);
		context.stroke();
	}
}

/* Which part of the brush is at x: "left", "right", "inside", "outside". The
 * whole of the strip is no brush yet. */
function brushPart(scene, all, x)
{
	const left = xAt(all, scene.window.start);
	const right = xAt(all, scene.window.end);

	if (left < 1 && right > all.width - 1)
		return "outside";
	if (Math.abs(x - right) < BRUSH_EDGE && x > (left + right) / 2)
		return "right";
	if (Math.abs(x - left) < BRUSH_EDGE)
		return "left";
	return x > left && x < right ? "inside" : "outside";
}

/* The window after a drag of a part of the brush from time a to time b. */
function brushed(part, window, a, b, whole)
{
	const clip = (us) => Math.min(Math.max(us, whole.start), whole.end);
	const edges = {
		left: [window.start + b - a, window.end],
		right: [window.start, window.end + b - a],
		outside: [a, b],
	}[part];

	if (part === "inside")
		return panned(window, b - a, whole);
	const [start, end] = edges.map(clip).sort((x, y) => x - y);

	return zoomed({start, end}, 1, (start + end) / 2, whole);
}

function listenToBrush(scene, page)
{
	const strip = byId("strip");
	let press = null;
	const placeOf = (event) => event.clientX -
		strip.getBoundingClientRect().left;
	const timeOf = (event) => timeAtX(wholeScale(scene), placeOf(event));
	const partOf = (event) => brushPart(scene, wholeScale(scene),
		placeOf(event));

	strip.addEventListener("pointerdown", (event) => {
		if (event.button !== 0)
			return;
		strip.setPointerCapture(event.pointerId);
		press = {x: event.clientX, at: timeOf(event),
			window: scene.window, moved: false,
			part: partOf(event)};
	});
	strip.addEventListener("pointermove", (event) => {
		showHair(scene, timeOf(event));
		if (!press) {
			strip.dataset.part = partOf(event);
			tipOverview(scene, event, placeOf(event));
			return;
		}
		press.moved ||= Math.abs(event.clientX - press.x) >=
			BRUSH_START;
		hideTip();
		if (press.moved) {
			page.look(brushed(press.part, press.window, press.at,
				timeOf(event), scene.whole));
		}
	});
	strip.addEventListener("pointerup", (event) => {
		if (press && !press.moved)
			centreOn(scene, page, timeOf(event));
		press = null;
	});
	strip.addEventListener("pointercancel", () => press = null);
	strip.addEventListener("pointerleave", () => {
		hideTip();
		hideHair(scene);
	});
	strip.addEventListener("dblclick", () => page.look(scene.whole));
	strip.addEventListener("wheel", (event) =>
		turnWheel(scene, page, event, timeOf(event)), {passive: false});
}

/* A click moves the window there. */
function centreOn(scene, page, time)
{
	const {start, end} = scene.window;

	page.look(panned(scene.window, time - (start + end) / 2,
		scene.whole));
}

function tipOverview(scene, event, x)
{
	if (!scene.overview)
		return;
	const {bottom} = byId("strip").getBoundingClientRect();

	showTip(sayOverview(scene, x), event.clientX, bottom);
}
