/*
 * The cursor: a moment that was pinned, a line through everything with a time
 * axis, and what the charts and the samples did then. Where nothing is pinned
 * the pointer's moment counts.
 */

const PIN_REACH = 4; /* px at which a click meets the cursor */

/* The moment that values are shown of; undefined: none. */
function momentShown(scene, hovered)
{
	return hovered ?? scene.state.cursor ?? undefined;
}

/* How many of the rows do each thing at a moment, by activity. */
function activitiesAt(stats, rows, time)
{
	const counted = new Uint32Array(ACTIVITY_NAMES.length);
	const instant = {start: time, end: time + 1};

	for (const r of rows) {
		let done = false;

		eachActivity(stats, r, instant, (activity) => {
			if (!done)
				counted[activity]++;
			done = true;
		});
	}
	return counted;
}

/* "12.3 s: 31 decode, 12 queue" */
function sayMoment({stats, order}, time)
{
	const counted = activitiesAt(stats, order, time);
	const parts = [...counted.keys()].filter((a) => counted[a] > 0)
		.sort((a, b) => counted[b] - counted[a])
		.map((a) => `${formatCount(counted[a])} ${ACTIVITY_NAMES[a]}`);

	return `${formatDuration(time)}: ${parts.join(", ") || "nothing runs"}`;
}

function percent(share)
{
	return `${Number((share * 100).toFixed(4))}%`;
}

/* Lines at a moment, or none, through all that has a time axis, in shares of
 * the width: paper has another one. */
function placeLines(scene, name, time)
{
	const {plot, whole} = scene;

	for (const line of document.getElementsByClassName(name)) {
		const scale = line.closest("#strip") ?
			makeScale(whole, plot.width) : plot;
		const x = Math.round(xAt(scale, time ?? 0));

		setHidden(line, (time ?? null) === null || x < 0 ||
			x > scale.width);
		if (!line.hidden)
			setStyle(line, "left", percent(x / scale.width));
	}
}

/* The line of the pinned moment. */
function placePins(scene)
{
	placeLines(scene, "pin", scene.state.cursor);
}

/* Pin the cursor at a moment, or remove it when it is there already. */
function pin(scene, page, time)
{
	const {cursor} = scene.state;
	const there = cursor !== null &&
		Math.abs(cursor - time) * scene.plot.scale < PIN_REACH;

	page.setState({cursor: there ? null : time});
}

/* The cursor at the start of what is selected, or away. */
function pinSelection(scene, page)
{
	const {row, item} = scene.state.selected;
	const time = timeOf(scene, row, item);

	page.setState({cursor: scene.state.cursor === null && time ?
		time.start : null});
}

/* The values beside the charts; said: of when they are, unless bands are new. */
function showValues(scene, hovered)
{
	const time = momentShown(scene, hovered);

	if (scene.said && scene.said.time === time)
		return;
	scene.said = {time};
	for (const chart of scene.charts || []) {
		const value = bandOf(chart)?.querySelector("b");

		if (value)
			setText(value, sayChart(chart, time));
	}
}

/* What is said of the pinned moment above the rows. */
function showCursor(scene, page)
{
	const {state: {cursor}, stats} = scene;

	byId("cursor").replaceChildren(...cursor === null || !stats ? [] : [
		element("span", {}, sayMoment(scene, cursor)),
		chipButton("note", () => addNote(scene, page,
			noteOfMoment(scene.state.dump, cursor))),
		chipButton("unpin", () => page.setState({cursor: null})),
	]);
	showValues(scene);
}
