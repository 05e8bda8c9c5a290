/*
 * The scene of a dump, see viewer.js, and which items it shows.
 */

/* What a scene has of a dump. */
function sceneOf(model, state)
{
	const whole = wholeOf(model, state.far);
	const earlier = earlierAttempts(model);
	const scene = {
		model, state, whole,
		window: windowOf(state, whole),
		colours: colourNames(model),
		legend: legendOf(model),
		earlier,
		retried: earlier.includes(1),
		filter: undefined,
		shown: undefined, /* the rows of the order, see shownRows */
		stats: undefined,
		attrs: undefined,
		charts: undefined,
		axis: {}, /* see paintChanged */
		overview: undefined,
		overviewWanted: true,
		sheet: false, /* see panelShown */
		paper: undefined, /* see beginPrint */
		scroll: 0,
		drawn: undefined, /* see moved.js */
		ring: undefined,
		glide: undefined, /* see glide.js */
		turns: 0, /* of charts, see paintCharts */
		chartsWait: false,
		image: undefined, /* of charts, see boxes.js */
		hair: undefined, /* what the pointer is at, see showHair */
		widths: new Map(), /* of texts, see textWidth */
		texts: new Map(), /* of bars by item, see barTexts */
	};

	scene.shapes = new Shapes(model, (i, wait) => isShown(scene, i, wait),
		(i) => isThere(scene, i));
	return scene;
}

/* The window of a state, which comes from an address perhaps: within the whole
 * in any case. */
function windowOf({window}, whole)
{
	return window ? zoomed(window, 1, (window.start + window.end) / 2,
		whole) : whole;
}

/* Whether an item of this attempt and kind is asked for. */
function isThere({state, model, earlier}, i)
{
	const kind = model.items.state[i];

	if (state.attempts === "filter" && earlier[i])
		return false;
	return kind === POINT ? state.points : kind === ORPHAN ?
		state.orphans : kind !== OPEN || state.open;
}

/* Whether an item is drawn; wait: of the item, the part that is this wait. */
function isShown(scene, i, wait = 0)
{
	const {state: {hidden}, model: {items}} = scene;

	if (wait) {
		return isThere(scene, i) && !hidden.has(-wait);
	}
	return isThere(scene, i) && (items.state[i] > OPEN ||
		!hidden.has(items.name[i]));
}
