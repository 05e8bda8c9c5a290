/*
 * What the samples spent their time on: sums, shares and quantiles. Pure
 * functions over the model; times are microseconds. The definitions are those
 * of obs-perfsum --breakdown.
 *
 * Functions that take `rows` want the numbers of the rows to count, those
 * that take `range` a {start, end} to which all is clipped.
 */

/* Activities are numbers: those of ACTIVITIES, then these. */
const OTHER = ACTIVITIES.length;
const IDLE = OTHER + 1;
const CLIENT_QUEUE = IDLE + 1;
const GROUP_WAIT = CLIENT_QUEUE + 1;
const ACTIVITY_NAMES = [...ACTIVITIES.map(({name}) => name), "other", "idle",
	"client queue", "group wait"];
const [TOOL, REWARD, QUEUE, DECODE] = ["tool", "reward", "queue", "decode"]
	.map((name) => ACTIVITY_NAMES.indexOf(name));

const ITEMS_AT_ONCE = 1 << 16; /* between pauses */
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

/* What a span was doing: a request whose name says nothing decodes. */
function itemActivity({model, activity}, item)
{
	const said = activity[model.items.name[item]];

	return said === OTHER && model.items.request[item] ? DECODE : said;
}

/* Slices: how long each item was queued at its start, 0 for one with spans
 * inside: they say it themselves. */
function* queuedTimes(items)
{
	const queued = items.queue.slice();

	for (let i = 0; i < queued.length; i++) {
		if (items.state[i] <= OPEN && items.role[i] === 0 &&
		    items.parent[i] >= 0)
			queued[items.parent[i]] = 0;
		if (i % ITEMS_AT_ONCE === 0)
			yield;
	}
	return queued;
}

/* Slices: what statistics are made from, once for a model. */
function* statsSteps(model)
{
	const stats = {
		model,
		waits: model.waits,
		selfTimes: yield* selfTimeSteps(model),
		activity: nameActivities(model),
		queued: yield* queuedTimes(model.items),
	};

	stats.sums = yield* sumRows(stats);
	stats.marks = yield* countMarks(model);
	yield* groupSteps(model);
	yield* medianSteps(stats);
	return stats;
}

function prepareStats(model)
{
	return finish(statsSteps(model));
}

/* Call see(item, from, to, phase) for the intervals of row r within the range,
 * cut at its phases. */
function eachPhasedInterval({selfTimes, waits}, r, range, see)
{
	const {phases} = waits.rows[r];
	let k = 0;

	eachInterval(selfTimes, r, range, (item, from, to) => {
		while (from < to) {
			while (k + 1 < phases.length && phases[k].to <= from)
				k++;
			const until = k + 1 < phases.length ?
				Math.min(to, phases[k].to) : to;

			see(item, from, until, phases[k]);
			from = until;
		}
	});
}

/* Call see(activity, from, to, works) for row r within the range. What the row
 * waited for comes first, then the first part of a generation that may be
 * queueing (items.queue, 0 for most), then the span's name. Time between runs
 * and waits are no work. */
function eachActivity(stats, r, range, see)
{
	const {items} = stats.model;

	eachPhasedInterval(stats, r, range, (item, from, to, phase) => {
		const {wait, working} = phase;

		if (wait >= 0 || item < 0) {
			see(wait >= 0 ? wait : IDLE, from, to,
				working && wait < 0);
			return;
		}
		const queued = Math.min(Math.max(
			items.start[item] + stats.queued[item], from), to);

		if (from < queued)
			see(QUEUE, from, queued, working);
		if (queued < to)
			see(itemActivity(stats, item), queued, to, working);
	});
}

/* Numbers of the rows that are samples with a time, of those given or of all.
 * A row beside the samples, such as a training step, counts for none. */
function timedRows(model, rows = allRows(model))
{
	return rows instanceof Uint32Array ? remembered(model, rows, "timed",
		() => findTimedRows(model, sameRows.get(rows) ?? rows)) :
		findTimedRows(model, rows);
}

/* The numbers of all rows, made once. */
function allRows(model)
{
	if (model.all?.length !== model.rows.length)
		model.all = Uint32Array.from(model.rows.keys());
	return model.all;
}

function findTimedRows(model, rows)
{
	const found = new Uint32Array(model.rows.length);
	let n = 0;

	for (const r of rows) {
		const {start, end, aside} = model.rows[r];

		if (start <= end && !aside)
			found[n++] = r;
	}
	return rows instanceof Uint32Array && n === rows.length ? rows :
		found.slice(0, n);
}

/* Time in each activity over the rows; of their work alone where wanted. */
function activityTimes(stats, rows, range = ALWAYS, workAlone = false)
{
	return finish(activitySteps(stats, rows, range, workAlone)).slice();
}

function activitySteps(stats, rows, range, workAlone = false)
{
	return rememberedSteps(stats, rows, workAlone ? "work" : "activities",
		range, () => findActivities(stats, rows, range, workAlone));
}

function* findActivities(stats, rows, range, workAlone)
{
	const times = new Float64Array(ACTIVITY_NAMES.length);
	const add = (activity, from, to, works) => {
		if (works || !workAlone)
			times[activity] += to - from;
	};

	if (range === ALWAYS)
		return addSums(stats.sums[workAlone ? "work" : "all"], rows);
	for (let k = 0; k < rows.length; k++) {
		eachActivity(stats, rows[k], range, add);
		if (k % SUM_ROWS === 0)
			yield;
	}
	return times;
}

/* Time each span name owns, by number of its string. */
function selfTimes(stats, rows, range = ALWAYS)
{
	return finish(selfTimesSteps(stats, rows, range));
}

function* selfTimesSteps(stats, rows, range)
{
	const {items, strings} = stats.model;
	const times = new Float64Array(strings.length);

	for (let k = 0; k < rows.length; k++) {
		eachInterval(stats.selfTimes, rows[k], range,
			(item, from, to) => {
				if (item >= 0)
					times[items.name[item]] += to - from;
			});
		if (k % SUM_ROWS === 0)
			yield;
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

/* {samples, start, end, wall, time, own}: how many rows have a part in the
 * range, from when to when, the sum of their times, and of their own work. */
function extent(stats, rows, range = ALWAYS)
{
	return finish(extentSteps(stats, rows, range));
}

function extentSteps(stats, rows, range)
{
	return rememberedSteps(stats, rows, "extent", range,
		() => findExtent(stats, rows, range));
}

function* findExtent({model, waits}, rows, range)
{
	const whole = {samples: 0, start: Infinity, end: -Infinity, time: 0,
		own: 0};

	for (let k = 0; k < rows.length; k++) {
		const r = rows[k];
		const {start, end} = model.rows[r];
		const time = overlap(start, end, range);

		if (k % SUM_ROWS === 0)
			yield;
		if (time < 0)
			continue;
		whole.samples++;
		whole.time += time;
		whole.start = Math.min(whole.start,
			Math.max(start, range.start));
		whole.end = Math.max(whole.end, Math.min(end, range.end));
		whole.own += range === ALWAYS ? waits.rows[r].duration :
			runsWithin(waits.rows[r], range).reduce(
				(sum, [from, to]) => sum + to - from, 0);
	}
	whole.wall = whole.samples ? whole.end - whole.start : 0;
	return whole;
}

/* a / b; null where there is nothing to divide by. */
function ratio(a, b)
{
	return b > 0 ? a / b : null;
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

/* Slices: durations of the spans by name, a Map of ascending Float64Arrays. */
function* durationSteps(model, rows, range)
{
	const lists = new Map();
	const found = new Map();

	for (let k = 0; k < rows.length; k++) {
		eachSpan(model, [rows[k]], range, (i, duration) => {
			const name = model.items.name[i];

			if (!lists.has(name))
				lists.set(name, new NumberList());
			lists.get(name).push(duration);
		});
		if (k % SUM_ROWS === 0)
			yield;
	}
	for (const [name, list] of lists) {
		found.set(name, yield* sortSteps(list.view()));
	}
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
	return finish(nameSteps(stats, rows, range));
}

function* nameSteps(stats, rows, range)
{
	const self = yield* selfTimesSteps(stats, rows, range);
	const {time, wall} = extent(stats, rows, range);

	const found = [];

	for (const [name, durations] of yield* durationSteps(stats.model, rows,
		range)) {
		const said = describeDurations(durations);

		found.push({
			name, ...said, self: self[name],
			share: ratio(self[name], time),
			concurrency: ratio(said.total, wall),
		});
		yield;
	}
	return found.sort((a, b) => b.self - a.self || b.total - a.total);
}

/*
 * How many rows are in each activity, averaged over each of `bins` equal
 * parts of the range: an array by activity of Float64Arrays by bin. What
 * covers whole bins is counted where it begins and ends, and summed up last.
 */
function overviewColumns(...asked)
{
	return finish(overviewSteps(...asked));
}

function* overviewSteps(stats, rows, range, bins, kinds = ACTIVITY_NAMES.length)
{
	const columns = Array.from({length: kinds},
		() => new Float64Array(bins));
	const steps = columns.map(() => new Float64Array(bins + 1));
	const width = (range.end - range.start) / bins;

	if (!(width > 0))
		return columns;
	for (let k = 0; k < rows.length; k++) {
		eachActivity(stats, rows[k], range, (activity, from, to) => {
			addInterval(columns[activity], steps[activity],
				(from - range.start) / width,
				(to - range.start) / width);
		});
		if (k % SUM_ROWS === 0)
			yield;
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

/* Add an interval given in bins: its parts of the first and the last bin to the
 * column, the bins between them to the steps. */
function addInterval(column, steps, from, to)
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

/* {of, many}: the number of each row's group, and how many there are; made once
 * for a model. */
function groupsOf(model)
{
	return finish(groupSteps(model));
}

function* groupSteps(model)
{
	const {rows} = model;

	if (model.groups)
		return model.groups;
	const numbers = new Map();
	const of = new Uint32Array(rows.length);

	for (let r = 0; r < rows.length; r++) {
		const key = groupKey(rows[r]);

		if (!numbers.has(key))
			numbers.set(key, numbers.size);
		of[r] = numbers.get(key);
		if (r % SUM_ROWS === 0)
			yield;
	}
	return model.groups = {of, many: numbers.size};
}

/* How long the rows waited for the slowest of their group. */
function groupWaiting(model, rows)
{
	const {rows: waits} = model.waits;

	return rows.reduce((sum, r) => sum + waits[r].groupWait, 0);
}

/* The share of the wall times the peak in which rows did not work; null
 * without any. */
function bubbleOf(stats, rows, range = ALWAYS)
{
	const {wall, own} = extent(stats, rows, range);
	const used = ratio(own, wall * concurrency(stats, rows, range).peak);

	return used === null ? null : 1 - used;
}
