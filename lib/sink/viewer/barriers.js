/*
 * When a sample worked, and when it waited for its group or for the client's
 * limit of requests in flight. lib/rollout/waits.h and own_time.h define the
 * words and compute the same; times are microseconds.
 *
 * A row's own time is {start, end, duration, earlier, groupWait, clientQueue,
 * open, phases}: of all of its runs, the time within them, that within runs
 * before the last one, the sums of its waits, whether the end is that of an
 * open span. Phases are {from, to, wait, working, item} and cover the row: wait
 * is the activity that it waited in, -1 for none; working: within a run; item:
 * the span that a wait is a part of.
 */

const GROUP_SPAN = "generate_and_rm_group";
const CALL_SPAN = "generate_and_rm";

/* The row's spans that count, in order of items: arrays of items. */
function spansOf({items}, row)
{
	const found = [];

	for (let i = row.first; i < row.first + row.items; i++) {
		if (counts(items, i))
			found.push(i);
	}
	return found;
}

/* The row's spans named generate_and_rm: {item, start, child, attempt}, child
 * being when the first span inside began; Infinity: there is none. */
function callsOf({items}, spans, name)
{
	const calls = new Map();

	for (const i of spans) {
		if (items.name[i] === name) {
			calls.set(i, {item: i, start: items.start[i],
				child: Infinity, attempt: items.attempt[i]});
		}
	}
	for (const i of calls.size ? spans : []) {
		const call = calls.get(items.parent[i]);

		if (call && items.parent[i] !== i)
			call.child = Math.min(call.child, items.start[i]);
	}
	return [...calls.values()];
}

/* --- samples of a group --- */

/* The rows with a time by group: [{isGroup, rows}, ...]. Those in no group are
 * one, too: copies are found among them. */
function groupsOf(model)
{
	const groups = new Map();

	for (const [r, row] of model.rows.entries()) {
		const key = groupKey(row);

		if (!(row.start <= row.end))
			continue;
		if (!groups.has(key))
			groups.set(key, {isGroup: key !== "", rows: []});
		groups.get(key).rows.push(r);
	}
	return [...groups.values()];
}

/* When a row began: at its first call, else at its first span. */
function beginOf({items}, {spans, calls}) {
	return calls.length ? least(calls, ({start}) => start) :
		least(spans, (i) => items.start[i]);
}

function least(list, value)
{
	return list.reduce((low, one) => Math.min(low, value(one)), Infinity);
}

/*
 * Number the samples of a group's members: rows of one index (not null) that
 * begin together are copies of one. Of their calls that begin together only
 * that with the earliest child tells the client's queue.
 */
function tellCopies(model, members)
{
	const samples = new Map();
	const calls = new Map();

	members.forEach((member, m) => {
		const {index} = model.rows[member.r];
		const alike = (start) => index === null || index === undefined ?
			`row ${m}` : `${start} ${JSON.stringify(index)}`;
		const key = alike(beginOf(model, member));

		if (!samples.has(key))
			samples.set(key, m);
		member.sample = samples.get(key);
		for (const call of member.calls) {
			const at = alike(call.start);
			const first = calls.get(at);

			if (!first || call.child < first.child)
				calls.set(at, {child: call.child, m});
		}
		member.tells = ({start}) => calls.get(alike(start)).m === m;
	});
	return samples.size;
}

/* The closed spans that begin when one of another sample does, which few do:
 * [[item, sample], ...]. */
function metSpans({items: {start, state}}, members)
{
	const several = -1;
	const samples = new Map(); /* by start */
	const found = [];

	for (const {spans, sample} of members) {
		for (const i of spans) {
			const met = samples.get(start[i]);

			if (met === undefined)
				samples.set(start[i], sample);
			else if (met !== sample)
				samples.set(start[i], several);
		}
	}
	for (const {spans, sample} of members) {
		for (const i of spans) {
			if (state[i] === CLOSED &&
			    samples.get(start[i]) === several)
				found.push([i, sample]);
		}
	}
	return found;
}

/* Mark the closed spans that several samples have: the same name, start and
 * end. */
function markShared(model, members, shared)
{
	const {items: {name, start, end}} = model;
	const spans = metSpans(model, members);
	const compare = ([a], [b]) => name[a] - name[b] ||
		start[a] - start[b] || end[a] - end[b];

	spans.sort(compare);
	for (let k = 0, next; k < spans.length; k = next) {
		const [, sample] = spans[k];
		let several = false;

		for (next = k; next < spans.length &&
		     compare(spans[k], spans[next]) === 0; next++)
			several ||= spans[next][1] !== sample;
		for (let i = k; several && i < next; i++)
			shared[spans[i][0]] = 1;
	}
}

/* --- runs and barriers --- */

/* See struct run of own_time.h. */
function emptyRun()
{
	return {
		first: Infinity, last: -Infinity, many: 0, start: Infinity,
		end: -Infinity, spareStart: Infinity, spareEnd: -Infinity,
		call: Infinity, barrier: -Infinity, around: -1, open: false,
	};
}

/* The runs of a member by attempt, in that order. */
function emptyRuns({items, strings}, {spans, calls})
{
	const runs = new Map();
	let attempt = -1;
	let run;

	for (const i of spans) {
		if (items.attempt[i] !== attempt) {
			attempt = items.attempt[i];
			run = runs.get(attempt) || emptyRun();
			runs.set(attempt, run);
		}
		run.first = Math.min(run.first, items.start[i]);
		run.last = Math.max(run.last, items.end[i]);
		run.many++;
	}
	for (const call of calls) {
		const its = runs.get(call.attempt);

		its.call = Math.min(its.call, call.child < Infinity ?
			call.child : call.start);
	}
	return runs.size < 2 ? runs : new Map([...runs].sort(([a], [b]) =>
		strings[a] - strings[b]));
}

/* Whether a span is a barrier of its attempt: shared, and around all others;
 * alone: its sample is the only one of its group. */
function isBarrier({items}, i, run, {shared, alone, groupName})
{
	if (shared[i])
		return items.start[i] <= run.first && items.end[i] >= run.last;
	return alone && items.state[i] === CLOSED &&
		items.name[i] === groupName;
}

function takeSpan(model, i, run, group)
{
	const {items} = model;
	const {shared} = group;
	const [start, end] = [items.start[i], items.end[i]];
	const open = items.state[i] === OPEN;
	const barrier = isBarrier(model, i, run, group);

	if (barrier && end > run.barrier) {
		run.barrier = end;
		run.around = i;
	}
	if (shared[i] && run.barrier === -Infinity && (run.around < 0 ||
	    lengthOf(items, i) > lengthOf(items, run.around)))
		run.around = i;
	if (items.name[i] === group.groupName &&
	    (barrier || open || shared[i]))
		return;
	if (!barrier && !shared[i]) {
		run.start = Math.min(run.start, start);
		if (end > run.end)
			run.open = open;
		else if (end === run.end)
			run.open &&= open;
		run.end = Math.max(run.end, end);
	} else if (!barrier || run.many === 1) {
		run.spareStart = Math.min(run.spareStart, start);
		run.spareEnd = Math.max(run.spareEnd, end);
	}
}

/* The runs of a member that has work, and those of its attempts without. */
function runsOf(model, member, group)
{
	const {attempt} = model.items;
	const runs = emptyRuns(model, member);
	const [only] = runs.values();

	for (const i of member.spans) {
		takeSpan(model, i, runs.size === 1 ? only :
			runs.get(attempt[i]), group);
	}
	for (const run of runs.values()) {
		if (run.end === -Infinity)
			[run.start, run.end] = [run.spareStart, run.spareEnd];
		if (run.end === -Infinity)
			continue;
		if (run.call < Infinity)
			run.start = run.call;
		run.start = Math.min(run.start, run.end);
	}
	return runs;
}

/* --- phases --- */

/* Whether a span is a reward of the group, or a part of one. */
function isSharedReward(model, i, run, {shared})
{
	const {items, strings} = model;

	return Boolean(shared[i]) && activityOf(strings[items.name[i]]) ===
		ACTIVITIES[REWARD] &&
		!isBarrier(model, i, run, {shared, alone: false});
}

const [IN_RUN, IN_CLIENT, IN_GROUP, IN_REWARD] = [0, 1, 2, 3];

/* What begins and ends in a row in order of time: {at, kind, step, item}, of
 * which step is 1 or -1 and item the span that a wait is a part of. */
function marksOfRow(model, member, runs, group)
{
	const {items} = model;
	const marks = [];
	const add = (kind, from, to, item) => from < to && marks.push(
		{at: from, kind, step: 1, item}, {at: to, kind, step: -1, item});
	let waits = false;

	for (const {start, end, barrier, around} of runs.values()) {
		if (end === -Infinity)
			continue;
		add(IN_RUN, start, end, -1);
		add(IN_GROUP, end, barrier, around);
		waits ||= barrier > end;
	}
	for (const call of member.calls) {
		if (call.child < Infinity && member.tells(call))
			add(IN_CLIENT, call.start, call.child, call.item);
	}
	for (const i of waits ? member.spans : []) {
		if (isSharedReward(model, i, runs.get(items.attempt[i]), group))
			add(IN_REWARD, items.start[i], items.end[i], i);
	}
	return marks.sort((a, b) => a.at - b.at);
}

/* The phase that begins at a moment: many are the runs and waits under way by
 * their kinds, latest the spans of those that began last. */
function phaseOf(from, many, latest, to)
{
	const working = many[IN_RUN] > 0;

	if (many[IN_CLIENT] > 0) {
		return {from, to, wait: CLIENT_QUEUE, working,
			item: latest[IN_CLIENT]};
	}
	if (many[IN_GROUP] === 0 || working)
		return {from, to, wait: -1, working, item: -1};
	return many[IN_REWARD] > 0 ?
		{from, to, wait: REWARD, working, item: latest[IN_REWARD]} :
		{from, to, wait: GROUP_WAIT, working, item: latest[IN_GROUP]};
}

function addPhase(phases, phase)
{
	const last = phases.at(-1);

	if (last?.wait === phase.wait && last.working === phase.working)
		return;
	if (last)
		last.to = phase.from;
	phases.push(phase);
}

/* The phases of a row that its marks part. */
function phasesOf(row, marks)
{
	const many = [0, 0, 0, 0];
	const latest = [-1, -1, -1, -1];
	const phases = [];

	if (marks.length === 0 || marks[0].at > row.start)
		addPhase(phases, phaseOf(row.start, many, latest, row.end));
	for (let k = 0; k < marks.length;) {
		const {at} = marks[k];

		for (; k < marks.length && marks[k].at === at; k++) {
			const {kind, step, item} = marks[k];

			many[kind] += step;
			if (step > 0)
				latest[kind] = item;
		}
		addPhase(phases, phaseOf(at, many, latest, row.end));
	}
	return phases;
}

/* The own time of a member. A row of points alone worked all the time. */
function ownTimes(model, member, runs, phases)
{
	const row = model.rows[member.r];
	const own = {start: Infinity, end: -Infinity, duration: 0, earlier: 0,
		groupWait: 0, clientQueue: 0, open: false, phases};

	if (member.spans.length === 0)
		phases[0].working = true;
	for (const {from, to, wait, working} of phases) {
		if (working)
			own.duration += to - from;
		if (wait === GROUP_WAIT)
			own.groupWait += to - from;
		if (wait === CLIENT_QUEUE)
			own.clientQueue += to - from;
	}
	boundOwn(own, runs);
	if (own.end === -Infinity) {
		own.start = row.start;
		own.end = member.spans.length ? row.start : row.end;
	}
	return own;
}

/* Set start, end and open, by the run that ended last, and earlier. Of runs
 * that end together the one of the largest attempt is last. */
function boundOwn(own, runs)
{
	let all = 0;
	let last = 0;

	for (const run of runs.values()) {
		if (run.end === -Infinity)
			continue;
		all += run.end - run.start;
		own.start = Math.min(own.start, run.start);
		if (run.end >= own.end) {
			last = run.end - run.start;
			own.end = run.end;
			own.open = run.open;
		}
	}
	own.earlier = Math.min(all - last, own.duration);
}
