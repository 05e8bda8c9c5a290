/*
 * Clocks that jumped: where a few samples lie so far from the others that these
 * would share a pixel, the page shows the others, and says so.
 */

const STRETCH = 20; /* times what the others take */
const FAR = 3600e6; /* µs, at least: a sample may well take long */
const DAY = 86400e6;
const FAR_SHARE = 0.005; /* of the samples at each end */

/* Slices: {start, end} of the samples without the first and the last few;
 * undefined for so few that none of them is like the others. */
function* coreSteps(rows)
{
	const timed = rows.filter(({start, end}) => start <= end);
	const few = Math.ceil(timed.length * FAR_SHARE);

	yield;
	const starts = Float64Array.from(timed, ({start}) => start).sort();

	yield;
	const ends = Float64Array.from(timed, ({end}) => end).sort();
	const [start, end] = [starts[few], ends[ends.length - 1 - few]];

	return timed.length > 2 && start <= end ? {start, end} : undefined;
}

/* How far a row is outside of the core; 0: not at all. */
function farness({start, end}, core)
{
	return Math.max(core.start - start, end - core.end, 0);
}

/*
 * Slices: {start, end, rows, off}: the time of the samples that are near each
 * other, the numbers of those that are not, and how far the farthest is off.
 * Undefined when all are.
 */
function* farSteps({rows, about})
{
	if (about.end - about.start <= FAR)
		return undefined;
	const core = yield* coreSteps(rows);
	const length = core && core.end - core.start;
	const apart = (row) => farness(row, core) > FAR &&
		farness(row, core) > (STRETCH - 1) * length;

	if (!core || about.end - about.start <= STRETCH * length + FAR)
		return undefined;
	const near = rows.filter((row) => row.start <= row.end && !apart(row));

	return {
		start: near.reduce((low, {start}) => Math.min(low, start),
			core.start),
		end: near.reduce((high, {end}) => Math.max(high, end),
			core.end),
		rows: [...rows.keys()].filter((r) => apart(rows[r])),
		off: rows.reduce((most, row) => row.start <= row.end ?
			Math.max(most, farness(row, core)) : most, 0),
	};
}

/* Make all times of a model earlier. */
function shiftTimes({items, rows, waits}, shift)
{
	for (let i = 0; i < items.start.length; i++) {
		items.start[i] -= shift;
		items.end[i] -= shift;
	}
	for (const row of [...rows, ...waits.rows]) {
		row.start -= shift;
		row.end -= shift;
		for (const phase of row.phases || []) {
			phase.from -= shift;
			phase.to -= shift;
		}
	}
}

/* The same of what is beside the rows, of which some times are since the one
 * before. */
function shiftBeside(beside, shift)
{
	for (const {lines = [], lanes = [], steps = []} of beside) {
		for (const {at} of lines) {
			if (at.length > 0)
				at[0] -= shift;
		}
		for (const lane of lanes) {
			lane.from -= shift;
			lane.to -= shift;
		}
		if (steps.length > 0)
			steps[0][0] -= shift;
	}
	return beside;
}

/* Slices: the model with time counted from where the near samples begin,
 * though others be earlier. model.far is what farSteps found, model.extent all
 * of the time, model.shift how much earlier times became. */
function* clockSteps(model)
{
	const {about} = model;
	const far = yield* farSteps(model);
	const shift = far?.start > 0 ? far.start : 0;

	if (shift > 0)
		shiftTimes(model, shift);
	model.shift = shift;
	model.extent = {start: 0 - shift, end: about.end - about.start - shift};
	model.far = far && {...far, start: far.start - shift,
		end: far.end - shift};
	about.start += shift;
	return model;
}

/* The window that shows all, or all that are near each other. */
function wholeOf({far, extent}, all)
{
	return wholeWindow(far && !all ? far : extent);
}

function sayFar(model)
{
	const {rows, off} = model.far;
	const time = off < 2 * DAY ? formatDuration(off) :
		`${formatCount(Math.round(off / DAY))} d`;

	return rows.length === 0 ? `times ${time} apart` :
		`${plural(rows.length, rowNoun(model))} off by ${time}`;
}

/* The chip that says so, and shows all of the time or the near samples. */
function showFar(scene, page)
{
	const {model, state} = scene;
	const place = byId("far");

	place.hidden = !model.far;
	if (place.hidden)
		return;
	const names = model.far.rows.slice(0, 8).map((r) =>
		rowTitle(scene, r)).join(", ");

	place.replaceChildren(element("span", {class: "warning", title:
		`${names}: a clock that jumped?`}, sayFar(model)), " ",
	chipButton(state.far ? "show the others" : "show all of the time",
		() => page.setState({far: !state.far, window: null})));
}
