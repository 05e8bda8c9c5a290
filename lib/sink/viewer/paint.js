/*
 * Drawing on the two canvases. Everything comes from the scene (see
 * viewer.js); nothing here changes it.
 */

const BAR_INSET = 2;
const LABEL_ROOM = 46; /* px a bar needs before its name is written on it */
const FAINTEST = 0.55; /* a sliver still shows */

/* Match the canvas to its place on the page and to the screen's pixels;
 * returns the context, in CSS pixels. */
function fitCanvas(canvas)
{
	const ratio = globalThis.devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const height = canvas.clientHeight;
	const context = canvas.getContext("2d");

	if (canvas.width !== Math.round(width * ratio) ||
	    canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return {context, width, height};
}

function paintAxis(scene, canvas)
{
	const {context, width, height} = fitCanvas(canvas);
	const {start, end} = scene.window;
	const scale = width / (end - start);

	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	for (const tick of ticks(start, end, width)) {
		const x = (tick.at - start) * scale;

		context.fillStyle = scene.ink.line;
		context.fillRect(Math.round(x), height - 6, 1, 6);
		context.fillStyle = scene.ink.faint;
		if (x + 4 + context.measureText(tick.text).width < width)
			context.fillText(tick.text, x + 4, height / 2);
	}
}

function paintRows(scene, canvas)
{
	const {context, width, height} = fitCanvas(canvas);
	const {tops, scroll, model} = scene;
	const pen = makePen(scene, context, width);

	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "middle";
	for (let r = lastAtMost(tops, scroll);
	     r < model.rows.length && tops[r] < scroll + height; r++)
		paintGround(pen, r, tops[r] - scroll);
	paintGrid(pen, Math.min(height, tops[model.rows.length] - scroll));
	for (let r = lastAtMost(tops, scroll);
	     r < model.rows.length && tops[r] < scroll + height; r++)
		paintRow(pen, r, tops[r] - scroll);
}

/* What the functions below share: where to draw, and the scale. */
function makePen(scene, context, width)
{
	const {start, end} = scene.window;

	return {scene, context, width, start, end,
		scale: width / (end - start),
		hatch: makeHatch(context, scene.ink.ground)};
}

/* Diagonal stripes of the ground's colour, laid over open spans. */
function makeHatch(context, colour)
{
	const tile = document.createElement("canvas");
	const stripes = tile.getContext("2d");

	tile.width = tile.height = 6;
	stripes.strokeStyle = colour;
	stripes.lineWidth = 1.6;
	for (const shift of [-6, 0, 6]) {
		stripes.moveTo(shift, 6);
		stripes.lineTo(shift + 6, 0);
	}
	stripes.stroke();
	return context.createPattern(tile, "repeat");
}

function paintGround(pen, r, y)
{
	const {scene, context, width} = pen;
	const height = scene.tops[r + 1] - scene.tops[r];

	if (r === scene.selected.row) {
		context.fillStyle = scene.ink.chosen;
		context.fillRect(0, y, width, height);
	} else if (scene.expanded[r]) {
		context.fillStyle = scene.ink.raised;
		context.fillRect(0, y, width, height);
	}
}

/* Under the bars, so that it never cuts one. */
function paintGrid(pen, height)
{
	pen.context.fillStyle = pen.scene.ink.line;
	for (const tick of ticks(pen.start, pen.end, pen.width)) {
		const x = Math.round((tick.at - pen.start) * pen.scale);

		pen.context.fillRect(x, 0, 1, height);
	}
}

function paintRow(pen, r, y)
{
	const {shapes, expanded} = pen.scene;

	paintBars(pen, shapes.flat(r), y, ROW_HEIGHT);
	if (expanded[r]) {
		shapes.lanes(r).forEach((lane, n) => paintBars(pen, lane,
			y + laneTop(n), LANE_HEIGHT));
	}
	paintMarks(pen, shapes.marks(r), y, expanded[r]);
}

function colourOf(scene, item)
{
	return scene.colours[scene.model.items.name[item]][scene.theme];
}

/* One line of spans. Those under a pixel wide are gathered pixel by pixel
 * and drawn in the mean of their colours. */
function paintBars(pen, columns, y, height)
{
	const from = firstAbove(columns.reach || columns.end, pen.start);
	const to = firstAbove(columns.start, pen.end);
	const box = {y: y + BAR_INSET, height: height - 2 * BAR_INSET + 1};
	const slivers = {pixel: -1, weight: 0, sum: [0, 0, 0]};

	for (let k = from; k < to; k++) {
		const left = (columns.start[k] - pen.start) * pen.scale;
		const right = (columns.end[k] - pen.start) * pen.scale;

		if (right - left < 1) {
			addSliver(pen, slivers, box, columns.item[k], left,
				right - left);
		} else if (right > 0) {
			paintBar(pen, box, columns.item[k], left, right);
		}
	}
	flushSlivers(pen, slivers, box);
}

function addSliver(pen, slivers, box, item, left, width)
{
	const pixel = Math.floor(left);
	const weight = Math.max(width, 0.01);

	if (pixel !== slivers.pixel)
		flushSlivers(pen, slivers, box);
	slivers.pixel = pixel;
	slivers.weight += weight;
	channels(colourOf(pen.scene, item)).forEach((channel, c) => {
		slivers.sum[c] += channel * weight;
	});
}

function flushSlivers(pen, slivers, box)
{
	if (slivers.weight > 0) {
		const mean = slivers.sum.map((c) => c / slivers.weight);
		const alpha = Math.min(1, Math.max(FAINTEST, slivers.weight));

		pen.context.fillStyle = `rgb(${mean.join(" ")} / ${alpha})`;
		pen.context.fillRect(slivers.pixel, box.y, 1, box.height);
	}
	slivers.weight = 0;
	slivers.sum.fill(0);
}

function paintBar(pen, box, item, left, right)
{
	const {scene, context} = pen;
	const colour = colourOf(scene, item);
	const x = Math.max(left, -2);
	const width = Math.min(right, pen.width + 2) - x;
	/* A hairline between neighbours, where there is room for one. */
	const shown = width > 3 ? width - 0.6 : width;

	context.fillStyle = colour;
	context.fillRect(x, box.y, shown, box.height);
	if (scene.model.items.state[item] === OPEN) {
		context.fillStyle = pen.hatch;
		context.fillRect(x, box.y, shown, box.height);
	}
	if (item === scene.selected.item)
		outline(pen, x, box, shown);
	if (width >= LABEL_ROOM)
		paintName(pen, box, item, Math.max(x, 0), width, colour);
}

function outline(pen, x, box, width)
{
	pen.context.strokeStyle = pen.scene.ink.text;
	pen.context.lineWidth = 2;
	pen.context.strokeRect(x, box.y, width, box.height);
}

/* The span's name, cut to its bar; on hatching nothing could be read. */
function paintName(pen, box, item, x, width, colour)
{
	const {scene, context} = pen;
	const name = visible(scene.model.strings[scene.model.items.name[item]]);
	const text = cutText(context, name, width - 8);

	if (text === "" || scene.model.items.state[item] === OPEN)
		return;
	context.fillStyle = inkOn(colour);
	context.fillText(text, x + 4, box.y + box.height / 2 + 0.5);
}

/* As much of the text as fits into width px, "" when that is too little. */
function cutText(context, text, width)
{
	const full = context.measureText(text).width;
	const share = Math.floor(text.length * width / full) - 1;

	if (full <= width)
		return text;
	return share < 4 ? "" : text.slice(0, share) + "…";
}

/* Points are diamonds, orphans crosses; one a pixel is enough. */
function paintMarks(pen, marks, y, expanded)
{
	const {items} = pen.scene.model;
	const reach = POINT_REACH / pen.scale;
	const from = firstAbove(marks.start, pen.start - reach);
	const to = firstAbove(marks.start, pen.end + reach);
	let last = "";

	for (let k = from; k < to; k++) {
		const item = marks.item[k];
		const x = Math.round((marks.start[k] - pen.start) * pen.scale);
		const top = expanded ? laneTop(items.lane[item]) : 0;
		const place = `${x} ${top} ${items.state[item]}`;

		if (place !== last)
			paintMark(pen, item, x, y + top + ROW_HEIGHT / 2,
				expanded ? 4 : 2.5);
		last = place;
	}
}

function paintMark(pen, item, x, y, usual)
{
	const {scene, context} = pen;
	const chosen = item === scene.selected.item;
	const size = chosen ? 5 : usual;

	context.beginPath();
	if (scene.model.items.state[item] === ORPHAN) {
		context.moveTo(x - size, y - size);
		context.lineTo(x + size, y + size);
		context.moveTo(x - size, y + size);
		context.lineTo(x + size, y - size);
		context.lineWidth = 4;
		context.strokeStyle = scene.ink.ground;
		context.stroke();
		context.lineWidth = 1.8;
		context.strokeStyle = scene.ink.text;
		context.stroke();
		return;
	}
	context.moveTo(x, y - size);
	context.lineTo(x + size, y);
	context.lineTo(x, y + size);
	context.lineTo(x - size, y);
	context.closePath();
	context.fillStyle = chosen ? scene.ink.accent : scene.ink.text;
	context.fill();
	context.lineWidth = 1;
	context.strokeStyle = scene.ink.ground;
	context.stroke();
}
