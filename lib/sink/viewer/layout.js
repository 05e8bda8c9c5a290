/*
 * Where things are: rows on the page, times on the axis, which span is on top
 * at each moment, what lies under the pointer. Pure functions over the model.
 */

const ROW_HEIGHT = 16;
const ROOMY_HEIGHT = 24; /* of few rows, and for fingers */
const LANE_HEIGHT = 15;
const LANES_PADDING = 4;
const SHORTEST_WINDOW = 10; /* µs */
const POINT_REACH = 5; /* px at which a mark is hit */
const SMALL_REACH = 3; /* on collapsed rows, where they lie over spans */
const SHAPES_KEPT = 600; /* rows */

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
function wholeWindow({start, end})
{
	const air = end > start ? (end - start) * 0.01 : 500;

	return {start: start - air, end: end + air};
}

/* window moved by us, kept within the whole. */
function panned(window, us, whole)
{
	const span = window.end - window.start;
	const start = Math.max(Math.min(window.start + us, whole.end - span),
		whole.start);

	return {start, end: start + span};
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

/* What is left of intervals, [item, from, to] each, outside the waits. */
function cutWaits(intervals, waits)
{
	return waits.reduce((left, {from, to}) => left.flatMap((interval) => {
		const [item, start, end] = interval;

		return end <= from || start >= to ? [interval] :
			[[item, start, Math.min(from, end)],
				[item, Math.max(to, start), end]].filter(
				([, a, b]) => a < b);
	}), intervals);
}

/*
 * What a collapsed row shows: at each moment the span that owns it (stats.js),
 * for that is what the sample was doing; spans of no length stay as slivers,
 * and what the sample waited for (waits.js) covers its spans. Segments
 * ascend and do not overlap: {item, start, end, wait} columns, wait being the
 * activity of a wait, else 0. A span that is there but not shown leaves a gap:
 * the time is not that of the span around it.
 */
function flatten(model, row, shown, waits = [], there = shown)
{
	const {items} = model;
	const wanted = (i) => there(i) && counts(items, i);
	const intervals = [];
	let owner = -1;
	let from = row.start;
	const close = (now) => owner >= 0 && now > from && shown(owner) &&
		intervals.push([owner, from, now]);

	sweepRow(items, row, (item, now) => {
		close(now);
		[owner, from] = [item, now];
	}, wanted);
	close(row.end);
	const segments = cutWaits(intervals, waits);

	for (let i = row.first; i < row.first + row.items; i++) {
		if (wanted(i) && shown(i) && items.end[i] <= items.start[i])
			segments.push([i, items.start[i], items.start[i]]);
	}
	for (const {item, from: start, to, wait} of waits) {
		if (start < to && shown(item, wait))
			segments.push([item, start, to, wait]);
	}
	segments.sort((a, b) => a[1] - b[1]);
	return {
		item: Uint32Array.from(segments, ([item]) => item),
		start: Float64Array.from(segments, ([, start]) => start),
		end: Float64Array.from(segments, ([, , end]) => end),
		wait: Uint8Array.from(segments, ([, , , wait]) => wait || 0),
	};
}

/* The phases of row r in which it waited. Rewards have spans of their own. */
function drawnWaits(model, r)
{
	return model.waits.rows[r].phases.filter(({wait}) => wait > IDLE)
		.map((phase) => ({...phase,
			item: spanAt(model, r, phase.from)}))
		.filter(({item}) => item >= 0);
}

/* The spans of one lane, as flatten's columns; `reach` is the latest end so
 * far, which ascends where ends need not. */
function laneColumns(items, list)
{
	let latest = -Infinity;
	const start = Float64Array.from(list, (i) => items.start[i]);
	const end = Float64Array.from(list, (i) => items.end[i]);
	const reach = end.map((e) => latest = Math.max(latest, e));

	return {item: Uint32Array.from(list), start, end, reach};
}

/* What an expanded row shows: a column set for each lane. */
function splitLanes(model, row, shown)
{
	const {items} = model;
	const lanes = Array.from({length: row.lanes}, () => []);

	for (const i of byStart(model, row,
		(k) => items.state[k] <= OPEN && shown(k)))
		lanes[items.lane[i]]?.push(i);
	return lanes.map((list) => items.role[list[0]] > 0 ?
		segmentColumns(model, row, list) : laneColumns(items, list));
}

/* The row's points and orphans in order of time. */
function marksOf(model, row, shown)
{
	const {items} = model;
	const item = byStart(model, row,
		(i) => items.state[i] > OPEN && shown(i));

	return {item: Uint32Array.from(item),
		start: Float64Array.from(item, (i) => items.start[i])};
}

/*
 * The shapes of a row, made when first seen and kept while the same items are
 * shown; of more rows than fit a few screens all are forgotten. A row's flat
 * segments come first, the lanes only once it is expanded.
 */
class Shapes {
	constructor(model, shown, there = shown)
	{
		this.model = model;
		this.shown = shown;
		this.there = there;
		this.forget();
	}

	forget()
	{
		this.kept = {flat: new Map(), lanes: new Map(),
			marks: new Map()};
	}

	get(kind, make, r)
	{
		const kept = this.kept[kind];

		if (kept.size >= SHAPES_KEPT)
			kept.clear();
		if (!kept.has(r)) {
			kept.set(r, make(this.model, this.model.rows[r],
				this.shown, drawnWaits(this.model, r),
				this.there));
		}
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

/* How high rows are: few of them have room, and fingers need it. */
function rowHeightFor(lines, room)
{
	return lines * ROOMY_HEIGHT <= room ||
		matchMedia("(pointer: coarse)").matches ?
		ROOMY_HEIGHT : ROW_HEIGHT;
}

/* Top of a lane in its row, in px. */
function laneTop({rowHeight}, lane)
{
	return rowHeight + lane * LANE_HEIGHT;
}

/* The item of the columns at a time, the last started one, else -1. `slack`
 * µs to both sides count as a hit; what is shorter than that can hardly be
 * hit, so the nearest such sliver goes first. */
function itemAt(columns, time, slack)
{
	const {start, end, item, reach = end} = columns;
	const to = firstAbove(start, time + slack);
	let best = -1;
	let distance = slack;

	for (let k = firstAbove(reach, time - slack); k < to; k++) {
		const away = Math.abs((start[k] + end[k]) / 2 - time);

		if (end[k] - start[k] < slack && away <= distance)
			[best, distance] = [k, away];
		else if (distance < slack)
			continue;
		else if (start[k] <= time && end[k] >= time)
			best = k;
		else if (best < 0 && end[k] >= time - slack)
			best = k;
	}
	return best < 0 ? -1 : item[best];
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
 * has the model, shapes, lines, tops, state and window; x counts from the
 * plot's left edge and y from the top of the first line.
 */
function hit(scene, width, x, y)
{
	const {model, lines, tops, shapes, window} = scene;
	const plot = makeScale(window, width);
	const time = timeAtX(plot, x);
	const slack = 1 / plot.scale; /* µs a px */
	const line = Math.min(lastAtMost(tops, y), lines.at.length - 1);

	if (y < 0 || y >= tops[lines.at.length] || lines.at[line] < 0)
		return {row: -1, item: -1};
	if (laneAt(scene, line))
		return hitLane(scene, line, time, slack);
	const row = lines.at[line];
	const below = y - tops[line] - scene.rowHeight;
	const lane = below < 0 ? -1 : Math.floor(below / LANE_HEIGHT);
	const mark = markAt(model.items, shapes.marks(row), time,
		(lane < 0 ? SMALL_REACH : POINT_REACH) * slack, lane);

	if (mark >= 0)
		return {row, item: mark};
	const columns = lane < 0 ? shapes.flat(row) : shapes.lanes(row)[lane];

	return {row, item: columns ?
		itemAt(columns.frames || columns, time, slack) : -1};
}

/* The shown items of a row in the order in which keys walk them. */
function walkOrder(model, row, shown)
{
	const {items} = model;

	return byStart(model, row, shown).sort((a, b) =>
		items.start[a] - items.start[b] ||
		items.lane[a] - items.lane[b] || a - b);
}
