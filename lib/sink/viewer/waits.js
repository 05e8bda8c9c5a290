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

/* The numbers of own times, a column each. */
const OWN_TIMES = ["start", "end", "duration", "earlier", "groupWait",
	"clientQueue"];

/* The own time of row r as an object, though it is kept as columns, and its
 * phases as the stream has them. */
class OwnTime {
	constructor(columns, row, r)
	{
		this.columns = columns;
		this.row = row;
		this.r = r;
	}

	get open()
	{
		return this.columns.open[this.r] === 1;
	}

	get phases()
	{
		const {numbers, at} = this.columns;

		numbers.at = at[this.r];
		return readPhases(this.row, numbers);
	}
}

for (const name of OWN_TIMES) {
	Object.defineProperty(OwnTime.prototype, name, {
		get()
		{
			return this.columns[name][this.r];
		},
		set(time)
		{
			this.columns[name][this.r] = time;
		},
	});
}

/* The phases of a row, which the numbers list. */
function readPhases(row, numbers)
{
	const many = Math.floor(numbers.next() / 2);
	const phases = [];
	let from = row.start;

	for (let k = 0; k < many; k++) {
		from += unzigzag(numbers.next());
		const kind = numbers.next();

		if (k > 0)
			phases[k - 1].to = from;
		phases.push({from, to: row.end,
			wait: Math.floor(kind / 2) - 1, working: kind % 2 === 1});
	}
	return phases;
}

/* Put the own time of row r, which the numbers list, into the columns: from when
 * the first working phase begins until the last one ends, else the row's. Its
 * phases are as in readPhases, of which a dump has too many to make objects of
 * each. */
function readOwnTime(columns, row, r)
{
	const {numbers} = columns;
	let [start, end] = [row.end, row.start];

	columns.at[r] = numbers.at;
	const head = numbers.next();
	let from = row.start + (head > 1 ? unzigzag(numbers.next()) : 0);

	columns.open[r] = head % 2;
	for (let left = Math.floor(head / 2); left > 0; left--) {
		const kind = numbers.next();
		const to = left > 1 ? from + unzigzag(numbers.next()) : row.end;
		const wait = Math.floor(kind / 2) - 1;

		if (wait === GROUP_WAIT)
			columns.groupWait[r] += to - from;
		if (wait === CLIENT_QUEUE)
			columns.clientQueue[r] += to - from;
		if (kind % 2 === 1) {
			columns.duration[r] += to - from;
			start = Math.min(start, from);
			end = to;
		}
		from = to;
	}
	columns.start[r] = start + unzigzag(numbers.next());
	columns.end[r] = end + unzigzag(numbers.next());
	columns.earlier[r] = numbers.next();
	return new OwnTime(columns, row, r);
}

/* Slices: {heldUp, heldBy} of the victims, which the numbers list from `at`
 * on. */
function* blameSteps(numbers, at)
{
	const heldUp = new Map();
	const heldBy = new Map();
	const victims = [];

	numbers.at = at;
	for (let n = numbers.next(); n > 0; n--) {
		const one = {culprit: numbers.next(), row: numbers.next(),
			wait: numbers.next()};

		victims.push(one);
		if (!heldUp.has(one.culprit))
			heldUp.set(one.culprit, []);
		heldUp.get(one.culprit).push(one);
		if (n % ROWS_READ === 0) {
			({at} = numbers);
			yield;
			numbers.at = at;
		}
	}
	for (const some of heldUp.values())
		some.sort((a, b) => a.row - b.row);
	yield;
	for (const one of victims.sort((a, b) => a.wait - b.wait))
		heldBy.set(one.row, one.culprit);
	return {heldUp, heldBy};
}

/*
 * What rows waited for: rows are own times, heldUp says for a culprit's row who
 * waited for it, [{row, wait}, ...], heldBy for a victim's row the culprit that
 * it waited for most, both read when first asked for, or by blame. All rows of
 * the dump count, whether they are shown or not.
 */
class Waits {
	constructor(rows, numbers)
	{
		const {at} = numbers;

		this.rows = rows;
		this.steps = () => blameSteps(numbers, at);
	}

	/* Slices. */
	*blame()
	{
		this.blamed ??= yield* this.steps();
		return this.blamed;
	}

	get heldUp()
	{
		return finish(this.blame()).heldUp;
	}

	get heldBy()
	{
		return finish(this.blame()).heldBy;
	}
}

/* Slices: the waits of rows. */
function* waitsSteps(bytes, rows, Times)
{
	const numbers = new Varints(bytes);
	const own = rows.map(() => NO_OWN_TIME);
	const columns = {numbers, at: new Uint32Array(rows.length),
		open: new Uint8Array(rows.length)};

	for (const name of OWN_TIMES)
		columns[name] = new Times(rows.length);
	for (let n = numbers.next(); n > 0; n--) {
		const r = numbers.next();

		own[r] = readOwnTime(columns, rows[r], r);
		if (n % ROWS_READ === 0)
			yield;
	}
	return new Waits(own, numbers);
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
