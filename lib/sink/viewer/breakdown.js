/*
 * All of it in one plain object, times in µs, names as text: what
 * obs-perfsum --breakdown --stragglers says of a dump.
 */
function breakdown(stats, rows, range = ALWAYS, most = 10)
{
	const {model} = stats;
	const {samples, wall, time, own} = extent(stats, rows, range);
	const {peak, tail} = concurrency(stats, rows, range);
	const activities = activityTimes(stats, rows, range);
	const last = tailOf(stats, rows);

	return {
		samples, wall, time, own, peak, tail,
		utilisation: ratio(own, wall * peak),
		bubble: bubbleOf(stats, rows, range),
		idle: activities[IDLE],
		activities: Object.fromEntries(ACTIVITY_NAMES.map(
			(name, activity) => [name, activities[activity]])),
		waiting: {group: activities[GROUP_WAIT],
			client: activities[CLIENT_QUEUE],
			reward: activities[REWARD]},
		names: nameStatistics(stats, rows, range).map((said) => ({
			...said, name: model.strings[said.name]})),
		last: last && {share: last.share, seconds: last.seconds,
			held: heldText(model, last.held),
			index: model.rows[last.row].index,
			row: model.rows[last.row].row},
		medians: mediansOf(stats),
		stragglers: stragglers(stats, rows, most).map(
			(one) => stragglerText(stats, one)),
	};
}

function heldText({strings}, held)
{
	return held && {name: strings[held.name], time: held.time};
}

function stragglerText({model, waits}, one)
{
	const {index, row, group} = model.rows[one.row];
	const own = waits.rows[one.row];

	return {
		...Object.fromEntries([...OWN_TIMES, "open"].map((name) =>
			[name, own[name]])),
		...one, index, row, group,
		held: heldText(model, one.held),
		activity: ACTIVITY_NAMES[one.did.activity],
		time: one.did.time,
		victims: one.victims.map((victim) => model.rows[victim.row].index),
	};
}
