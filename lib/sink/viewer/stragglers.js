/*
 * Who held the rollout up, and why: the samples whose own work ended last, for
 * whom their groups waited, and the cause of each. The definitions are those
 * of obs-perfsum --stragglers.
 */

const LONG_ANSWER = 1.5; /* times the median of tokens */
const SLOW_RATE = 2 / 3; /* of the median rate of decode */
const STRAGGLER_ROWS = 2048; /* between pauses */
const LONG_DELAY = 0.25; /* of a sample's own time */

/* Slices: the first `most` of the rows with a time, in an order. */
function* firstSteps({model}, rows, most, compare)
{
	const timed = timedRows(model, rows);
	const first = [];

	for (let k = 0; k < timed.length; k++) {
		const r = timed[k];

		if (k % STRAGGLER_ROWS === 0)
			yield;
		if (first.length === most && compare(first[most - 1], r) <= 0)
			continue;
		let at = first.length;

		while (at > 0 && compare(first[at - 1], r) > 0)
			at--;
		first.splice(at, 0, r);
		first.length = Math.min(first.length, most);
	}
	return first;
}

/* Those whose own work ended last, of those that end together those that
 * worked longest. */
function byLatestEnd(stats, rows, most)
{
	return finish(latestSteps(stats, rows, most));
}

function latestSteps(stats, rows, most)
{
	const {rows: own} = stats.waits;

	return firstSteps(stats, rows, most, (a, b) =>
		own[b].end - own[a].end ||
		own[b].duration - own[a].duration || a - b);
}

function longestSteps(stats, rows, most)
{
	const {rows: own} = stats.waits;

	return firstSteps(stats, rows, most, (a, b) =>
		own[b].duration - own[a].duration ||
		own[b].end - own[a].end || a - b);
}

/* {name, time}: the name that owns most of the work of row r within the range;
 * undefined when none owns any. */
function largestName(stats, r, range = ALWAYS)
{
	const {items} = stats.model;
	const times = new Map();
	const first = new Map();
	let largest;

	eachPhasedInterval(stats, r, range, (item, from, to, phase) => {
		if (item < 0 || !phase.working || phase.wait >= 0)
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

/* {activity, time}: what row r did for most of its work. */
function largestActivity(work)
{
	const time = Math.max(...work);

	return {activity: work.indexOf(time), time};
}

/* Tokens a second of decode; NaN: not known. */
function decodeRate(row, work)
{
	return work[DECODE] > 0 ? knownTokens(row) / (work[DECODE] / 1e6) : NaN;
}

/* The same of row r. */
function rateOf(stats, r)
{
	return decodeRate(stats.model.rows[r],
		sumsOfRow(stats.sums.work, r));
}

/* What a sample completed in tokens; NaN: not known. */
function knownTokens({answer})
{
	return answer ?? NaN;
}

/* The medians over all rows of the dump that a straggler is measured by, NaN
 * where no row has a value: {duration, tokens, rate, tools, rewards}, the last
 * two in µs. Made once. */
function mediansOf(stats)
{
	return finish(medianSteps(stats));
}

function* medianSteps(stats)
{
	const {model, waits} = stats;
	const values = {
		duration: (r) => waits.rows[r].duration,
		tokens: (r) => knownTokens(model.rows[r]),
		rate: (r) => rateOf(stats, r),
		tools: (r) => sumsOfRow(stats.sums.work, r)[TOOL],
		rewards: (r) => sumsOfRow(stats.sums.work, r)[REWARD],
	};
	const medians = {};

	if (stats.medians)
		return stats.medians;
	for (const [key, valueOf] of Object.entries(values)) {
		medians[key] = medianOf(timedRows(model), valueOf);
		yield;
	}
	return stats.medians = medians;
}

/* The median of what rows have a value for; NaN: none has. */
function medianOf(rows, valueOf)
{
	const values = new Float64Array(rows.length);
	let n = 0;

	for (const r of rows) {
		const value = valueOf(r);

		if (!Number.isNaN(value))
			values[n++] = value;
	}
	return quantile(values.subarray(0, n).sort(), 0.5);
}

/* The median of the seconds per token of workers that are not slow; NaN: not
 * known. */
function usualTokenTime({speeds = [], slow = []})
{
	return quantile(Float64Array.from(speeds.filter(([worker]) =>
		!slow.includes(worker)), ([, , seconds]) => seconds).sort(), 0.5);
}

/* The worker of a row if it is slow, as {usual, part}: the seconds per token of
 * workers that are not, and what part of its queue it would have had on one. */
function slowWorkerOf({model}, row)
{
	const {slow = [], speeds = []} = model.about;

	if (!row.worker || !slow.includes(row.worker))
		return null;
	const usual = usualTokenTime(model.about);
	const [, , own] = speeds.find(([worker]) => worker === row.worker);

	return {usual, part: usual / own};
}

/* A long answer, and a slow engine or decoding, as [cause, µs]: each token above
 * the median costs what a token usually takes, all beyond that is due to the
 * slowness. */
function decodingDelays(stats, row, work, onSlow)
{
	const medians = mediansOf(stats);
	const tokens = knownTokens(row);
	const rate = decodeRate(row, work);
	const long = rate > 0 && tokens > LONG_ANSWER * medians.tokens;
	const slow = rate < SLOW_RATE * medians.rate;
	const usual = onSlow ? onSlow.usual : 1 / medians.rate;
	const pace = slow || onSlow ? Math.min(usual, 1 / rate) : 1 / rate;
	const lost = Math.max(work[DECODE] - tokens * usual * 1e6, 0) || 0;

	return [
		...long ? [["long answer", (tokens - medians.tokens) * pace *
			1e6]] : [],
		...onSlow ? [["slow engine",
			lost + (1 - onSlow.part) * work[QUEUE]]] : [],
		...slow && !onSlow ? [["slow decode", lost]] : [],
	];
}

/* Why a sample took long: the delay that cost it most, if that was large enough.
 * Waiting counts in full, work as far as it exceeds the median. The client's
 * queue grows when samples run slowly, so it counts only if nothing else took
 * long, or if the sample waited there for longer than it ran. */
function causeOf(stats, r, work)
{
	const {clientQueue, earlier, duration} = stats.waits.rows[r];
	const row = stats.model.rows[r];
	const medians = mediansOf(stats);
	const onSlow = slowWorkerOf(stats, row);
	const delays = [
		...decodingDelays(stats, row, work, onSlow),
		["engine queue", (onSlow ? onSlow.part : 1) * work[QUEUE]],
		["tools", work[TOOL] - medians.tools],
		["reward", work[REWARD] - medians.rewards],
		["earlier attempts", earlier],
	];
	const longer = (a, b) => b[1] > a[1] ? b : a;
	const isLong = ([, time]) => time > 0 && time >= LONG_DELAY * duration;
	const most = largestActivity(work);
	let delay = delays.reduce(longer);

	if (!isLong(delay) || clientQueue > duration)
		delay = longer(delay, ["client queue", clientQueue]);
	if (isLong(delay))
		return delay[0];
	return most.time === 0 ? "no work of its own" :
		`mostly ${ACTIVITY_NAMES[most.activity]}`;
}

/*
 * Slices: the rows whose own work ended last and those that worked longest, so
 * many of each, by the latest end: what describeStraggler says, and their ranks
 * from 1, null for one that is not among them: {last, longest}.
 */
function* stragglerSteps(stats, rows, most)
{
	const last = yield* latestSteps(stats, rows, most);
	const longest = yield* longestSteps(stats, rows, most);
	const all = [...new Set([...last, ...longest])].sort((a, b) => a - b);
	const rank = (ranking) => new Map(ranking.map((r, at) => [r, at + 1]));
	const [lastRank, longestRank] = [last, longest].map(rank);
	const found = [];

	for (const r of yield* latestSteps(stats, all, all.length)) {
		found.push({
			last: lastRank.get(r) ?? null,
			longest: longestRank.get(r) ?? null,
			...describeStraggler(stats, r),
		});
		yield;
	}
	return found;
}

function stragglers(stats, rows, most)
{
	return finish(stragglerSteps(stats, rows, most));
}

/*
 * One sample: {row, held: {name, time}, did: {activity, time}, tokens, rate,
 * worker, cause, victims: [{row, wait}, ...], kept}; kept is how long its group
 * waited for it in all.
 */
function describeStraggler(stats, r)
{
	const {model, waits} = stats;
	const work = sumsOfRow(stats.sums.work, r);
	const victims = waits.heldUp.get(r) || [];

	return {
		row: r, victims, held: largestName(stats, r),
		did: largestActivity(work),
		tokens: knownTokens(model.rows[r]),
		rate: decodeRate(model.rows[r], work),
		worker: model.rows[r].worker ?? null,
		cause: causeOf(stats, r, work),
		kept: victims.reduce((sum, {wait}) => sum + wait, 0),
	};
}

/*
 * The last 5% of the rows: {from, seconds, share, row, held, within}: when the
 * others had ended, how much of the whole time followed, the row that ended
 * last and the name that held it, then if within. Null without rows.
 */
function tailOf(stats, rows)
{
	return finish(tailSteps(stats, rows));
}

function tailSteps(stats, rows)
{
	return rememberedSteps(stats, rows, "tail", ALWAYS,
		() => findTail(stats, rows));
}

function* findTail(stats, rows)
{
	const {model, waits} = stats;
	const {start, wall} = yield* extentSteps(stats, rows, ALWAYS);
	const ends = yield* sortSteps(Float64Array.from(timedRows(model, rows),
		(r) => waits.rows[r].end));

	if (ends.length === 0)
		return null;
	const from = ends[ends.length - Math.floor(ends.length / 20) - 1];
	const end = ends[ends.length - 1];
	const [row] = yield* latestSteps(stats, rows, 1);
	const within = end > from &&
		largestName(stats, row, {start: from, end});

	return {
		from, row, within: Boolean(within), seconds: end - from,
		share: ratio(end - from, wall),
		held: within || largestName(stats, row, {start, end}),
	};
}

/* The tail in words; "" without a tail. Of fewer than 20 samples 5% are none,
 * and only the last one is named. */
function tailSentence(stats, rows)
{
	const tail = tailOf(stats, rows);

	if (!tail || tail.share === null)
		return "";
	const {model} = stats;
	const part = tail.within ? " of that" : "";
	const held = tail.held ? `, ${formatDuration(tail.held.time)}${part} ` +
		`in ${nameText(model.strings[tail.held.name])}` : "";

	const open = stats.waits.rows[tail.row].open ? ", still open" : "";
	const last = `${rowTitle(stats, tail.row)} ended last${open}${held}`;

	return tail.share > 0 ? `${formatShare(tail.share)} of the wall time ` +
		`(${formatDuration(tail.seconds)}) went to finishing the ` +
		`last 5% of samples · ${last}` : last;
}
