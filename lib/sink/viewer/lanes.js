/*
 * The lanes of expanded rows: a lane a depth, and more where spans of one depth
 * run at once, so that none hides another; on the lane of a half of a request
 * that engines split, the phases that it went through.
 */

const LANES_TRIED = 64; /* a depth; past that, spans do lie over others */

/* The lane of its depth that a span goes to: the first that is free by its
 * start, else the one that is free first. ends: when each is. */
function freeLane(ends, start)
{
	const free = ends.findIndex((end) => end <= start);

	if (free >= 0 || ends.length < LANES_TRIED)
		return free < 0 ? ends.length : free;
	return ends.indexOf(Math.min(...ends));
}

/* Whether spans of the row overlap on a lane. They come by lane and start. */
function lanesOverlap({state, timeless, lane, start, end},
	{first, items: many})
{
	let last = -1;
	let until = 0;

	for (let i = first; i < first + many; i++) {
		if (state[i] > OPEN || timeless[i])
			continue;
		if (lane[i] === last && start[i] < until)
			return true;
		until = lane[i] === last && until > end[i] ? until : end[i];
		last = lane[i];
	}
	return false;
}

/* Give the spans of a row that overlap lanes of their own, right below. */
function spreadLanes(items, row)
{
	const {first, items: many, lanes} = row;

	if (!lanesOverlap(items, row))
		return;
	const depths = Array.from({length: lanes}, () => []);
	const at = new Uint16Array(many);

	for (let i = first; i < first + many; i++) {
		const ends = depths[items.lane[i]];

		if (items.state[i] > OPEN || items.timeless[i] || !ends)
			continue;
		at[i - first] = freeLane(ends, items.start[i]);
		ends[at[i - first]] = items.end[i];
	}
	let next = 0;
	const tops = depths.map((ends) => {
		const top = next;

		next += Math.max(ends.length, 1);
		return top;
	});

	for (let i = first; i < first + many; i++)
		items.lane[i] = (tops[items.lane[i]] ?? 0) + at[i - first];
	row.lanes = next;
}

/* The segments of prefill and decode in the order of pd_roles in pd_role.c:
 * what to call each, and what it is to the statistics. */
const SEGMENTS = [
	[["bootstrap queue", "queue"], ["bootstrap", "queue"],
		["alloc wait", "queue"], ["forward", "prefill"],
		["transfer queue", "KV transfer"]],
	[["prealloc", "queue"], ["bootstrap", "queue"],
		["alloc wait", "queue"], ["transfer", "KV transfer"],
		["forward", "decode"]],
];

/* The durations of segments that the row tells for an item, in µs. */
function segmentTimes(row, item)
{
	return row.halves?.find(([at]) => row.first + at === item)?.slice(1);
}

function sumOf(times)
{
	return times.reduce((sum, us) => sum + us, 0);
}

/*
 * When the half of a request was in which segment: [{item, start, end, took,
 * name, activity}]. Engines tell durations alone; they are laid end to end as
 * the trainer does, decode after prefill, within the request.
 */
function segmentsOf({items}, row, item)
{
	const role = items.role[item];
	const times = segmentTimes(row, item) || [];
	const parent = items.parent[item];
	const [start, end] = [items.start[item], items.end[item]];
	let at = start;

	if (role === 2) {
		const other = row.halves?.find(([k]) => items.role[row.first + k]
			=== 1 && items.parent[row.first + k] === parent);

		at = Math.min(start + sumOf(other?.slice(1) || []),
			Math.max(start, end - sumOf(times)));
	}
	return times.map((took, n) => {
		const from = Math.min(at, end);
		const [name, activity] = SEGMENTS[role - 1][n];

		at += took;
		return {item, start: from, end: Math.min(at, end), took, name,
			activity: ACTIVITY_NAMES.indexOf(activity)};
	}).filter(({took}) => took > 0);
}

/* The segment of an item at a time, or undefined. */
function segmentAt(model, row, item, time)
{
	return model.items.role[item] === 0 ? undefined :
		segmentsOf(model, row, item).find(({start, end}) =>
			start <= time && time < end);
}

/* The columns of a lane of halves of requests, see layout.js. */
function segmentColumns(model, row, list)
{
	const parts = list.flatMap((item) => segmentsOf(model, row, item));

	return {
		item: Uint32Array.from(parts, ({item}) => item),
		start: Float64Array.from(parts, ({start}) => start),
		end: Float64Array.from(parts, ({end}) => end),
		wait: Uint8Array.from(parts, ({activity}) => activity),
		names: parts.map(({name}) => name),
		frames: laneColumns(model.items, list),
	};
}
