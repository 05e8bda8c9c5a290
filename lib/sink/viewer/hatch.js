/*
 * Boxes with diagonal stripes: waits, and spans that are open.
 */

const HATCH_SIZE = 6; /* px of its tile */

/* Diagonal stripes of a colour, to be laid over a bar; what they are stands
 * with them, see vector.js. */
function makeHatch(context, colour, slant, weight)
{
	const tile = document.createElement("canvas");
	const stripes = tile.getContext("2d");
	const [from, to] = slant === "up" ? [HATCH_SIZE, 0] : [0, HATCH_SIZE];

	tile.width = tile.height = HATCH_SIZE;
	stripes.strokeStyle = colour;
	stripes.lineWidth = weight;
	for (const shift of [-HATCH_SIZE, 0, HATCH_SIZE]) {
		stripes.moveTo(shift, from);
		stripes.lineTo(shift + HATCH_SIZE, to);
	}
	stripes.stroke();
	return Object.assign(context.createPattern(tile, "repeat"),
		{hatch: {colour, slant, weight}});
}

/* The rows' own hatching, of a key each, moves with them. */
function placeHatches({ink, scroll})
{
	ink.hatches ??= new Map();
	for (const hatch of ink.hatches.values())
		hatch.setTransform(hatchPlace(scroll));
}

function hatchPlace(scroll)
{
	return {e: 0, f: -(scroll % HATCH_SIZE)};
}

/* Made when first asked for. */
function hatchOf({scene: {ink, scroll}, context}, key, ...look)
{
	if (!ink.hatches.has(key)) {
		const hatch = makeHatch(context, ...look);

		hatch.setTransform(hatchPlace(scroll));
		ink.hatches.set(key, hatch);
	}
	return ink.hatches.get(key);
}

/* Fill a box with a colour of the palette, and its stripes if it has some. */
function fillColour(context, theme, colour, ...box)
{
	context.fillStyle = colour[theme];
	context.fillRect(...box);
	if (!colour.slant)
		return;
	colour.hatches ??= {};
	context.fillStyle = colour.hatches[theme] ??= makeHatch(context,
		colour[`${theme}Stripe`], colour.slant, 1);
	context.fillRect(...box);
}

/* The same on a row. */
function fillBar(pen, colour, ...box)
{
	const {context, scene: {theme}} = pen;

	context.fillStyle = colour[theme];
	context.fillRect(...box);
	if (!colour.slant)
		return;
	context.fillStyle = hatchOf(pen, colour, colour[`${theme}Stripe`],
		colour.slant, 1);
	context.fillRect(...box);
}
