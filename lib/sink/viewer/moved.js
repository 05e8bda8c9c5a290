/*
 * The rows' canvas where rows were only scrolled: lines that come into view are
 * drawn, the others are copied. They all stand on a canvas that is not shown, as
 * high as the shown one; what leaves at its top makes room for what comes in
 * below, and the other way round. (To copy within one canvas costs a browser as
 * much as to draw all.)
 *
 * scene.drawn is what is shown, undefined once anything but the scroll has
 * changed: {scroll, lines, from}. Lines are those in view, each {before, after,
 * whole}: which names stood above it and below (bar_text.js), and whether all of
 * it was in view. from: the scroll with which the ring's top is the view's top,
 * undefined until there is a ring.
 */

function noteDrawn({scene, drawn}, height, from)
{
	const {scroll} = scene;

	for (const [line, note] of drawn)
		note.whole = isWhole(scene, line, height);
	return {scroll, lines: drawn, from};
}

function isWhole({tops, scroll}, line, height)
{
	return tops[line] >= scroll && tops[line + 1] <= scroll + height;
}

/* What is shown afterwards; undefined: it must all be drawn. */
function moveRows(scene, canvas)
{
	const {drawn, scroll} = scene;

	if (!drawn || drawn.scroll === scroll)
		return drawn;
	const {height, ratio, tall} = screenBox(canvas);
	const from = drawn.from ?? drawn.scroll;
	const down = (scroll - from) * ratio;

	if (Math.abs(down - Math.round(down)) > 0.001 ||
	    Math.abs(scroll - drawn.scroll) >= height)
		return undefined;
	const ring = ringOf(scene, canvas);
	const pen = {...makePen(scene, ring), down: Math.round(down), height,
		tall};

	drawMissing(pen, drawn);
	showRing(ring, canvas.getContext("2d"), modulo(pen.down, tall));
	return noteDrawn(pen, height, from);
}

function modulo(n, m)
{
	return (n % m + m) % m;
}

/* The context of the ring; it begins with what is shown. */
function ringOf(scene, canvas)
{
	scene.ring ??= document.createElement("canvas").getContext("2d");
	const {ring, ring: {canvas: {width, height}}} = scene;

	if (width !== canvas.width || height !== canvas.height) {
		ring.canvas.width = canvas.width;
		ring.canvas.height = canvas.height;
	}
	if (scene.drawn.from === undefined) {
		ring.setTransform(1, 0, 0, 1, 0, 0);
		ring.globalCompositeOperation = "copy";
		ring.drawImage(canvas, 0, 0);
		ring.globalCompositeOperation = "source-over";
	}
	return ring;
}

/* Show the ring from so many pixels below its top on. */
function showRing({canvas: ring}, context, below)
{
	const {width, height} = ring;

	context.setTransform(1, 0, 0, 1, 0, 0);
	context.clearRect(0, 0, width, height);
	context.drawImage(ring, 0, below, width, height - below,
		0, 0, width, height - below);
	if (below > 0) {
		context.drawImage(ring, 0, 0, width, below,
			0, height - below, width, below);
	}
}

/* Draw the lines that were not there, or not below the same names. */
function drawMissing(pen, drawn)
{
	const [first, end] = linesWithin(pen.scene, pen.height);

	for (let line = first; line < end; line++) {
		const note = drawn.lines.get(line);

		if (note?.whole && sameNames(note.before, pen.named)) {
			pen.drawn.set(line, note);
			pen.named = note.after;
		} else {
			redrawLine(pen, line);
		}
	}
}

function sameNames(some = new Set(), others = new Set())
{
	return some === others || some.size === others.size &&
		[...some].every((name) => others.has(name));
}

/* Draw a line as far as it is in view: once, or on both ends of the ring. */
function redrawLine(pen, line)
{
	const {scene, ratio, down, tall, named} = pen;
	const {y, height} = placeOfLine(scene, line);
	const top = Math.max(Math.round(y * ratio), 0);
	const bottom = Math.min(Math.round((y + height) * ratio), tall);
	const at = modulo(top + down, tall);

	drawLineAt(pen, line, top, bottom, at - top);
	if (at + bottom - top > tall) {
		pen.named = named;
		drawLineAt(pen, line, top, bottom, at - top - tall);
	}
}

/* A line that has the pixels from top to bottom, moved down by so many. */
function drawLineAt(pen, line, top, bottom, by)
{
	const {context, ratio, width, height} = pen;
	const box = [0, top / ratio, width, (bottom - top) / ratio];

	context.save();
	context.setTransform(ratio, 0, 0, ratio, 0, by);
	context.beginPath();
	context.rect(...box);
	context.clip();
	context.clearRect(...box);
	paintGround(pen, line);
	paintGrid(pen, height);
	paintLine(pen, line);
	paintMeasured(pen, height);
	paintPath(pen, height);
	context.restore();
}
