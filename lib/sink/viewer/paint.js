/*
 * Drawing on the two canvases. Everything comes from the scene (see
 * viewer.js); nothing here changes it.
 */

const BAR_INSET = 2;
const LABEL_ROOM = 46; /* px a bar needs before its name is written on it */
const ELLIPSIS = 11; /* px */
const FAINTEST = 0.55; /* a sliver still shows */
const FADED = 0.22;
const TEXTS_KEPT = 4096; /* of each kind, see sceneOf */

/* What an element takes: {width, height} in CSS pixels, {wide, tall} in pixels
 * of the screen, from the one where it begins to the one where it ends. */
function screenBox(element)
{
	const ratio = globalThis.devicePixelRatio || 1;
	const {left, right, top, bottom, width, height} =
		element.getBoundingClientRect();
	const size = (from, to) =>
		Math.round(to * ratio) - Math.round(from * ratio);

	return {width, height, ratio, wide: size(left, right),
		tall: size(top, bottom)};
}

/* Whether the canvas has the pixels of its place on the page. */
function fitsPlace(canvas)
{
	const {wide, tall} = screenBox(canvas);

	return canvas.width === wide && canvas.height === tall;
}

/* Match the canvas to its place on the page and to the screen's pixels;
 * returns the context, in CSS pixels. */
function fitCanvas(canvas)
{
	const {width, height, ratio, wide, tall} = screenBox(canvas);
	const context = canvas.getContext("2d");

	if (canvas.width !== wide || canvas.height !== tall) {
		canvas.width = wide;
		canvas.height = tall;
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return {context, width, height, ratio};
}

/* A place in CSS pixels, moved to where a pixel of the screen begins: with a
 * zoom of 125 % what begins elsewhere is blurred, and what lies side by side
 * shows seams. */
function snap(x)
{
	const ratio = globalThis.devicePixelRatio || 1;

	return Math.round(x * ratio) / ratio;
}

/* A line of whole pixels from y down. */
function fillLine(context, x, y, height)
{
	const ratio = globalThis.devicePixelRatio || 1;

	context.fillRect(snap(x), y, Math.max(1, Math.round(ratio)) / ratio,
		height);
}

function paintAxis(scene, canvas)
{
	const {context, width, height} = fitCanvas(canvas);
	const {plot} = scene;

	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	for (const tick of ticks(plot.start, plot.end, width)) {
		const x = xAt(plot, tick.at);

		context.fillStyle = scene.ink.line;
		fillLine(context, x, height - 6, 6);
		context.fillStyle = scene.ink.faint;
		if (x + 4 + context.measureText(tick.text).width < width)
			context.fillText(tick.text, x + 4, height / 2);
	}
	paintMeasure({scene, context, ...plot}, height);
}

/* Returns what stands there, see moved.js. */
function paintRows(scene, canvas)
{
	const {context, height} = fitCanvas(canvas);
	const pen = makePen(scene, context);
	const [first, end] = linesWithin(scene, height);

	for (let line = first; line < end; line++)
		paintGround(pen, line);
	paintGrid(pen, height);
	for (let line = first; line < end; line++)
		paintLine(pen, line);
	paintMeasured(pen, height);
	paintPath(pen, height);
	return noteDrawn(pen, height);
}

/* The first line of those in view, and the one after the last. */
function linesWithin({tops, scroll, lines}, height)
{
	return [lastAtMost(tops, scroll), Math.min(firstAbove(tops,
		scroll + height - 0.01), lines.at.length)];
}

/* Which lines are drawn, and what they say, depends on those above: pen.drawn
 * has the names that were written before and after each line. */
function paintLine(pen, line)
{
	const {scene, scene: {tops, scroll, lines}} = pen;
	const y = tops[line] - scroll;
	const before = pen.named;

	if (isHead(lines, line))
		paintHead(pen, line, y);
	else if (laneAt(scene, line))
		paintLane(pen, line, y);
	else
		paintRow(pen, lines.at[line], y);
	pen.drawn.set(line, {before, after: pen.named});
}

/* What the functions below share: where to draw, and the scale. */
function makePen(scene, context)
{
	placeHatches(scene);
	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "middle";
	return {scene, context, ...scene.plot, drawn: new Map(),
		ratio: globalThis.devicePixelRatio || 1};
}

/* Where a line begins and ends on the canvas, in whole pixels of the screen. */
function placeOfLine({tops, scroll}, line)
{
	const y = snap(tops[line] - scroll);

	return {y, height: snap(tops[line + 1] - scroll) - y};
}

function paintGround(pen, line)
{
	const {scene, context, width} = pen;
	const {y, height} = placeOfLine(scene, line);
	const r = scene.lines.at[line];

	if (r >= 0 && (r === scene.state.selected.row ||
	    (laneAt(scene, line) && isChosenLane(scene, line)))) {
		context.fillStyle = scene.ink.chosen;
		context.fillRect(0, y, width, height);
	} else if (r < 0 || scene.state.expanded[r]) {
		context.fillStyle = scene.ink.raised;
		context.fillRect(0, y, width, height);
	}
}

/* A line over all of the width parts the groups; what is said of one does not
 * fit beside its name. */
function paintHead(pen, line, y)
{
	const {scene, context, width} = pen;
	const head = headAt(scene.lines, line);

	context.fillStyle = scene.ink.line;
	context.fillRect(0, snap(y), width, 1);
	context.fillStyle = scene.ink.faint;
	context.fillText(fittingFacts(pen, headFacts(scene, head), width - 16),
		8, y + HEAD_HEIGHT / 2 + 0.5);
}

/* Under the bars, so that it never cuts one; down to a place or the last
 * line's end. */
function paintGrid(pen, until)
{
	const {context, scene: {tops, scroll, lines, ink}} = pen;
	const height = Math.min(until, tops[lines.at.length] - scroll);

	context.fillStyle = ink.line;
	pen.ticks ??= ticks(pen.start, pen.end, pen.width);
	for (const tick of pen.ticks)
		fillLine(context, xAt(pen, tick.at), 0, height);
}

function paintRow(pen, r, y)
{
	const {shapes, state} = pen.scene;
	const expanded = state.expanded[r];

	beginRow(pen, r, expanded);
	paintBars(pen, shapes.flat(r), y, pen.scene.rowHeight);
	paintGone(pen, r, y);
	if (r === state.selected.row && !expanded)
		outlineSelected(pen, y + 1, pen.scene.rowHeight - 2);
	if (expanded) {
		shapes.lanes(r).forEach((lane, n) => paintBars(pen, lane,
			y + laneTop(pen.scene, n), LANE_HEIGHT));
		outlineLane(pen, r, y);
		paintWaits(pen, r, y);
	}
	paintMarks(pen, shapes.marks(r), y, expanded);
}

/* On the lanes, the parts of spans in which their sample only waited. */
function paintWaits(pen, r, y)
{
	const {scene: {model, shapes: {shown}}} = pen;

	for (const {item, from, to, wait} of drawnWaits(model, r)) {
		const left = Math.max((from - pen.start) * pen.scale, -2);
		const right = Math.min((to - pen.start) * pen.scale,
			pen.width + 2);

		if (left < right && shown(item) && shown(item, wait)) {
			fillBar(pen, activityColour(wait),
				left, y + laneTop(pen.scene,
					model.items.lane[item]) + BAR_INSET, right - left,
				LANE_HEIGHT - 2 * BAR_INSET + 1);
		}
	}
}

function colourOf(scene, item)
{
	return scene.colours[scene.model.items.name[item]][scene.theme];
}

/*
 * One line of spans, in pixels of the screen. Those under a pixel wide are
 * gathered pixel by pixel and drawn in the mean of their colours, so that no
 * span is lost and no pixel is drawn twice for them.
 */
function paintBars(pen, columns, y, height)
{
	const from = firstAbove(columns.reach || columns.end,
		pen.start - 1 / pen.scale);
	const to = firstAbove(columns.start, pen.end);
	const {ratio} = pen;
	const top = snap(y + BAR_INSET);
	const box = {y: top, height: snap(y + height - BAR_INSET + 1) - top};

	if (columns.frames)
		paintFrames(pen, columns.frames, box);
	const slivers = {pixel: -1, weight: 0, red: 0, green: 0, blue: 0,
		strong: 0};

	for (let k = from; k < to; k++) {
		const left = (columns.start[k] - pen.start) * pen.scale;
		const right = (columns.end[k] - pen.start) * pen.scale;

		const wait = columns.wait?.[k];

		if ((right - left) * ratio < 1) {
			addSliver(pen, slivers, box, columns.item[k],
				left * ratio, (right - left) * ratio, wait);
		} else if (right > 0) {
			flushSlivers(pen, slivers, box);
			paintBar(pen, box, columns.item[k],
				Math.round(left * ratio) / ratio,
				Math.round(right * ratio) / ratio, wait,
				columns.names?.[k]);
		}
	}
	flushSlivers(pen, slivers, box);
}

/* left, width: in pixels of the screen, of which it may have a part of two. */
function addSliver(pen, slivers, box, item, left, width, wait)
{
	const pixel = Math.floor(left);
	const within = Math.min(width, pixel + 1 - left);

	addToPixel(pen, slivers, box, item, pixel, Math.max(within, 0.01), wait);
	if (within < width) {
		addToPixel(pen, slivers, box, item, pixel + 1, width - within,
			wait);
	}
}

function addToPixel(pen, slivers, box, item, pixel, weight, wait)
{
	const {rgb: names, theme, model} = pen.scene;
	const rgb = wait ? channels(activityColour(wait)[theme]) :
		names[model.items.name[item]];

	if (pixel !== slivers.pixel)
		flushSlivers(pen, slivers, box);
	slivers.pixel = pixel;
	slivers.weight += weight;
	slivers.red += rgb[0] * weight;
	slivers.green += rgb[1] * weight;
	slivers.blue += rgb[2] * weight;
	slivers.strong ||= !pen.scene.fades(item);
}

function flushSlivers(pen, slivers, box)
{
	const {weight, red, green, blue} = slivers;

	if (weight > 0) {
		const alpha = slivers.strong ?
			Math.min(1, Math.max(FAINTEST, weight)) : FADED;

		/* Short numbers: browsers read the text of a colour anew. */
		pen.context.fillStyle = `rgb(${Math.round(red / weight)} ` +
			`${Math.round(green / weight)} ` +
			`${Math.round(blue / weight)} / ` +
			`${Math.round(alpha * 100) / 100})`;
		pen.context.fillRect(slivers.pixel / pen.ratio, box.y,
			1 / pen.ratio, box.height);
	}
	slivers.weight = slivers.red = slivers.green = slivers.blue = 0;
	slivers.strong = false;
}

function paintBar(pen, box, item, left, right, wait, name)
{
	const {scene, context} = pen;
	const x = Math.max(left, -2);
	const width = Math.min(right, pen.width + 2) - x;
	/* A hairline between neighbours, where there is room for one. */
	const shown = width > 3 ? width - 0.6 : width;
	const colour = colourOf(scene, item);

	context.globalAlpha = scene.fades(item) ? FADED : 1;
	if (wait) {
		fillBar(pen, activityColour(wait), x, box.y, shown, box.height);
		if (name)
			paintSegment(pen, box, wait, name, [x, x + shown]);
		context.globalAlpha = 1;
		return;
	}
	context.fillStyle = colour;
	context.fillRect(x, box.y, shown, box.height);
	const queued = paintQueued(pen, box, item, x, x + shown);

	if (scene.model.items.state[item] === OPEN) {
		context.fillStyle = hatchOf(pen, "open", scene.ink.ground, "up",
			1.6);
		context.fillRect(x, box.y, shown, box.height);
	}
	if (item === scene.state.selected.item)
		outline(pen, x, box, shown, scene.ink.text, 2);
	else if (scene.model.items.error[item])
		outline(pen, x, box, shown, scene.ink.error, 1.5);
	paintName(pen, box, item, [Math.max(x, 0), queued, x + width]);
	context.globalAlpha = 1;
}

/* The first part of a generation may have been a wait in the queue. Returns
 * where it ends. */
function paintQueued(pen, box, item, from, to)
{
	const {scene} = pen;
	const queued = scene.stats?.queued[item] || 0;
	const right = Math.min(to, (scene.model.items.start[item] + queued -
		pen.start) * pen.scale);

	if (queued > 0 && right > from) {
		pen.context.fillStyle = activityColour(QUEUE)[scene.theme];
		pen.context.fillRect(from, box.y, right - from, box.height);
		return right;
	}
	return from;
}

/* On a collapsed row the selected span may lie below others. */
function outlineSelected(pen, y, height)
{
	const {scene: {model: {items}, state: {selected: {item}}}} = pen;

	if (item < 0 || items.state[item] > OPEN || items.timeless[item])
		return;
	const left = (items.start[item] - pen.start) * pen.scale;
	const right = (items.end[item] - pen.start) * pen.scale;

	outline(pen, Math.max(left, -4), {y, height},
		Math.max(Math.min(right, pen.width + 4) - Math.max(left, -4),
			3), pen.scene.ink.text, 2);
}

/* On lanes the selected span may be too short to be seen. */
function outlineLane(pen, r, y)
{
	const {model, state: {selected: {row, item}}} = pen.scene;

	if (r === row && item >= 0) {
		outlineSelected(pen, y + BAR_INSET +
			laneTop(pen.scene, model.items.lane[item]),
		LANE_HEIGHT - 2 * BAR_INSET + 1);
	}
}

/* How long the request took in whose half the segments are. */
function paintFrames(pen, {item, start, end}, box)
{
	item.forEach((_, k) => {
		const left = Math.max(xAt(pen, start[k]), -4);
		const right = Math.min(xAt(pen, end[k]), pen.width + 4);

		if (right > left)
			outline(pen, left, box, right - left,
				pen.scene.ink.faint, 1);
	});
}

function paintSegment(pen, box, activity, name, [left, right])
{
	const {context, scene: {theme}} = pen;
	const x = Math.max(left, 0);

	if (right - x < textWidth(pen, name) + 8)
		return;
	context.fillStyle = inkOn(activityColour(activity)[theme]);
	context.fillText(name, x + 4, box.y + box.height / 2 + 0.5);
}

function outline(pen, x, box, width, ink, weight)
{
	pen.context.strokeStyle = ink;
	pen.context.lineWidth = weight;
	pen.context.strokeRect(x + weight / 2, box.y + weight / 2,
		Math.max(width - weight, 0.5), box.height - weight);
}

/* The span's name, cut to its bar or to one side of where its queue ends, each
 * of which has an ink of its own; on hatching and on what is faint nothing
 * could be read. */
function paintName(pen, box, item, [left, queued, right])
{
	const {scene, context} = pen;
	const after = right - Math.max(left, queued) >= LABEL_ROOM;
	const [x, end] = after ? [Math.max(left, queued), right] :
		[left, queued];

	if (end - x < LABEL_ROOM || scene.model.items.state[item] === OPEN ||
	    scene.fades(item))
		return;
	const text = (after ? barText : queueText)(pen, item, end - x - 8);

	context.fillStyle = inkOn(after ? colourOf(scene, item) :
		activityColour(QUEUE)[scene.theme]);
	context.fillText(text, x + 4, box.y + box.height / 2 + 0.5);
}

/* How wide a text on a bar is; each is measured once. */
function textWidth({scene: {widths}, context}, text)
{
	const known = widths.get(text);

	if (known !== undefined)
		return known;
	if (widths.size > TEXTS_KEPT)
		widths.clear();
	const {width} = context.measureText(text);

	widths.set(text, width);
	return width;
}

/* As much of a name as fits into width px, "" when that is too little. */
function cutText(pen, name, width)
{
	const text = nameText(pen.scene.model.strings[name]);
	const full = textWidth(pen, text);
	const share = Math.floor(text.length * (width - ELLIPSIS) / full);

	if (full <= width)
		return text;
	return share < 4 ? "" : text.slice(0, share)
		.replace(/[\ud800-\udbff\u200d]+$/, "") + "…";
}
