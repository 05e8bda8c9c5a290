/*
 * Where things are: rows on the page, times on the axis, which span is on top
 * at each moment, what lies under the pointer. Pure functions over the model.
 */

const ROW_HEIGHT = 16;
const LANE_HEIGHT = 15;
const LANES_PADDING = 4;
const SHORTEST_WINDOW = 10; /* µs */
const POINT_REACH = 5; /* px at which a mark is hit */

/* Top of each row in px, and the height of all at the end. */
function rowTops(model, expanded)
{
	const tops = new Float64Array(model.rows.length + 1);

	model.rows.forEach((row, r) => {
		tops[r + 1] = tops[r] + (expanded[r] ?
			ROW_HEIGHT + row.lanes * LANE_HEIGHT + LANES_PADDING :
			ROW_HEIGHT);
	});
	return tops;
}

/* The last index at which the ascending values are at most x, from 0. */
function lastAtMost(values, x)
{
	let low = 0;
	let high = values.length - 1;

	while (low < high) {
		const middle = low + high + 1 >> 1;

		if (values[middle] <= x)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* The first index at which the ascending values are above x. */
function firstAbove(values, x)
{
	let low = 0;
	let high = values.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (values[middle] > x)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The window that shows all, with a little air. */
function wholeWindow(about)
{
	const span = about.end - about.start;
	const air = span > 0 ? span * 0.01 : 500;

	return {start: -air, end: span + air};
}

/* window moved by us, its middle kept within the whole. */
function panned(window, us, whole)
{
	const half = (window.end - window.start) / 2;
	const middle = Math.min(Math.max(window.start + half + us,
		whole.start), whole.end);

	return {start: middle - half, end: middle + half};
}

/* window made `factor` times as long, the moment `at` staying in place. */
function zoomed(window, factor, at, whole)
{
	const span = window.end - window.start;
	const longest = Math.max(whole.end - whole.start, SHORTEST_WINDOW);
	const wanted = Math.min(Math.max(span * factor, SHORTEST_WINDOW),
		longest);
	const share = (at - window.start) / span;

	if (wanted === longest)
		return {...whole};
	return panned({start: at - wanted * share,
		end: at + wanted * (1 - share)}, 0, whole);
}

/* The window that shows [start, end] with air. */
function windowAround(start, end, whole)
{
	const span = Math.max(end - start, SHORTEST_WINDOW / 2);
	const middle = (start + end) / 2;

	return zoomed({start: middle - span * 0.6, end: middle + span * 0.6},
		1, middle, whole);
}

/* The row's items for which wanted(i) holds, in order of start. */
function byStart(model, row, wanted)
{
	const {items} = model;
	const found = [];

	for (let i = row.first; i < row.first + row.items; i++) {
		if (!items.timeless[i] && wanted(i))
			found.push(i);
	}
	return found.sort((a, b) => items.start[a] - items.start[b]);
}

/*
 * What a collapsed row shows: at each moment the span on the deepest lane,
 * for that is what the sample was doing. PD lanes repeat their span, so they
 * have no part in it. Segments do not overlap: {item, start, end} columns.
 */
function flatten(model, row)
{
	const {items} = model;
	const spans = byStart(model, row,
		(i) => items.state[i] <= OPEN && items.role[i] === 0);
	const moments = Float64Array.from(
		spans.flatMap((i) => [items.start[i], items.end[i]])).sort();
	const running = []; /* by lane, the spans under way */
	const segments = {item: [], start: [], end: []};
	let entered = 0;

	for (let m = 0; m + 1 < moments.length; m++) {
		const now = moments[m];

		for (; entered < spans.length &&
		     items.start[spans[entered]] <= now; entered++) {
			const lane = items.lane[spans[entered]];

			(running[lane] ||= []).push(spans[entered]);
		}
		if (moments[m + 1] > now)
			addSegment(segments, deepest(items, running, now), now,
				moments[m + 1]);
	}
	return segments;
}

/* The last span to start on the deepest lane under way, else -1. Forgets what
 * has ended. */
function deepest(items, running, now)
{
	while (running.length) {
		const lane = running[running.length - 1];

		while (lane?.length && items.end[lane[lane.length - 1]] <= now)
			lane.pop();
		if (lane?.length)
			return lane[lane.length - 1];
		running.pop();
	}
	return -1;
}

/* Append a segment, or lengthen the one before when it is the same. */
function addSegment(segments, item, start, end)
{
	const last = segments.item.length - 1;

	if (item < 0)
		return;
	if (segments.item[last] === item && segments.end[last] === start) {
		segments.end[last] = end;
		return;
	}
	segments.item.push(item);
	segments.start.push(start);
	segments.end.push(end);
}

/* The spans of one lane, as flatten's columns; `reach` is the latest end so
 * far, which ascends where ends need not. */
function laneColumns(items, list)
{
	let latest = -Infinity;
	const start = list.map((i) => items.start[i]);
	const end = list.map((i) => items.end[i]);
	const reach = end.map((e) => latest = Math.max(latest, e));

	return {item: list, start, end, reach};
}

/* What an expanded row shows: a column set for each lane. */
function splitLanes(model, row)
{
	const {items} = model;
	const lanes = Array.from({length: row.lanes}, () => []);

	for (const i of byStart(model, row, (k) => items.state[k] <= OPEN))
		lanes[items.lane[i]]?.push(i);
	return lanes.map((list) => laneColumns(items, list));
}

/* The row's points and orphans in order of time. */
function marksOf(model, row)
{
	const {items} = model;
	const item = byStart(model, row, (i) => items.state[i] > OPEN);

	return {item, start: item.map((i) => items.start[i])};
}

/*
 * The shapes of a row, made when first seen and kept. A row's flat segments
 * come first, the lanes only once it is expanded.
 */
class Shapes {
	constructor(model)
	{
		this.model = model;
		this.kept = {flat: new Map(), lanes: new Map(),
			marks: new Map()};
	}

	get(kind, make, r)
	{
		const kept = this.kept[kind];

		if (!kept.has(r))
			kept.set(r, make(this.model, this.model.rows[r]));
		return kept.get(r);
	}

	flat(r)
	{
		return this.get("flat", flatten, r);
	}

	lanes(r)
	{
		return this.get("lanes", splitLanes, r);
	}

	marks(r)
	{
		return this.get("marks", marksOf, r);
	}
}

/* Top of a lane in its row, in px. */
function laneTop(lane)
{
	return ROW_HEIGHT + lane * LANE_HEIGHT;
}

/* The item of the columns at a time, the last started one, else -1. `slack`
 * µs to both sides count as a hit, so that slivers can be hit too. */
function itemAt(columns, time, slack)
{
	const reach = columns.reach || columns.end;
	const from = firstAbove(reach, time - slack);
	const to = firstAbove(columns.start, time + slack);
	let best = -1;

	for (let k = from; k < to; k++) {
		if (columns.start[k] <= time && columns.end[k] >= time)
			best = k;
		else if (best < 0 && columns.end[k] >= time - slack)
			best = k;
	}
	return best < 0 ? -1 : columns.item[best];
}

/* The mark nearest to a time within slack µs on a lane (any for -1). */
function markAt(items, marks, time, slack, lane)
{
	let best = -1;
	let distance = slack;
	const end = firstAbove(marks.start, time + slack);

	for (let k = firstAbove(marks.start, time - slack - 1); k < end; k++) {
		const away = Math.abs(marks.start[k] - time);

		if (lane >= 0 && items.lane[marks.item[k]] !== lane)
			continue;
		if (away <= distance) {
			best = marks.item[k];
			distance = away;
		}
	}
	return best;
}

/*
 * What lies at a place: {row, item}, either of them -1 for nothing. `scene`
 * has the model, shapes, tops, expanded and window; x counts from the plot's
 * left edge and y from the top of the first row.
 */
function hit(scene, width, x, y)
{
	const {model, tops, shapes, window} = scene;
	const scale = (window.end - window.start) / width;
	const time = window.start + x * scale;

	if (y < 0 || y >= tops[model.rows.length])
		return {row: -1, item: -1};
	const row = Math.min(lastAtMost(tops, y), model.rows.length - 1);
	const below = y - tops[row] - ROW_HEIGHT;
	const lane = below < 0 ? -1 : Math.floor(below / LANE_HEIGHT);
	const mark = markAt(model.items, shapes.marks(row), time,
		POINT_REACH * scale, lane);

	if (mark >= 0)
		return {row, item: mark};
	const columns = lane < 0 ? shapes.flat(row) : shapes.lanes(row)[lane];

	return {row, item: columns ? itemAt(columns, time, scale) : -1};
}
