/*
 * The plot as vectors: what is painted on a canvas is written down as SVG
 * instead, by the same functions, and the words next to it as text. Text is
 * escaped and holds nothing that XML does not take.
 */

const VECTOR_FONT = "system-ui, sans-serif";
const XML_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
	"'": "&#39;"};

/* Text for XML 1.0, in which what can be seen alone is left. */
function xmlText(text)
{
	return visible(String(text)).replace(/[\ufffe\uffff]/g, "\ufffd")
		.replace(/[&<>"']/g, (c) => XML_ENTITIES[c]);
}

function xmlNumber(value)
{
	return String(Number(value.toFixed(2)));
}

/* An SVG element with numbers and plain words as attributes, around what is
 * XML already. */
function vectorBox(attributes, inner)
{
	const said = Object.entries(attributes).map(([key, value]) =>
		` ${key}="${typeof value === "number" ? xmlNumber(value) : value}"`);

	return `<${"svg"}${said.join("")}>${inner}</${"svg"}>`;
}

/* A colour as every viewer of SVG reads it: [colour, opacity]. */
function vectorColour(colour)
{
	const parts = /^rgb\(([\d.]+) ([\d.]+) ([\d.]+) \/ ([\d.]+)\)$/
		.exec(colour);

	return parts ? [`rgb(${parts.slice(1, 4).map((part) =>
		Math.round(part)).join(",")})`, Number(parts[4])] : [colour, 1];
}

/* Of a canvas' context, what the page's painting uses. */
class VectorContext {
	constructor(patterns)
	{
		this.screen = document.createElement("canvas").getContext("2d");
		this.patterns = patterns; /* their marks by what they are */
		this.parts = [];
		this.fillStyle = this.strokeStyle = "#000";
		this.lineWidth = this.globalAlpha = 1;
		this.font = `10px ${VECTOR_FONT}`;
		this.textBaseline = this.textAlign = "";
		this.dashes = [];
		this.path = "";
		this.unit = 1;
		this.open = ""; /* the look of the rectangles that were last */
	}

	clearRect()
	{
		this.parts = [];
		this.open = "";
	}

	/* Coordinates are CSS pixels, or those of the screen. */
	setTransform(scale)
	{
		this.unit = scale / (globalThis.devicePixelRatio || 1);
	}

	createPattern(tile, repetition)
	{
		return this.screen.createPattern(tile, repetition);
	}

	measureText(text)
	{
		this.screen.font = this.font;
		return this.screen.measureText(text);
	}

	setLineDash(dashes)
	{
		this.dashes = dashes;
	}

	at(x, y)
	{
		return `${xmlNumber(x * this.unit)} ${xmlNumber(y * this.unit)}`;
	}

	beginPath()
	{
		this.path = "";
	}

	moveTo(x, y)
	{
		this.path += `M${this.at(x, y)}`;
	}

	lineTo(x, y)
	{
		this.path += `L${this.at(x, y)}`;
	}

	closePath()
	{
		this.path += "Z";
	}

	/* ' fill="#123"' with its opacity; hatching as a pattern. */
	ink(kind, style)
	{
		const [colour, alpha] = style.hatch ?
			[`url(#${this.patternOf(style.hatch)})`, 1] :
			vectorColour(style);
		const opacity = alpha * this.globalAlpha;

		return ` ${kind}="${colour}"` + (opacity < 1 ?
			` ${kind}-opacity="${xmlNumber(opacity)}"` : "");
	}

	patternOf(hatch)
	{
		const key = JSON.stringify(hatch);

		if (!this.patterns.has(key))
			this.patterns.set(key, `hatch${this.patterns.size}`);
		return this.patterns.get(key);
	}

	put(text)
	{
		this.parts.push(text);
		this.open = "";
	}

	/* Rectangles of one look that follow one another are one path. */
	fillRect(x, y, width, height)
	{
		const look = this.ink("fill", this.fillStyle);
		const box = `M${this.at(x, y)}h${xmlNumber(width * this.unit)}` +
			`v${xmlNumber(height * this.unit)}` +
			`h${xmlNumber(-width * this.unit)}z`;

		if (!(width > 0 && height > 0))
			return;
		if (this.open === look)
			this.parts.push(this.parts.pop().slice(0, -3) + `${box}"/>`);
		else
			this.put(`<path${look} d="${box}"/>`);
		this.open = look;
	}

	strokeRect(x, y, width, height)
	{
		this.path = `M${this.at(x, y)}h${xmlNumber(width)}` +
			`v${xmlNumber(height)}h${xmlNumber(-width)}z`;
		this.stroke();
	}

	fill()
	{
		this.put(`<path${this.ink("fill", this.fillStyle)} ` +
			`d="${this.path}"/>`);
	}

	stroke()
	{
		this.put(`<path fill="none"${this.ink("stroke", this.strokeStyle)}` +
			` stroke-width="${xmlNumber(this.lineWidth)}"` +
			(this.dashes.length ?
				` stroke-dasharray="${this.dashes.join(" ")}"` : "") +
			` d="${this.path}"/>`);
	}

	fillText(text, x, y)
	{
		const size = parseFloat(this.font);
		const middle = this.textBaseline === "middle" ? size * 0.35 : 0;
		const anchor = {right: "end", center: "middle"}[this.textAlign];

		this.put(`<text${this.ink("fill", this.fillStyle)} x="${
			xmlNumber(x)}" y="${xmlNumber(y + middle)}" font-size="${
			xmlNumber(size)}"${anchor ? ` text-anchor="${anchor}"` : ""}>${
			xmlText(text)}</text>`);
	}
}

/* What paint(canvas) paints on a canvas of a size, at a place. */
function vectorPart(patterns, {left, top, width, height}, paint)
{
	const context = new VectorContext(patterns);

	paint({getContext: () => context, width, height,
		getBoundingClientRect: () => ({width, height})});
	return vectorBox({x: left, y: top, width, height, overflow: "hidden"},
		context.parts.join("\n"));
}

/* Elements that have text of their own. */
function wordsWithin(root)
{
	return [...root.querySelectorAll("*")].filter((one) =>
		[...one.childNodes].some((node) => node.nodeType === 3 &&
			/\S/.test(node.data)) && one.clientHeight > 0);
}

/* The marks of workers in lists. */
function marksWithin(root)
{
	return [...root.querySelectorAll(".mark")].filter(({offsetWidth}) =>
		offsetWidth > 0);
}

function vectorMark(mark, corner)
{
	const {left, top, width, height} = placeWithin(mark, corner);

	return `<rect x="${xmlNumber(left)}" y="${xmlNumber(top)}" width="${
		xmlNumber(width)}" height="${xmlNumber(height)}" fill="${
		getComputedStyle(mark).backgroundColor}"/>`;
}

/* The words within an element as they stand, from a corner on. */
function vectorWords(root, corner)
{
	return wordsWithin(root).map((one) => {
		const {left, top, right, height} = one.getBoundingClientRect();
		const {color, fontSize, fontWeight, textAlign, paddingLeft} =
			getComputedStyle(one);
		const size = parseFloat(fontSize);
		const atEnd = textAlign === "right" || textAlign === "end";
		const own = [...one.childNodes].filter(({nodeType}) =>
			nodeType === 3).map(({data}) => data).join("").trim();

		return `<text x="${xmlNumber((atEnd ? right : left +
			parseFloat(paddingLeft)) - corner.left)}" y="${xmlNumber(top + height / 2 -
			corner.top + size * 0.35)}" font-size="${
			xmlNumber(size)}" fill="${color}"` +
			(Number(fontWeight) > 550 ? " font-weight=\"bold\"" : "") +
			`${atEnd ? " text-anchor=\"end\"" : ""}>${xmlText(own)}</text>`;
	});
}

/* What a pattern of hatching is: see makeHatch. */
function vectorPattern([key, id])
{
	const {colour, slant, weight} = JSON.parse(key);
	const [from, to] = slant === "up" ? [6, 0] : [0, 6];
	const lines = [-6, 0, 6].map((x) => `M${x} ${from}L${x + 6} ${to}`);

	return `<pattern id="${id}" width="6" height="6" ` +
		`patternUnits="userSpaceOnUse"><path stroke="${colour}" ` +
		`stroke-width="${weight}" d="${lines.join("")}"/></pattern>`;
}

/* A picture of parts on the ground of the page. */
function vectorPicture(scene, patterns, {width, height}, parts)
{
	return vectorBox({
		xmlns: SVG, width, height, "font-family": VECTOR_FONT,
		viewBox: `0 0 ${xmlNumber(width)} ${xmlNumber(height)}`,
	}, `<title>${xmlText(scene.model.about.name)}</title><defs>${
		[...patterns].map(vectorPattern).join("")}</defs>` +
		`<rect width="100%" height="100%" fill="${scene.ink.ground}"/>\n` +
		parts.join("\n")) + "\n";
}

/* Where an element is within the plot, and its size. */
function placeWithin(one, corner)
{
	const {left, top, width, height} = one.getBoundingClientRect();

	return {left: left - corner.left, top: top - corner.top, width, height};
}

/* The charts' bands as far as they are in view. */
function vectorCharts(scene, patterns, corner)
{
	const box = placeWithin(byId("charts"), corner);
	const within = {left: corner.left + box.left, top: corner.top + box.top};
	const drawn = (scene.charts || []).map((chart) => [chart,
		bandOf(chart)?.querySelector("canvas")])
		.filter(([, canvas]) => canvas?.clientWidth);

	if (drawn.length === 0)
		return [];
	return [vectorBox({x: box.left, y: box.top, width: box.width,
		height: box.height, overflow: "hidden"},
	[...drawn.map(([chart, canvas]) => vectorPart(patterns,
		placeWithin(canvas, within),
		(picture) => paintChart(scene, chart, picture))),
	...vectorWords(byId("charts"), within),
	...marksWithin(byId("charts")).map((mark) =>
		vectorMark(mark, within))].join("\n"))];
}

/* The bands above the rows, from a corner on. */
function vectorBands(scene, patterns, corner)
{
	const drawn = [
		...scene.overview ? [[byId("overview"), (canvas) =>
			paintOverview(scene, canvas)]] : [],
		[byId("axis"), (canvas) => paintAxis(scene, canvas)]];

	return [...drawn.filter(([canvas]) => canvas.clientWidth).map(
		([canvas, paint]) => vectorPart(patterns,
			placeWithin(canvas, corner), paint)),
	...vectorCharts(scene, patterns, corner),
	...["over", "heads"].flatMap((id) =>
		vectorWords(byId(id), corner))];
}

/* The plot as it is on the screen. */
function plotVector(scene)
{
	const corner = byId("plot").getBoundingClientRect();
	const patterns = new Map();
	const rows = placeWithin(byId("rows"), corner);
	const labels = vectorWords(byId("labels"), {left: corner.left,
		top: corner.top + rows.top});
	const parts = [...vectorBands(scene, patterns, corner),
		vectorPart(patterns, rows, (canvas) => paintRows(scene, canvas)),
		vectorBox({y: rows.top, width: rows.left, height: rows.height,
			overflow: "hidden"}, labels.join("\n")),
		vectorPart(patterns, {left: 0, top: 0, width: corner.width,
			height: corner.height}, (canvas) => paintFlags(scene,
			canvas.getContext("2d"), corner))];

	return vectorPicture(scene, patterns, corner, parts);
}
