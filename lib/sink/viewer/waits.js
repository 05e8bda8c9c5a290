/*
 * When a sample worked, and when it waited for its group or for the client's
 * limit of requests in flight. lib/rollout/waits.h says what the words mean
 * and finds it; the page has it as a stream (lib/sink/timeline/waiting.h).
 *
 * A row's own time is {start, end, duration, earlier, groupWait, clientQueue,
 * open, phases}: of all of its runs, the time within them, that within runs
 * before the last one, the sums of its waits, whether the end is that of an
 * open span. Phases are {from, to, wait, working} and cover the row: wait is
 * the activity that it waited in, -1 for none; working: within a run.
 */

/* What a row without a time has. */
const NO_OWN_TIME = {start: NaN, end: NaN, duration: 0, earlier: 0,
	groupWait: 0, clientQueue: 0, open: false, phases: []};

/* The phases of a row, which the numbers list. */
function readPhases(row, many, next)
{
	const phases = [];
	let from = row.start;

	for (let k = 0; k < many; k++) {
		from += unzigzag(next());
		const kind = next();

		if (k > 0)
			phases[k - 1].to = from;
		phases.push({from, to: row.end,
			wait: Math.floor(kind / 2) - 1, working: kind % 2 === 1});
	}
	return phases;
}

/* How long the phases for which it is wanted last. */
function timeOfPhases(phases, wanted)
{
	let time = 0;

	for (const phase of phases) {
		if (wanted(phase))
			time += phase.to - phase.from;
	}
	return time;
}

/* When the first working phase begins and the last one ends; else the row's. */
function boundsOf(row, phases)
{
	const bounds = {start: row.end, end: row.start};

	for (const {from, to, working} of phases) {
		if (!working)
			continue;
		bounds.start = Math.min(bounds.start, from);
		bounds.end = to;
	}
	return bounds;
}

function readOwnTime(row, next)
{
	const many = next();
	const phases = readPhases(row, Math.floor(many / 2), next);
	const bounds = boundsOf(row, phases);

	return {
		phases,
		open: many % 2 === 1,
		start: bounds.start + unzigzag(next()),
		end: bounds.end + unzigzag(next()),
		earlier: next(),
		duration: timeOfPhases(phases, ({working}) => working),
		groupWait: timeOfPhases(phases,
			({wait}) => wait === GROUP_WAIT),
		clientQueue: timeOfPhases(phases,
			({wait}) => wait === CLIENT_QUEUE),
	};
}

/* {heldUp, heldBy} of the victims, [{culprit, row, wait}, ...]. */
function blame(victims)
{
	const heldUp = new Map();
	const heldBy = new Map();

	for (const one of victims) {
		if (!heldUp.has(one.culprit))
			heldUp.set(one.culprit, []);
		heldUp.get(one.culprit).push(one);
	}
	for (const some of heldUp.values())
		some.sort((a, b) => a.row - b.row);
	for (const one of victims.sort((a, b) => a.wait - b.wait))
		heldBy.set(one.row, one.culprit);
	return {heldUp, heldBy};
}

/*
 * What rows waited for: {rows, heldUp, heldBy}. rows are own times, heldUp
 * says for a culprit's row who waited for it, [{row, wait}, ...], heldBy for a
 * victim's row the culprit that it waited for most. All rows of the dump
 * count, whether they are shown or not.
 */
function readWaits(bytes, rows)
{
	const next = varints(bytes);
	const own = rows.map(() => NO_OWN_TIME);
	const victims = [];

	for (let n = next(); n > 0; n--) {
		const r = next();

		own[r] = readOwnTime(rows[r], next);
	}
	for (let n = next(); n > 0; n--)
		victims.push({culprit: next(), row: next(), wait: next()});
	return {rows: own, ...blame(victims)};
}

/* The span that row r is in at a moment, the innermost one; -1: in none. */
function spanAt({items, rows}, r, moment)
{
	const {first, items: many} = rows[r];

	for (let i = first + many - 1; i >= first; i--) {
		if (counts(items, i) && items.start[i] <= moment &&
		    moment < items.end[i])
			return i;
	}
	return -1;
}
