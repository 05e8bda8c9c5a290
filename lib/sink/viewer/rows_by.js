/*
 * Rows by engine, or by another attribute: the requests of the samples shown,
 * those of one value packed onto lanes (pack.js). An engine's lanes are its
 * slots: how full it was, where it idled and who was its straggler. A request
 * is on one while it certainly had a slot, see slotTimes.
 *
 * Where no request is known, the outermost spans are laid out; by an attribute
 * of spans ("attr:KEY"), the outermost spans that have it.
 *
 * Lanes are {group, number, item, start, end}: the columns of layout.js, and
 * the place among those of its group, from 0. Groups are {key, value, lanes,
 * units}: the JSON and the value that its spans have in common, and the spans.
 * times are {start, end}, columns by item of when each is on its lane.
 */

const ENGINE = "engine";
const BYS = {
	[ENGINE]: {title: "engine", value: workerOfItem},
	group: {title: "group", value: ({rows}, r) => rows[r].group},
	status: {title: "status", value: ({rows}, r) => rows[r].status},
	source: {title: "source", value: ({rows}, r) => rows[r].source},
	label: {title: "label", value: ({rows}, r) => rows[r].label},
	reward: {title: "reward", value: ({rows}, r) => rows[r].reward},
	attempt: {title: "attempt", value: ({items, strings}, r, i) =>
		strings[items.attempt[i]]},
	error: {title: "error", value: ({items}, r, i) =>
		items.error[i] ? "yes" : "no"},
};
const BY_ROWS = 512; /* between pauses */
const NO_LANE = -2; /* lineOf a sample that is shown and has no lane */

function readBy(text)
{
	return text === "" || /^attr:./.test(text) || Object.hasOwn(BYS, text) ?
		text : undefined;
}

/* What served a request, by the rule of lib/rollout/worker.h; null: unknown. */
function workerOfItem(model, r, i)
{
	const {first, worker, workers} = model.rows[r];
	const own = workers?.find(([at]) => first + at === i);

	return own ? own[1] : worker ?? null;
}

/* The values of an attribute by item, of those that have it: a Map. Scanned
 * once for each key; undefined when the signal aborted it. */
async function attributeValues(model, bytes, key, signal)
{
	const start = "\"" + asciiJson(key.split(".")[0]);
	const found = new Map();

	if (model.byValues?.key === key)
		return model.byValues.found;
	const done = await scanAttrs(model, bytes, [{
		terms: [{
			hint: (text) => text.includes(start),
			test: (attrs, i) => {
				const value = lookUp(attrs.end, key) ??
					lookUp(attrs.start, key);

				if (value !== undefined && value !== null)
					found.set(i, value);
			},
		}],
		wanted: () => true, hit: () => {},
	}], signal);

	if (!done)
		return undefined;
	model.byValues = {key, found};
	return found;
}

/* Whether a span around an item has the same value. */
function isInside({items}, values, i)
{
	const own = JSON.stringify(values.get(i));

	return ancestors(items, i).some((outer) => values.has(outer) &&
		counts(items, outer) && JSON.stringify(values.get(outer)) === own);
}

/* Which items are laid out, and what value each has: {wanted(i), value(r, i)}.
 * values: of an attribute, see attributeValues. */
function unitsBy(model, by, values)
{
	const {items} = model;
	const requests = items.request.includes(1);

	if (values) {
		return {value: (r, i) => values.get(i),
			wanted: (i) => values.has(i) && counts(items, i) &&
				!isInside(model, values, i)};
	}
	return {value: (r, i) => BYS[by].value(model, r, i),
		wanted: (i) => counts(items, i) && (requests ?
			items.request[i] === 1 : items.parent[i] < 0)};
}

/* Slices: the groups of what is wanted in the rows, without their lanes. */
function* gatherUnits(model, order, {wanted, value}, shown)
{
	const groups = new Map();

	for (let k = 0; k < order.length; k++) {
		const {first, items: many, aside} = model.rows[order[k]];

		for (let i = first; i < first + many && !aside; i++) {
			if (!wanted(i) || !shown(i))
				continue;
			const own = value(order[k], i) ?? null;
			const key = JSON.stringify(own);

			if (!groups.has(key)) {
				groups.set(key, {key, value: own,
					units: new NumberList()});
			}
			groups.get(key).units.push(i);
		}
		if (k % BY_ROWS === 0)
			yield;
	}
	return [...groups.values()];
}

/* Numbers by size, then text with the numbers in it by size; null last. */
function compareValues({value: a}, {value: b})
{
	const kinds = [a, b].map((value) => value === null ? 2 :
		Number.isNaN(plainNumber(value)) ? 1 : 0);

	if (kinds[0] !== kinds[1])
		return kinds[0] - kinds[1];
	return kinds[0] === 0 ? plainNumber(a) - plainNumber(b) :
		plainText(a).localeCompare(plainText(b), "en", {numeric: true});
}

/* Slices: how long each request took by the engine's own clock, in µs: a Map
 * by item of those that say so. Found once for a model. */
function* latencySteps(model, bytes)
{
	const {items} = model;
	const found = new Map();

	for (let r = 0; !model.latencies && r < model.rows.length; r++) {
		const row = model.rows[r];
		const requests = [];

		for (let i = row.first; i < row.first + row.items; i++) {
			if (items.request[i] && counts(items, i))
				requests.push(i);
		}
		const said = requests.length && textOfRow(model, bytes, row);

		for (const i of requests) {
			const latency = metricValue(itemAttributes(model, said,
				i)?.e2e_latency);

			if (latency > 0)
				found.set(i, latency * 1e6);
		}
		if (r % BY_ROWS === 0)
			yield;
	}
	return model.latencies ??= found;
}

/*
 * From when to when a request certainly had a slot of its engine: the span is
 * the client's. It is longer than the engine's own time by the way there and
 * back, and whichever of both took how much, the slot was taken after all of it
 * and the queue, and was free again before it. Else an engine would seem to run
 * more at once than it can. A client that took longer than the slot was held
 * had most likely tried before.
 */
function slotTimes(start, end, queue, latency)
{
	const length = Math.max(end - start, 0);
	const queued = Math.min(queue, length);
	const whole = latency >= queued && latency <= length ? latency : length;
	const way = length - whole;

	return way < whole - queued ? [start + way + queued, start + whole] :
		[end - (whole - queued), end];
}

/* When the units are on lanes. */
function laneTimes({items}, groups, by, latencies)
{
	if (by !== ENGINE)
		return {start: items.start, end: items.end};
	const times = {start: items.start.slice(), end: items.end.slice()};

	for (const {units} of groups) {
		for (const i of units) {
			[times.start[i], times.end[i]] = slotTimes(items.start[i],
				items.end[i], items.queue[i],
				latencies?.get(i) ?? NaN);
		}
	}
	return times;
}

/* Slices: {groups, times} of what is to be laid out; bytes: the attributes,
 * from which engines' lanes know how long they had each request. */
function* laneSteps(model, order, by, units, {shown, bytes})
{
	const latencies = by === ENGINE && bytes ?
		yield* latencySteps(model, bytes) : undefined;
	const groups = yield* gatherUnits(model, order, units, shown);

	for (const group of groups)
		group.units = Uint32Array.from(group.units.view());
	const times = laneTimes(model, groups, by, latencies);

	for (const group of groups) {
		const lanes = yield* packSteps(times, group.units);

		group.lanes = lanes.map((item, number) => ({group, number, item,
			start: Float64Array.from(item, (i) => times.start[i]),
			end: Float64Array.from(item, (i) =>
				Math.max(times.start[i], times.end[i]))}));
		yield;
	}
	return {groups: groups.sort(compareValues), times};
}

/*
 * The lines of the plot, as makeLines's: at is past the rows for a lane, by
 * its place in `lanes`. lineOfItem tells the line of each item that is on one.
 */
function makeLaneLines(model, order, by, {groups, times})
{
	const lines = {at: [], heads: [], lanes: [], groups, times, by,
		lineOfItem: new Map(),
		lineOf: new Int32Array(model.rows.length).fill(-1)};

	for (const r of order)
		lines.lineOf[r] = NO_LANE;
	for (const group of groups) {
		addHead(lines, {group, rows: []});
		for (const lane of group.lanes) {
			for (const i of lane.item)
				lines.lineOfItem.set(i, lines.at.length);
			lines.at.push(model.rows.length + lines.lanes.length);
			lines.lanes.push(lane);
		}
	}
	return lines;
}

/* The lane of a line; undefined: it has none. */
function laneAt({lines, model}, line)
{
	return lines.lanes?.[lines.at[line] - model.rows.length];
}

/* The item that stands on a lane for what is selected: itself, one around it,
 * else the first of its row; -1: none. */
function unitOf({model, lines}, row, item)
{
	if (item >= 0) {
		return [item, ...ancestors(model.items, item)].find((i) =>
			lines.lineOfItem.has(i)) ?? -1;
	}
	return unitsOfRow({model, lines}, row)[0] ?? -1;
}

function unitsOfRow({model, lines}, row)
{
	const {first, items} = model.rows[row] || {first: 0, items: 0};
	const found = [];

	for (let i = first; i < first + items; i++) {
		if (lines.lineOfItem.has(i))
			found.push(i);
	}
	return found.sort((a, b) => model.items.start[a] - model.items.start[b]);
}

/* The line on which a row or an item is; less than 0: none. */
function lineOfHit(scene, row, item)
{
	const {lines} = scene;

	if (!lines.lanes)
		return lines.lineOf[row];
	return lines.lineOfItem.get(unitOf(scene, row, item)) ??
		lines.lineOf[row] ?? -1;
}

/* --- what is said of a group --- */

/* From the first start to the last end of all that is laid out, within the
 * range. */
function laneSpan(times, groups, range)
{
	const span = {start: Infinity, end: -Infinity};

	for (const {lanes} of groups) {
		for (const {start, item} of lanes) {
			span.start = Math.min(span.start, start[0]);
			for (const i of item)
				span.end = Math.max(span.end, times.end[i]);
		}
	}
	return {start: Math.max(span.start, range.start),
		end: Math.min(span.end, range.end)};
}

/* {count, peak, busy, area, end} of a group's spans within the range: how many
 * there are, and at once at most; for how long any ran, their times added up,
 * the last end. */
function groupUse(times, {units, lanes}, range)
{
	const from = new NumberList();
	const to = new NumberList();
	const use = {count: 0, peak: 0, busy: 0, area: 0, end: -Infinity};

	for (const i of units) {
		const end = Math.max(times.start[i], times.end[i]);
		const time = overlap(times.start[i], end, range);

		if (time < 0)
			continue;
		from.push(Math.max(times.start[i], range.start));
		to.push(Math.min(end, range.end));
		use.area += time;
		use.end = Math.max(use.end, Math.min(end, range.end));
	}
	use.count = from.length;
	countUse(use, from.view().sort(), to.view().sort());
	if (range === ALWAYS)
		use.peak = lanes.length;
	return use;
}

/* What ends when another begins makes room for it. */
function countUse(use, starts, ends)
{
	let since = 0;

	for (let s = 0, e = 0; e < ends.length;) {
		if (s > e && !(starts[s] < ends[e])) {
			e++;
			use.busy += s === e ? ends[e - 1] - since : 0;
			continue;
		}
		since = s === e ? starts[s] : since;
		s++;
		use.peak = Math.max(use.peak, s - e);
	}
}

/* How many times as long the decode steps of a slow engine take, by the model of
 * the remedies. Undefined for other engines, and without a model. */
function slowSteps({whatIf}, worker)
{
	return whatIf?.slow?.find(([name]) => name === worker)?.[1];
}

function slowStepsText(times)
{
	return `decode steps take ${threeDigits(times)} times as long`;
}

/* "55 tok/s", of a slow worker with how much slower; [] where it is unknown.
 * Both are of all samples, which is said where some are shown. */
function speedFacts({about}, worker, some)
{
	const speeds = about.speeds || [];
	const own = speeds.find(([name]) => name === worker);
	const all = Float64Array.from(speeds, ([, , seconds]) => seconds).sort();

	if (!own || !(own[2] > 0))
		return [];
	const usual = all.length === 2 ? all[0] : quantile(all, 0.5);
	const times = slowSteps(about, worker);
	const slow = times !== undefined ? slowStepsText(times) :
		about.slow?.includes(worker) ? `${threeDigits(own[2] / usual)} ` +
		`times the ${all.length === 2 ? "other's" : "median"} time per ` +
		"token" : "";

	return [`median ${some ? "of all samples " : ""}${
		threeDigits(1 / own[2])} tok/s`,
		...slow ? [`slow: ${slow}`] : []];
}

/* For how long its requests were in its queue. */
function queueFacts({items}, {units})
{
	const queued = units.reduce((sum, i) => sum + Math.min(items.queue[i],
		Math.max(items.end[i] - items.start[i], 0)), 0);

	return queued > 0 ? [`queued ${formatDuration(queued)}`] : [];
}

function byTitle(by)
{
	return BYS[by]?.title ?? visible(by.slice("attr:".length));
}

/* "engine :30001 · 16 slots", "status completed · 8 lanes" */
function laneGroupTitle(by, {value, lanes})
{
	const engine = by === ENGINE;
	const name = value === null ? `no known ${byTitle(by)}` :
		`${byTitle(by)} ${formatValue(value)}`;

	return `${name} · ${plural(lanes.length, engine ? "slot" : "lane")}`;
}

/* How full a group was: what its head says besides. */
function laneGroupFacts({model, state: {measured}, lines, order}, group)
{
	const range = measured || ALWAYS;
	const some = Boolean(measured) || order.length < model.rows.length;
	const {by, groups, times} = lines;
	const span = laneSpan(times, groups, range);
	const wall = Math.max(span.end - span.start, 0);
	const {count, peak, busy, area, end} = groupUse(times, group, range);
	const requests = model.items.request[group.units[0]] === 1;

	if (count === 0)
		return "nothing in the measured range";
	return [
		plural(count, requests ? "request" : "span"),
		...by === ENGINE ? speedFacts(model, group.value, some) :
			[],
		`peak ${formatCount(peak)}`,
		...wall > 0 ? [`mean ${formatValue(Number((area / wall)
			.toFixed(1)))} (${formatShare(area / wall / peak)} full)`,
		`idle ${formatDuration(Math.max(wall - busy, 0))}`] : [],
		`last end ${formatDuration(end)}`,
		...by === ENGINE ? queueFacts(model, group) : [],
	].join(" · ");
}

/* The title of a head, of a sample group or of lanes. */
function headTitle(scene, head)
{
	return scene.lines.lanes ? laneGroupTitle(scene.lines.by, head.group) :
		groupTitle(scene.model, head);
}

/* What is said besides, made when the head is seen. */
function headFacts(scene, head)
{
	const {measured} = scene.state;

	if (head.facts === undefined || head.measured !== measured) {
		head.measured = measured;
		head.facts = scene.lines.lanes ?
			laneGroupFacts(scene, head.group) :
			groupFacts(scene.model, head);
	}
	return head.facts;
}
