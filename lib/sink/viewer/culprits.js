/*
 * Whom a sample waited for: of those held by one span the one that worked
 * longest, the culprit; the others are its victims. As lib/rollout/waits.c.
 */

function waitedBetween(phases, from, to)
{
	return phases.reduce((sum, phase) => phase.wait === GROUP_WAIT ?
		sum + Math.max(0, Math.min(phase.to, to) -
			Math.max(phase.from, from)) : sum, 0);
}

/* Until when a row last worked before a moment. */
function workedUntil(phases, moment)
{
	return phases.reduce((until, {from, to, working}) =>
		working && from < moment ? Math.min(to, moment) : until,
	-Infinity);
}

/* By which spans a member was held, an attempt each: {key, member, until,
 * wait}, until being when it last worked in it. */
function heldBy({items}, member, runs, {phases})
{
	return [...runs.values()].filter(({around, end}) => around >= 0 &&
		end > -Infinity).map(({around, end, barrier}) => ({
		key: [items.name[around], items.start[around],
			items.end[around]].join(),
		member,
		until: Math.max(end, workedUntil(phases, items.end[around])),
		wait: barrier === -Infinity ? 0 :
			waitedBetween(phases, end, items.end[around]),
	}));
}

/* Who of those held by one span waited for the one that worked longest:
 * [{culprit, row, wait}, ...]. */
function victimsOf(held)
{
	const spans = new Map();

	for (const one of held) {
		if (!spans.has(one.key))
			spans.set(one.key, []);
		spans.get(one.key).push(one);
	}
	return [...spans.values()].flatMap((some) => {
		const {member} = some.reduce((a, b) =>
			b.until > a.until ? b : a);

		return some.filter((one) => one.wait > 0 &&
			one.member.sample !== member.sample).map((one) =>
			({culprit: member.r, row: one.member.r,
				wait: one.wait}));
	});
}

/* --- the whole --- */

/* Set the own times of a group's rows; returns its victims. */
function describeGroup(model, {isGroup, rows}, {shared, names}, own)
{
	const members = rows.map((r) => {
		const spans = spansOf(model, model.rows[r]);

		return {r, spans, calls: callsOf(model, spans, names.call)};
	});
	const samples = tellCopies(model, members);
	const group = {shared, alone: isGroup && samples === 1,
		groupName: names.group};
	const held = [];

	if (isGroup && samples > 1)
		markShared(model, members, shared);
	for (const member of members) {
		const runs = runsOf(model, member, group);
		const marks = marksOfRow(model, member, runs, group);

		own[member.r] = ownTimes(model, member, runs,
			phasesOf(model.rows[member.r], marks));
		if (isGroup && samples > 1)
			held.push(...heldBy(model, member, runs, own[member.r]));
	}
	return victimsOf(held);
}

/* What a row without a time has. */
const NO_OWN_TIME = {start: NaN, end: NaN, duration: 0, earlier: 0,
	groupWait: 0, clientQueue: 0, open: false, phases: []};

function findWaits(model)
{
	const shared = new Uint8Array(model.items.name.length);
	const names = {group: model.strings.indexOf(GROUP_SPAN),
		call: model.strings.indexOf(CALL_SPAN)};
	const rows = model.rows.map(() => NO_OWN_TIME);
	const victims = groupsOf(model).flatMap((group) =>
		describeGroup(model, group, {shared, names}, rows));
	const heldUp = new Map();

	for (const one of victims) {
		if (!heldUp.has(one.culprit))
			heldUp.set(one.culprit, []);
		heldUp.get(one.culprit).push(one);
	}
	for (const some of heldUp.values())
		some.sort((a, b) => a.row - b.row);
	return {shared, rows, heldUp, heldBy: new Map(victims.sort(
		(a, b) => a.wait - b.wait).map((one) => [one.row, one.culprit]))};
}

/*
 * What a model's rows waited for, found once: {shared, rows, heldUp, heldBy}.
 * shared is 1 for items that are shared spans, rows are own times, heldUp says
 * for a culprit's row who waited for it, [{row, wait}, ...], heldBy for a
 * victim's row the culprit that it waited for most. All rows of the dump
 * count, whether they are shown or not.
 */
function waitsOf(model)
{
	model.waits ??= findWaits(model);
	return model.waits;
}
