/*
 * Which rows are shown and where: filtered, sorted, grouped, as lines of the
 * plot. A line is a row or the head of a group.
 */

const HEAD_HEIGHT = 18;

/* What rows can be sorted by, from a row, its number and what it waited for;
 * and from how long it did each activity; "attr:KEY" is one more for each KEY.
 * Ends and durations are those of its own work: a sample that waited for its
 * group did not take long itself. time: the key is in µs. */
const SORTS = {
	row: {title: "dump order", key: (row, r) => r},
	start: {title: "start", key: (row) => row.start},
	end: {title: "end of own work", key: (row, r, {end}) => end},
	duration: {title: "own work", key: (row, r, {duration}) => duration},
	wait: {title: "group wait", time: true, key: (row, r, {groupWait}) => groupWait},
	client: {title: "client queue", time: true,
		key: (row, r, {clientQueue}) => clientQueue},
	queue: {title: "engine queue", time: true, key: activityKey("queue")},
	tool: {title: "time in tools", time: true, key: activityKey("tool")},
	rewarding: {title: "time in rewards", time: true,
		key: activityKey("reward")},
	idle: {title: "time between spans", time: true,
		key: activityKey("idle")},
	rate: {title: "tokens per second", key: (row, r, own, stats) =>
		rateOf(stats(), r)},
	reward: {title: "reward", key: (row) => rewardOf(row.reward)},
	tokens: {title: "tokens", key: (row) => tokensOf(row)},
	status: {title: "status", key: (row) => row.status},
	source: {title: "source", key: (row) => row.source},
	index: {title: "index", key: (row) => row.index},
	group: {title: "group", key: (row) => row.group},
};

/* The time of all of a row in an activity. */
function activityKey(name)
{
	return (row, r, own, stats) => sumsOfRow(stats().sums.all, r)[
		ACTIVITY_NAMES.indexOf(name)];
}

/* A reward as a number: of several by name, their sum. */
function rewardOf(reward)
{
	if (reward === null || typeof reward !== "object")
		return reward;
	return Object.values(reward).reduce((sum, part) =>
		sum + (typeof part === "number" ? part : 0), 0);
}

/* 0: a number, 1: text, 2: missing */
function keyKind(key)
{
	return typeof key === "number" ? (Number.isNaN(key) ? 2 : 0) :
		key === null || key === undefined ? 2 : 1;
}

/* Numbers before text, and what is missing last of all. */
function compareKeys(a, b)
{
	const ranks = [keyKind(a), keyKind(b)];

	if (ranks[0] !== ranks[1] || ranks[0] === 2)
		return ranks[0] - ranks[1];
	if (ranks[0] === 0)
		return a - b;
	return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

/* The largest value that the row's items have for an attribute. */
function attributeOf(model, attrBytes, row, key)
{
	const last = row.first + row.items - 1;
	const {attrsAt, startAttrs, endAttrs} = model.items;
	let largest;

	if (row.items === 0)
		return undefined;
	const text = new TextDecoder().decode(attrBytes.subarray(
		attrsAt[row.first],
		attrsAt[last] + startAttrs[last] + endAttrs[last]));

	if (!text.includes(JSON.stringify(key) + ":"))
		return undefined;
	for (let i = row.first; i <= last; i++) {
		const {start, end} = readAttrs(model.items, attrBytes, i);
		const value = end?.[key] ?? start?.[key];

		if (value !== undefined && (largest === undefined ||
		    compareKeys(value, largest) > 0))
			largest = value;
	}
	return largest instanceof Digits ? Number(largest.text) : largest;
}

/* The names of attributes that some items have, for the choice of one. */
function attributeKeys(model, attrBytes)
{
	const {items} = model;
	const step = Math.max(1, Math.floor(items.name.length / 5000));
	const keys = new Set();

	for (let i = 0; i < items.name.length; i += step) {
		const {start, end} = readAttrs(items, attrBytes, i);

		for (const key of Object.keys({...start, ...end}))
			keys.add(key);
	}
	return [...keys].sort();
}

/* For each row, what it is sorted by. */
function sortKeys(model, sort, attrBytes)
{
	if (sort.startsWith("attr:")) {
		return model.rows.map((row) => attrBytes && attributeOf(model,
			attrBytes, row, sort.slice("attr:".length)));
	}
	const {rows: waits} = model.waits;
	const stats = () => statsOf(model);

	return model.rows.map((row, r) =>
		SORTS[sort].key(row, r, waits[r], stats));
}

/* What keys are to be compared by: numbers before text, and what is missing
 * last of all: {kind, value} columns, texts as their places among all. */
function comparable(keys)
{
	const kind = new Uint8Array(keys.length);
	const value = new Float64Array(keys.length);
	const texts = new Map();

	keys.forEach((key, r) => {
		kind[r] = keyKind(key);
		if (kind[r] === 0)
			value[r] = key;
		else if (kind[r] === 1)
			texts.set(String(key), 0);
	});
	[...texts.keys()].sort().forEach((text, n) => texts.set(text, n));
	keys.forEach((key, r) => {
		if (kind[r] === 1)
			value[r] = texts.get(String(key));
	});
	return {kind, value};
}

/* The places of rows in a sort; of the last one they are kept, for the other
 * direction. */
function comparedKeys(model, sort, attrBytes)
{
	if (model.compared?.sort !== sort ||
	    model.compared.attrBytes !== attrBytes) {
		model.compared = {sort, attrBytes,
			...placesOf(comparable(sortKeys(model, sort,
				attrBytes)))};
	}
	return model.compared;
}

/* The place of each row among all by a column of what compares, ties sharing
 * one: numbers of no more than there are rows. Sorting numbers alone is much
 * faster than sorting rows by them. */
function placesOf({kind, value})
{
	const missing = keyKind(undefined);
	const places = new Uint32Array(kind.length);
	const alike = kind.every((k) => k === kind[0]);
	let below = 0;

	for (let k = 0; k < missing; k++) {
		if (alike && kind[0] !== k)
			continue;
		const own = distinct((alike ? value.slice() : value.filter(
			(key, r) => kind[r] === k)).sort());

		for (let r = 0; r < kind.length; r++) {
			if (kind[r] === k)
				places[r] = below + lastAtMost(own, value[r]);
		}
		below += own.length;
	}
	for (let r = 0; r < kind.length; r++) {
		if (kind[r] === missing)
			places[r] = below;
	}
	return {places, many: below};
}

/* Rows by their places, the largest first where it is asked, what is missing
 * last in any case; rows of one place stay in their order. */
function byPlace(rows, {places, many}, down)
{
	const at = (r) => down && places[r] < many ? many - 1 - places[r] :
		places[r];
	const next = new Uint32Array(many + 2);
	const order = new Uint32Array(rows.length);

	for (const r of rows)
		next[at(r) + 1]++;
	for (let k = 0; k <= many; k++)
		next[k + 1] += next[k];
	for (const r of rows)
		order[next[at(r)]++] = r;
	return order;
}

/* The numbers of the rows that are shown, ascending. The same rows are the same
 * array as before, by which figures of them are remembered (sums.js). */
function shownRows(model, test)
{
	const {rows, shown: before} = model;
	const shown = new Uint32Array(rows.length);
	let n = 0;
	let same = true;

	for (let r = 0; r < rows.length; r++) {
		if (!test(rows[r], r))
			continue;
		same &&= before?.[n] === r;
		shown[n++] = r;
	}
	if (!same || before?.length !== n)
		model.shown = shown.slice(0, n);
	return model.shown;
}

/* The numbers of the rows that are shown, in order. */
function orderRows(model, state, test, attrBytes)
{
	const compared = comparedKeys(model, state.sort, attrBytes);
	const shown = shownRows(model, test);
	const order = byPlace(shown, compared, state.down);
	const grouped = state.group ? gather(model, order) : order;

	sameRows.set(grouped, shown);
	return grouped;
}

/* Rows of a group after the first of them. */
function gather(model, order)
{
	const {of, many} = groupsOf(model);
	const place = new Int32Array(many).fill(-1); /* of a group, by number */
	const next = new Uint32Array(many + 1);
	const gathered = new Uint32Array(order.length);
	let seen = 0;

	for (const r of order) {
		if (place[of[r]] < 0)
			place[of[r]] = seen++;
		next[place[of[r]] + 1]++;
	}
	for (let k = 0; k < seen; k++)
		next[k + 1] += next[k];
	for (const r of order)
		gathered[next[place[of[r]]]++] = r;
	return gathered;
}

/*
 * The lines of the plot: `at` is a row's number, or -1 - the index into
 * `heads` of what stands there; lineOf[r] is the row's line, -1: not shown.
 */
function makeLines(model, state, order)
{
	const lines = {at: [], heads: [],
		lineOf: new Int32Array(model.rows.length).fill(-1)};
	let group;

	if (!state.group) {
		order.forEach((r, line) => lines.lineOf[r] = line);
		return {...lines, at: order};
	}

	const {of} = groupsOf(model);

	for (const r of order) {
		const row = model.rows[r];

		if (of[r] !== group?.number) {
			group = addHead(lines, {number: of[r],
				key: groupKey(row), group: row.group, rows: []});
		}
		group.rows.push(r);
		lines.lineOf[r] = lines.at.length;
		lines.at.push(r);
	}
	return lines;
}

function addHead(lines, head)
{
	lines.at.push(-1 - lines.heads.length);
	lines.heads.push(head);
	return head;
}

/* Whether a group's head stands on a line. */
function isHead(lines, line)
{
	return lines.at[line] < 0;
}

/* The head of a line, undefined where there is a row. */
function headAt(lines, line)
{
	return lines.heads[-1 - lines.at[line]];
}

/* Top of each line in px, and the height of all at the end. */
function lineTops(model, lines, expanded, rowHeight)
{
	const tops = new Float64Array(lines.at.length + 1);

	for (let line = 0; line < lines.at.length; line++) {
		const r = lines.at[line];

		tops[line + 1] = tops[line] + (r < 0 ? HEAD_HEIGHT :
			r >= model.rows.length ? rowHeight :
			heightOf(model.rows[r], expanded[r], rowHeight));
	}
	return tops;
}

function heightOf(row, expanded, rowHeight)
{
	return expanded ? rowHeight + row.lanes * LANE_HEIGHT +
		LANES_PADDING : rowHeight;
}

function groupTitle(model, head)
{
	const name = head.key === "" ? "no group" :
		`group ${formatValue(head.group)}`;

	return `${name} · ${plural(head.rows.length, rowNoun(model))}`;
}

/* What is said of a group besides: how good, how long they waited. */
function groupFacts(model, head)
{
	const rewards = head.rows.map((r) =>
		rewardOf(model.rows[r].reward)).filter((reward) =>
		typeof reward === "number" && !Number.isNaN(reward));
	const mean = rewards.reduce((sum, x) => sum + x, 0) / rewards.length;
	const waited = groupWaiting(model, head.rows);

	return [
		...rewards.length ? [`mean reward ${formatValue(mean)}`] : [],
		...waited > 0 ? [`group wait ${formatDuration(waited)}`] : [],
	].join(" · ");
}
