/*
 * What is drawn over the rows' bars: points, orphans, the measured range.
 */

/* Points are diamonds, orphans crosses; where they are too close to be told
 * apart, each pixel that has one gets a tick. */
function paintMarks(pen, marks, y, expanded)
{
	const {scene, scene: {model: {items}}} = pen;
	const height = expanded ? LANE_HEIGHT : scene.rowHeight;
	const reach = POINT_REACH / pen.scale;
	const from = firstAbove(marks.start, pen.start - reach);
	const to = firstAbove(marks.start, pen.end + reach);
	const last = new Map(); /* by lane, the last pixel */

	for (let k = from; k < to; k++) {
		const item = marks.item[k];
		const x = Math.round((marks.start[k] - pen.start) * pen.scale);
		const top = expanded ? laneTop(scene, items.lane[item]) : 0;
		const gap = x - (last.get(top) ?? -Infinity);

		last.set(top, x);
		if (gap > 0 || item === scene.state.selected.item) {
			paintMark(pen, item, x, y + top + height / 2,
				expanded ? 4 : 2.5, gap < 4);
		}
	}
}

function paintMark(pen, item, x, y, usual, dense)
{
	const {scene, context} = pen;
	const chosen = item === scene.state.selected.item;
	const size = chosen ? 5 : usual;

	context.globalAlpha = scene.fades(item) && !chosen ? FADED : 1;
	if (dense && !chosen) {
		context.fillStyle = scene.ink.text;
		fillLine(context, x, y - size, 2 * size);
	} else if (scene.model.items.state[item] === ORPHAN) {
		paintCross(pen, x, y, size);
	} else {
		paintDiamond(pen, x, y, size, chosen);
	}
	context.globalAlpha = 1;
}

function paintCross({scene, context}, x, y, size)
{
	context.beginPath();
	context.moveTo(x - size, y - size);
	context.lineTo(x + size, y + size);
	context.moveTo(x - size, y + size);
	context.lineTo(x + size, y - size);
	for (const [ink, weight] of [["ground", 4], ["text", 1.8]]) {
		context.lineWidth = weight;
		context.strokeStyle = scene.ink[ink];
		context.stroke();
	}
}

function paintDiamond({scene, context}, x, y, size, chosen)
{
	context.beginPath();
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

/* The measured range: its edges, and what lies outside made faint. */
function paintMeasured({scene, context, start, scale, width}, height)
{
	const {measured} = scene.state;

	if (!measured)
		return;
	const left = (measured.start - start) * scale;
	const right = (measured.end - start) * scale;

	context.globalAlpha = 0.55;
	context.fillStyle = scene.ink.ground;
	context.fillRect(0, 0, left, height);
	context.fillRect(right, 0, width - right, height);
	context.globalAlpha = 1;
	context.fillStyle = scene.ink.accent;
	fillLine(context, left, 0, height);
	fillLine(context, right, 0, height);
}

/* Its duration, on the axis. */
function paintMeasure({scene, context, start, scale, width}, height)
{
	const {measured} = scene.state;

	if (!measured)
		return;
	const left = Math.max(0, (measured.start - start) * scale);
	const right = Math.min(width, (measured.end - start) * scale);
	const text = `↔ ${formatDuration(measured.end - measured.start)}`;
	const room = context.measureText(text).width + 10;
	const middle = Math.min(Math.max((left + right) / 2, room / 2),
		width - room / 2);

	if (right <= 0 || left >= width)
		return;
	context.fillStyle = scene.ink.accent;
	context.fillRect(left, height - 3, Math.max(right - left, 1), 3);
	context.fillRect(middle - room / 2, 3, room, height - 8);
	context.fillStyle = scene.ink.ground;
	context.fillText(text, middle - room / 2 + 5, height / 2);
}
