/*
 * The labels while they scroll: drawn on a canvas that covers their list, which
 * follows once the scroll rests. A browser spends more on the elements of a few
 * labels than on all the rows of a frame.
 *
 * Both look the same. The list itself scrolls if a canvas would draw its text
 * differently, if lanes are shown, with forced colours, and while a label has
 * the focus. The canvases are not opaque: on opaque ones browsers colour the
 * edges of letters, on the list they do not.
 *
 * scene.glide is undefined once anything but the scroll has changed, false if
 * the list is used, else {context, ratio, width, font, base, places, lines}. The
 * context is that of a hidden canvas of cells, one per line in view; lines: which
 * line each cell holds. places: where the texts of a label stand; base: where
 * their letters do, in px below its top.
 */

const GLIDE_REST = 100; /* ms */
const GLIDE_ERROR = 0.5; /* px */
const WHOLE = 60; /* px: whole pixels of the screen at any zoom of a browser */
const HEAD_FONT = 11; /* px, as in viewer.css */
const HEAD_PADDING = 8;

/* Draw the labels of a scroll; returns whether the list can wait. before: what
 * was drawn until then, see moved.js. */
function glideLabels(scene, page, before, height)
{
	const canvas = byId("glide");

	if (!before || !mayGlide(scene, height)) {
		scene.glide = undefined;
		setHidden(canvas, true);
		return false;
	}
	if (before.scroll === scene.scroll)
		return !canvas.hidden;
	scene.glide ??= beginGlide(scene, height);
	if (!scene.glide)
		return false;
	setHidden(canvas, false);
	paintLabels(scene, canvas, height);
	clearTimeout(page.restTimer);
	page.restTimer = setTimeout(() => restLabels(scene, page), GLIDE_REST);
	return true;
}

/* Between pixels of the screen, browsers place text and pictures differently. */
function mayGlide(scene, height)
{
	const {lines, paper, scroll, tops} = scene;
	const isWhole = (px) => Math.abs(snap(px) - px) < 0.01;

	return !lines.lanes && !paper && isWhole(scroll) &&
		tops.subarray(...linesWithin(scene, height)).every(isWhole) &&
		!byId("labels").contains(document.activeElement);
}

/* The list shows what the canvas does. */
function restLabels(scene, page)
{
	const canvas = byId("glide");

	if (canvas.hidden)
		return;
	showLabels(scene, byId("labels"), byId("scroller").clientHeight,
		page.labels);
	setHidden(canvas, true);
}

/* scene.glide; false: a canvas would draw something else than the list shows. */
function beginGlide(scene, height)
{
	const {rowHeight} = scene;
	const label = byId("labels").querySelector(".label");
	const ratio = globalThis.devicePixelRatio || 1;
	const context = document.createElement("canvas").getContext("2d");
	const many = Math.ceil(height / rowHeight) + 2;

	if (!label || matchMedia("(forced-colors: active)").matches)
		return false;
	const {width} = label.getBoundingClientRect();

	context.canvas.width = Math.ceil(width * ratio);
	context.canvas.height = many * cellHeight(scene, ratio);
	const font = fontOf(label);
	const {top, base} = textLine(context, font, rowHeight, ratio);

	if (!looksSame(context, label, top))
		return false;
	placeGlide(byId("glide"), height);
	return {context, ratio, base, font, width,
		places: placesOnLabel(label),
		lines: new Int32Array(many).fill(-1)};
}

/* Put the canvas over the list. It begins at a pixel of the screen and covers
 * whole ones, or it would be scaled and blurred. */
function placeGlide(canvas, height)
{
	const {width, top} = byId("gutter").getBoundingClientRect();
	const whole = (px) => `${Math.ceil(px / WHOLE) * WHOLE}px`;

	setStyle(canvas, "top", `${snap(top) - top}px`);
	setStyle(canvas, "width", whole(width));
	setStyle(canvas, "height", whole(height));
}

/* Pixels of the screen for one line. */
function cellHeight({rowHeight, lines: {heads}}, ratio)
{
	return Math.ceil(Math.max(rowHeight, heads.length && HEAD_HEIGHT) *
		ratio);
}

function fontOf(label)
{
	const {fontWeight, fontSize, fontFamily} = getComputedStyle(label);

	return {size: parseFloat(fontSize), weight: fontWeight,
		family: fontFamily};
}

function useFont(context, {size, weight, family})
{
	context.font = `${weight} ${size}px ${family}`;
}

/* Where browsers place text in a line of such a height: its top and its base,
 * in px from the top of the line, of whole pixels of the screen. Leaves the
 * context with that font. */
function textLine(context, font, lineHeight, ratio)
{
	useFont(context, {...font, size: font.size * ratio});
	const {fontBoundingBoxAscent, fontBoundingBoxDescent} =
		context.measureText("0");
	const [above, below] = [fontBoundingBoxAscent, fontBoundingBoxDescent]
		.map(Math.round);
	const top = Math.floor((lineHeight * ratio - above - below) / 2);

	useFont(context, font);

	return {top: top / ratio, base: (top + above) / ratio};
}

/* Whether a canvas draws the text of a label as its elements do, whose digits are
 * all equally wide. */
function looksSame(context, label, top)
{
	const digits = [..."0123456789"].map((digit) =>
		context.measureText(digit).width);
	const near = (one, other) => Math.abs(one - other) < GLIDE_ERROR;

	return digits.every((width) => width === digits[0]) &&
		[...label.children].every((child) => {
			const {firstChild: {data}, classList} = child;
			const text = textBox(child);

			return text.width === 0 || classList.contains("cut") ||
				near(text.width,
					context.measureText(data).width) &&
				near(text.top, top +
					label.getBoundingClientRect().top);
		});
}

function textBox({firstChild})
{
	const range = document.createRange();

	range.selectNode(firstChild);
	return range.getBoundingClientRect();
}

/* What a label's texts have in common with those of all others. */
function placesOnLabel(label)
{
	const from = label.getBoundingClientRect().left;

	return [...label.children].map((child) => {
		const {left, right, width} = child.getBoundingClientRect();
		const {color, textAlign} = getComputedStyle(child);

		return {left: left - from, right: right - from, width, color,
			textAlign};
	});
}

/* Draw the lines in view: each once on a cell, which is copied from then on, many
 * at once if they follow one another on both canvases. */
function paintLabels(scene, canvas, height)
{
	const {glide: {context: {canvas: cells}, lines, ratio}, ink} = scene;
	const [first, end] = linesWithin(scene, height);
	const tall = cellHeight(scene, ratio);
	const {context} = fitCanvas(canvas);

	context.setTransform(1, 0, 0, 1, 0, 0);
	context.fillStyle = ink.ground;
	context.fillRect(0, 0, canvas.width, canvas.height);
	for (let line = first; line < end; line++) {
		const cell = line % lines.length;

		if (lines[cell] !== line)
			paintCell(scene, line, cell * tall);
		lines[cell] = line;
	}
	for (const {cell, y, many} of cellRuns(scene, first, end, tall)) {
		context.drawImage(cells, 0, cell * tall, cells.width,
			many * tall, 0, y, cells.width, many * tall);
	}
}

/* Runs of lines: from which cell on, where they stand, and how many. */
function cellRuns({glide, tops, scroll}, first, end, tall)
{
	const {lines, ratio} = glide;
	const runs = [];

	for (let line = first; line < end; line++) {
		const cell = line % lines.length;
		const y = Math.round((tops[line] - scroll) * ratio);
		const run = runs.at(-1);

		if (run && cell > 0 && y === run.y + run.many * tall)
			run.many++;
		else
			runs.push({cell, y, many: 1});
	}
	return runs;
}

/* Draw a line on its cell, whose top is so many pixels below the canvas's. */
function paintCell(scene, line, below)
{
	const {glide, ink, lines, rowHeight} = scene;
	const {context, ratio, width, font, base} = glide;
	const chosen = lines.at[line] === scene.state.selected.row;
	const head = headAt(lines, line);

	context.setTransform(ratio, 0, 0, ratio, 0, below);
	context.fillStyle = ink.ground;
	context.fillRect(0, 0, width, cellHeight(scene, ratio) / ratio);
	useFont(context, font);
	if (head) {
		paintHeadLabel(glide, scene, headTitle(scene, head));
		return;
	}
	if (chosen) {
		context.fillStyle = ink.chosen;
		context.fillRect(0, 0, width, rowHeight);
	}
	labelWords(scene, lines.at[line]).forEach(([key, text], n) =>
		paintWords(context, glide.places[n], words(text), base,
			columnClass(key, text) !== key));
}

function paintHeadLabel({context, ratio, width, font}, {ink}, text)
{
	const border = Math.max(1, Math.floor(ratio)) / ratio;

	context.fillStyle = ink.raised;
	context.fillRect(0, 0, width, HEAD_HEIGHT);
	context.fillStyle = ink.line;
	context.fillRect(0, 0, width, border);
	const {base} = textLine(context, {...font, size: HEAD_FONT},
		HEAD_HEIGHT - 1, ratio);

	paintWords(context, {left: HEAD_PADDING, right: width - HEAD_PADDING,
		color: ink.faint, textAlign: "left"}, text,
	border + base, true);
}

/* Spaces as elements show them. */
function words(text)
{
	return text.replace(/[ \t\n\f\r]+/g, " ").trim();
}

/* Draw text in its place, from its start on if it is too long. */
function paintWords(context, {left, right, color, textAlign}, text, base, cut)
{
	const room = right - left;

	if (room <= 0 || text === "")
		return;
	const {width} = context.measureText(text);
	const fits = width <= room;
	const shown = fits || !cut ? text : cutWords(context, text, room);
	const spare = {right: room - width, center: (room - width) / 2};

	context.fillStyle = color;
	context.fillText(shown, left + (fits && spare[textAlign] || 0), base);
}

/* As many letters as have room before an ellipsis, one at least. */
function cutWords(context, text, room)
{
	const letters = [...text.slice(0, room)];

	while (letters.length > 1 && context.measureText(
		`${letters.join("")}\u2026`).width > room)
		letters.pop();
	return `${letters.join("")}\u2026`;
}
