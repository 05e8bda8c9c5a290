/*
 * The critical path: back from the last end, what had to happen one after the
 * other for the rollout to take as long as it did. Where a sample waits for its
 * group, the path goes on with the member whose work ended last; where it waits
 * in the queue of the client or of its engine, with the sample whose request
 * ended last before. The parts cover the wall time, each once.
 *
 * A part is {row, activity, from, to}; the first one is the earliest.
 */

const PATH_ROWS = 256; /* between pauses */
const SAME_MOMENT = 8; /* samples that one moment may lead through */

/* Ends in the order of time, each with its row: {to, row}. */
class Ends {
	constructor()
	{
		this.list = [];
	}

	add(to, row)
	{
		this.list.push({to, row});
	}

	sort()
	{
		this.list.sort((a, b) => a.to - b.to || a.row - b.row);
		this.times = Float64Array.from(this.list, ({to}) => to);
	}

	/* The last end of another row in (after, until]; undefined: none. */
	last(after, until, row)
	{
		let k = this.list.length === 0 ? -1 :
			lastAtMost(this.times, until);

		while (k >= 0 && this.list[k].row === row)
			k--;
		return k >= 0 && this.list[k].to > after &&
			this.list[k].to <= until ? this.list[k] : undefined;
	}
}

function endsOf(map, key)
{
	if (!map.has(key))
		map.set(key, new Ends());
	return map.get(key);
}

/* Slices: who ended when: {rows, groups, requests, workers}. */
function* findEnds(stats, rows)
{
	const {model} = stats;
	const found = {rows: new Ends(), groups: new Map(),
		requests: new Ends(), workers: new Map()};

	for (let k = 0; k < rows.length; k++) {
		const r = rows[k];
		const row = model.rows[r];

		found.rows.add(row.end, r);
		endsOf(found.groups, groupKey(row))
			.add(model.waits.rows[r].end, r);
		eachActivity(stats, r, ALWAYS, (activity, from, to) => {
			if (activity !== DECODE)
				return;
			found.requests.add(to, r);
			endsOf(found.workers, row.worker ?? "").add(to, r);
		});
		if (k % PATH_ROWS === 0)
			yield;
	}
	for (const ends of [found.rows, found.requests,
		...found.groups.values(), ...found.workers.values()]) {
		ends.sort();
		yield;
	}
	return found;
}

/* What row r does just before a moment: {activity, from, to}; undefined:
 * nothing yet. */
function activityBefore(stats, r, time)
{
	let found;

	eachActivity(stats, r, ALWAYS, (activity, from, to) => {
		if (from < time && (!found || from >= found.from))
			found = {activity, from, to: Math.min(to, time)};
	});
	if (found && found.to < time)
		return {activity: IDLE, from: found.to, to: time};
	return found;
}

/* Whose end row r waited for until a moment: {to, row}; undefined: nobody's
 * that is known. */
function waitedFor(model, ends, r, {activity, from}, time)
{
	const row = model.rows[r];
	const key = groupKey(row);

	if (activity === GROUP_WAIT && key !== "")
		return ends.groups.get(key).last(from, time, r);
	if (activity === CLIENT_QUEUE)
		return ends.requests.last(from, time, r);
	if (activity === QUEUE)
		return ends.workers.get(row.worker ?? "")?.last(from, time, r);
	return undefined;
}

/* One step back from (row, time): {part, row, time, jumped}. */
function stepBack(stats, ends, start, row, time, mayJump)
{
	const {model} = stats;
	const before = activityBefore(stats, row, time);

	if (!before) {
		const last = mayJump && ends.rows.last(start, time, row);
		const from = last ? last.to : start;

		return {part: {row, activity: IDLE, from, to: time},
			row: last ? last.row : row, time: from,
			jumped: Boolean(last)};
	}
	const end = mayJump && waitedFor(model, ends, row, before, time);

	if (end) {
		return {part: {row, activity: before.activity, from: end.to,
			to: time}, row: end.row, time: end.to, jumped: true};
	}
	return {part: {row, ...before}, row, time: before.from, jumped: false};
}

/* Add a part that lies before those there. */
function addPart(parts, part)
{
	const last = parts[parts.length - 1];

	if (part.to <= part.from)
		return;
	if (last && last.row === part.row && last.activity === part.activity &&
	    last.from === part.to)
		last.from = part.from;
	else
		parts.push({...part});
}

/* The row that ends last, of several the one whose own work does. */
function lastToWork({rows: all, waits}, rows)
{
	return rows.reduce((last, r) => all[r].end > all[last].end ||
		(all[r].end === all[last].end &&
		 waits.rows[r].end > waits.rows[last].end) ? r : last);
}

/* Slices: the critical path of a dump. */
function* criticalPath(stats)
{
	const {model} = stats;
	const rows = timedRows(model);
	const parts = [];

	if (rows.length === 0)
		return parts;
	const ends = yield* findEnds(stats, rows);
	const start = rows.reduce((least, r) =>
		Math.min(least, model.rows[r].start), Infinity);
	let row = lastToWork(model, rows);
	let {end: time} = model.rows[row];
	let jumps = 0;

	for (let k = 0; time > start; k++) {
		const next = stepBack(stats, ends, start, row, time,
			jumps < SAME_MOMENT);

		jumps = next.time < time ? 0 : jumps + 1;
		addPart(parts, next.part);
		({row, time} = next);
		if (k % PATH_ROWS === 0)
			yield;
	}
	return parts.reverse();
}

/* Time by what was done on the path, the most first: {activity, time, parts}. */
function pathSums(parts)
{
	const sums = new Map();

	for (const {activity, from, to} of parts) {
		const sum = sums.get(activity) || {activity, time: 0, parts: 0};

		sum.time += to - from;
		sum.parts++;
		sums.set(activity, sum);
	}
	return [...sums.values()].sort((a, b) => b.time - a.time);
}

/* --- the tab --- */

function showPart(page, {row, from, to})
{
	page.setState({measured: {start: from, end: to}});
	page.reveal(row);
}

function pathNotes({model}, parts)
{
	const wall = parts.reduce((sum, {from, to}) => sum + to - from, 0);
	const rows = new Set(parts.map(({row}) => row)).size;

	return [
		element("p", {class: "notice"}, "What had to happen one after " +
			`the other: ${formatDuration(wall)} through ` +
			`${plural(rows, rowNoun(model))}. All ${rowNouns(model)} ` +
			"count, shown or not."),
		element("ul", {class: "plain path-sums"}, ...pathSums(parts).map(
			({activity, time, parts: many}) => element("li", {},
				swatch(activityColour(activity)),
				` ${ACTIVITY_NAMES[activity]} ${
					formatDuration(time)} · ${
					formatShare(time / wall)}` +
				(many > 1 ? ` in ${many} parts` : "")))),
	];
}

/* Slices: the path, found once. */
function* criticalSteps({model, stats})
{
	model.path ??= yield* criticalPath(stats);
	return model.path;
}

function criticalTab(scene, page, parts)
{
	page.draw(); /* the path over the rows */
	return {
		head: "part", sort: "at", columns: [
			{title: "at", value: ({from}) => from,
				text: formatDuration},
			{title: "took", value: ({from, to}) => to - from,
				text: formatDuration},
		],
		notes: pathNotes(scene, parts),
		records: parts.map((part, k) => ({
			said: part, name: k,
			head: () => [swatch(activityColour(part.activity)),
				link(`${rowTitle(scene, part.row)} ${
					ACTIVITY_NAMES[part.activity]}`,
				() => showPart(page, part))],
		})),
	};
}

/* --- over the rows --- */

/* The outline of the path, and where it goes from one sample to another, while
 * its tab is in front. */
function paintPath(pen, height)
{
	const {scene, context, scale, start, width} = pen;
	const {model, tops, lines, scroll, state, rowHeight} = scene;

	if (!model.path || lines.lanes || state.tab !== "critical" || !state.panel)
		return;
	const xOf = (time) => Math.min(Math.max((time - start) * scale, -2),
		width + 2);
	const yOf = (r) => lines.lineOf[r] < 0 ? undefined :
		tops[lines.lineOf[r]] - scroll;
	let before;

	context.strokeStyle = scene.ink.accent;
	context.lineWidth = 2;
	for (const {row, from, to} of model.path) {
		const y = yOf(row);

		if (y !== undefined && y > -rowHeight && y < height &&
		    xOf(to) > xOf(from)) {
			context.strokeRect(xOf(from), y + 1, xOf(to) - xOf(from),
				rowHeight - 2);
		}
		if (before && before.row !== row)
			paintJump(pen, xOf(from), yOf(before.row), y);
		before = {row};
	}
	context.lineWidth = 1;
}

/* From one row to another, with an arrow's head. */
function paintJump({scene: {rowHeight}, context}, x, from, to)
{
	if (from === undefined || to === undefined)
		return;
	const down = to > from;
	const [y1, y2] = down ? [from + rowHeight, to] : [from, to + rowHeight];
	const back = down ? -4 : 4;

	context.beginPath();
	context.moveTo(x, y1);
	context.lineTo(x, y2);
	context.moveTo(x - 3, y2 + back);
	context.lineTo(x, y2);
	context.lineTo(x + 3, y2 + back);
	context.stroke();
}
