/*
 * What the samples spent their time on: sums, shares and quantiles. Pure
 * functions over the model; times are microseconds. The definitions are those
 * of obs-perfsum --breakdown.
 *
 * Functions that take `rows` want the numbers of the rows to count, those
 * that take `range` a {start, end} to which all is clipped.
 */

/* Activities are numbers: those of ACTIVITIES, then these two. */
const OTHER = ACTIVITIES.length;
const IDLE = OTHER + 1;
const DECODE = ACTIVITIES.findIndex(({name}) => name === "decode");
const QUEUE = ACTIVITIES.findIndex(({name}) => name === "queue");
const ACTIVITY_NAMES = [...ACTIVITIES.map(({name}) => name), "other", "idle"];

const ALWAYS = {start: -Infinity, end: Infinity};

/* The activity of each span name, by number of its string. */
function nameActivities(model)
{
	const found = new Uint8Array(model.strings.length);

	for (const name of spanNames(model.items)) {
		const at = ACTIVITIES.indexOf(activityOf(model.strings[name]));

		found[name] = at < 0 ? OTHER : at;
	}
	return found;
}

/* How long each item was queued at its start, 0 for one with spans inside:
 * they say it themselves. */
function queuedTimes(items)
{
	const queued = Float64Array.from(items.queue);

	for (let i = 0; i < queued.length; i++) {
		if (counts(items, i) && items.parent[i] >= 0)
			queued[items.parent[i]] = 0;
	}
	return queued;
}

/* What statistics are made from, once for a model. */
function prepareStats(model)
{
	return {
		model,
		moments: ownMoments(model),
		activity: nameActivities(model),
		queued: queuedTimes(model.items),
	};
}

/* Call see(activity, from, to) for row r within the range. The first part of
 * a generation may be queueing: items.queue, 0 for most. */
function eachActivity(stats, r, range, see)
{
	const {items} = stats.model;

	eachStretch(stats.moments, r, range, (item, from, to) => {
		if (item < 0) {
			see(IDLE, from, to);
			return;
		}
		const queued = Math.min(Math.max(
			items.start[item] + stats.queued[item], from), to);

		if (from < queued)
			see(QUEUE, from, queued);
		if (queued < to)
			see(stats.activity[items.name[item]], queued, to);
	});
}

/* Numbers of the rows that have a time, of those given or of all. */
function timedRows(model, rows = model.rows.keys())
{
	return Uint32Array.from([...rows].filter((r) =>
		model.rows[r].start <= model.rows[r].end));
}

/* Time in each activity over the rows. */
function activityTimes(stats, rows, range = ALWAYS)
{
	const times = new Float64Array(IDLE + 1);

	for (const r of rows) {
		eachActivity(stats, r, range, (activity, from, to) => {
			times[activity] += to - from;
		});
	}
	return times;
}

/* Time each span name owns, by number of its string. */
function selfTimes(stats, rows, range = ALWAYS)
{
	const {items, strings} = stats.model;
	const times = new Float64Array(strings.length);

	for (const r of rows) {
		eachStretch(stats.moments, r, range, (item, from, to) => {
			if (item >= 0)
				times[items.name[item]] += to - from;
		});
	}
	return times;
}

/* How much of [start, end] is within the range; -1 when it has no part in it.
 * What takes no time has a part where it is. */
function overlap(start, end, range)
{
	const from = Math.max(start, range.start);
	const to = Math.min(end, range.end);

	if (from < to)
		return to - from;
	return start >= end && range.start <= start && start <= range.end ?
		0 : -1;
}

/* {samples, start, end, wall, time}: how many rows have a part in the range,
 * from when to when, and the sum of their times. */
function extent(model, rows, range = ALWAYS)
{
	const whole = {samples: 0, start: Infinity, end: -Infinity, time: 0};

	for (const r of rows) {
		const {start, end} = model.rows[r];
		const time = overlap(start, end, range);

		if (time < 0)
			continue;
		whole.samples++;
		whole.time += time;
		whole.start = Math.min(whole.start,
			Math.max(start, range.start));
		whole.end = Math.max(whole.end, Math.min(end, range.end));
	}
	whole.wall = whole.samples ? whole.end - whole.start : 0;
	return whole;
}

/* a / b; null where there is nothing to divide by. */
function ratio(a, b)
{
	return b > 0 ? a / b : null;
}

function sortedTimes(model, rows, time)
{
	return Float64Array.from(rows, (r) => time(model.rows[r])).sort();
}

/* {peak, tail}: how many rows run at once at most, and for how long fewer
 * than a tenth of them do, between the first start and the last end. */
function concurrency(model, rows, range = ALWAYS)
{
	const clip = (us) => Math.min(Math.max(us, range.start), range.end);
	const inside = rows.filter((r) => overlap(model.rows[r].start,
		model.rows[r].end, range) >= 0);
	const starts = sortedTimes(model, inside, (row) => clip(row.start));
	const ends = sortedTimes(model, inside, (row) => clip(row.end));
	const found = {peak: 0, tail: 0};
	let now = starts[0];

	for (let s = 0, e = 0; e < ends.length;) {
		while (starts[s] <= now)
			s++;
		while (ends[e] <= now)
			e++;
		const next = Math.min(starts[s] ?? Infinity,
			ends[e] ?? Infinity);

		found.peak = Math.max(found.peak, s - e);
		if (10 * (s - e) < inside.length && next < Infinity)
			found.tail += next - now;
		now = next;
	}
	return found;
}

/* Quantile q of ascending values, between the two nearest. */
function quantile(sorted, q)
{
	const at = (sorted.length - 1) * q;
	const below = Math.floor(at);
	const above = Math.min(below + 1, sorted.length - 1);

	return sorted.length ? sorted[below] +
		(sorted[above] - sorted[below]) * (at - below) : NaN;
}

/* Call see(item, duration) for each span of the rows that has a part in the
 * range; the duration is that of the part. */
function eachSpan(model, rows, range, see)
{
	const {items} = model;

	for (const r of rows) {
		const {first, items: many} = model.rows[r];

		for (let i = first; i < first + many; i++) {
			const time = overlap(items.start[i], items.end[i],
				range);

			if (counts(items, i) && time >= 0)
				see(i, time);
		}
	}
}

/* Durations of the spans by name: a Map of ascending Float64Arrays. */
function durationsByName(model, rows, range = ALWAYS)
{
	const counted = new Uint32Array(model.strings.length);
	const found = new Map();

	eachSpan(model, rows, range, (i) => counted[model.items.name[i]]++);
	eachSpan(model, rows, range, (i, duration) => {
		const name = model.items.name[i];

		if (!found.has(name))
			found.set(name, new Float64Array(counted[name]));
		found.get(name)[--counted[name]] = duration;
	});
	for (const durations of found.values())
		durations.sort();
	return found;
}

/* What is said of one name's ascending durations. */
function describeDurations(durations)
{
	return {
		count: durations.length,
		total: durations.reduce((sum, us) => sum + us, 0),
		p50: quantile(durations, 0.5),
		p95: quantile(durations, 0.95),
		max: quantile(durations, 1),
	};
}

/* A row for each span name: {name, count, total, self, share, concurrency,
 * p50, p95, max}; name is the number of its string. Most self time first. */
function nameStatistics(stats, rows, range = ALWAYS)
{
	const self = selfTimes(stats, rows, range);
	const {time, wall} = extent(stats.model, rows, range);

	return [...durationsByName(stats.model, rows, range)]
		.map(([name, durations]) => {
			const said = describeDurations(durations);

			return {
				name, ...said, self: self[name],
				share: ratio(self[name], time),
				concurrency: ratio(said.total, wall),
			};
		}).sort((a, b) => b.self - a.self || b.total - a.total);
}

/*
 * How many rows are in each activity, averaged over each of `bins` equal
 * parts of the range: an array by activity of Float64Arrays by bin. What
 * covers whole bins is counted where it begins and ends, and summed up last.
 */
function overviewColumns(stats, rows, range, bins)
{
	const columns = Array.from({length: IDLE + 1},
		() => new Float64Array(bins));
	const steps = columns.map(() => new Float64Array(bins + 1));
	const width = (range.end - range.start) / bins;

	if (!(width > 0))
		return columns;
	for (const r of rows) {
		eachActivity(stats, r, range, (activity, from, to) => {
			addStretch(columns[activity], steps[activity],
				(from - range.start) / width,
				(to - range.start) / width);
		});
	}
	columns.forEach((column, activity) => {
		let running = 0;

		for (let b = 0; b < bins; b++) {
			running += steps[activity][b];
			column[b] += running;
		}
	});
	return columns;
}

/* Add a stretch told in bins: its parts of the first and the last bin to the
 * column, the bins between them to the steps. */
function addStretch(column, steps, from, to)
{
	const first = Math.min(Math.floor(from), column.length - 1);
	const last = Math.min(Math.floor(to), column.length - 1);

	if (first === last) {
		column[first] += to - from;
		return;
	}
	column[first] += first + 1 - from;
	column[last] += to - last;
	steps[first + 1]++;
	steps[last]--;
}

/* The rows with a time by latest end, those that end together by length. */
function byLatestEnd(model, rows)
{
	const {rows: all} = model;

	return [...timedRows(model, rows)].sort((a, b) => all[b].end - all[a].end ||
		all[a].start - all[b].start || a - b);
}

/* {name, time}: the name that owns most of row r within the range; undefined
 * when none owns any. */
function largestName(stats, r, range = ALWAYS)
{
	const {items} = stats.model;
	const times = new Map();
	const first = new Map();
	let largest;

	eachStretch(stats.moments, r, range, (item, from, to) => {
		if (item < 0)
			return;
		const name = items.name[item];

		times.set(name, (times.get(name) || 0) + to - from);
		first.set(name, Math.min(first.get(name) ?? item, item));
	});
	for (const [name, time] of times) {
		if (!largest || time > largest.time ||
		    (time === largest.time &&
		     first.get(name) < first.get(largest.name)))
			largest = {name, time};
	}
	return largest;
}

/* {activity, time}: what row r did for most of its time. */
function largestActivity(stats, r)
{
	const times = activityTimes(stats, [r]);
	const time = Math.max(...times);

	return {activity: times.indexOf(time), time};
}

/* The rows that ended last: {row, held: {name, time}, waited: {activity,
 * time}}. */
function stragglers(stats, rows, most)
{
	return byLatestEnd(stats.model, rows).slice(0, most).map((row) => ({
		row,
		held: largestName(stats, row),
		waited: largestActivity(stats, row),
	}));
}

/*
 * The last 5% of the rows: {from, share, row, held}: when the others had
 * ended, what share of the whole time followed, the row that ended last and
 * the name that held it then. Undefined without rows.
 */
function tailOf(stats, rows)
{
	const {model} = stats;
	const {start, end, wall} = extent(model, rows);
	const ends = sortedTimes(model, timedRows(model, rows),
		(row) => row.end);

	if (ends.length === 0)
		return undefined;
	const from = ends[ends.length - Math.floor(ends.length / 20) - 1];
	const [row] = byLatestEnd(model, rows);

	return {
		from, row,
		share: ratio(end - from, wall),
		held: largestName(stats, row, {start: from, end}) ||
			largestName(stats, row, {start, end}),
	};
}

/* The tail in words; "" where there is none to tell of. Of fewer than 20
 * samples 5% are none, and only the last is told. */
function tailSentence(stats, rows)
{
	const tail = tailOf(stats, rows);

	if (!tail || tail.share === null)
		return "";
	const {model} = stats;
	const held = tail.held ? `, ${formatDuration(tail.held.time)} in ` +
		visible(model.strings[tail.held.name]) : "";

	const last = `#${formatValue(model.rows[tail.row].index)} ended ` +
		`last${held}`;

	return tail.share > 0 ? "the last 5% of samples took " +
		`${formatShare(tail.share)} of the time · ${last}` : last;
}

/* 41%, 0.4%; a dash for null. */
function formatShare(share)
{
	if (share === null)
		return "–";
	const percent = share * 100;

	return `${percent.toFixed(percent > 0 && percent < 9.95 ? 1 : 0)}%`;
}

/* The group of a row as a key; "" for none. Equal groups of two dumps are
 * two. */
function groupKey(row)
{
	return row.group === null || row.group === undefined ? "" :
		`${row.dump ?? 0} ${JSON.stringify(row.group)}`;
}

/* How long rows that had ended waited for the last of their group. */
function groupWaiting(model, rows)
{
	const groups = new Map();

	for (const r of rows) {
		const key = groupKey(model.rows[r]);
		const {start, end} = model.rows[r];

		if (key === "" || !(start <= end))
			continue;
		const group = groups.get(key) || {last: -Infinity, ends: 0,
			many: 0};

		group.last = Math.max(group.last, end);
		group.ends += end;
		group.many++;
		groups.set(key, group);
	}
	return [...groups.values()].reduce((sum, {last, ends, many}) =>
		sum + last * many - ends, 0);
}

/* The share of the wall times the peak in which rows did not run; null without
 * any. */
function bubbleOf(stats, rows, range = ALWAYS)
{
	const {wall, time} = extent(stats.model, rows, range);
	const used = ratio(time,
		wall * concurrency(stats.model, rows, range).peak);

	return used === null ? null : 1 - used;
}

/*
 * All of it in one plain object, times in µs, names as text: what
 * obs-perfsum --breakdown says of a dump.
 */
function breakdown(stats, rows, range = ALWAYS, most = 10)
{
	const {model} = stats;
	const {samples, wall, time} = extent(model, rows, range);
	const {peak, tail} = concurrency(model, rows, range);
	const activities = activityTimes(stats, rows, range);
	const last = tailOf(stats, rows);
	const held = (found) => found && {
		name: model.strings[found.name], time: found.time};

	return {
		samples, wall, time, peak, tail,
		utilisation: ratio(time, wall * peak),
		bubble: bubbleOf(stats, rows, range),
		idle: activities[IDLE],
		activities: Object.fromEntries(ACTIVITY_NAMES.map(
			(name, activity) => [name, activities[activity]])),
		waiting: {group: groupWaiting(model, rows),
			reward: activities[ACTIVITY_NAMES.indexOf("reward")]},
		names: nameStatistics(stats, rows, range).map((said) => ({
			...said, name: model.strings[said.name]})),
		last: last && {share: last.share, held: held(last.held),
			index: model.rows[last.row].index},
		stragglers: stragglers(stats, rows, most).map((one) => ({
			index: model.rows[one.row].index,
			held: held(one.held),
			activity: ACTIVITY_NAMES[one.waited.activity],
			time: one.waited.time,
		})),
	};
}
