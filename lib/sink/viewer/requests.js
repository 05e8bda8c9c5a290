/*
 * What the requests of samples measured, by the rules of obs-perfsum
 * (lib/rollout/perf.c): the metrics that model.about.perf names, from the
 * attributes of generation spans, those of prefill and decode from the spans
 * below them where a request has none of its own.
 */

const FIRST_PD_METRIC = 3;
const LONGEST_CLIMB = 64;
const PD_PREFIX = "sglang_pd_";
const VALUE_TEXT = new TextDecoder();

/* A number that counts; undefined for others. */
function metricValue(value)
{
	const number = value instanceof Digits ? Number(value.text) : value;

	return typeof number === "number" && Number.isFinite(number) ?
		number + 0 : undefined;
}

/* The attributes of a row as one text, from where it is on: a piece for each
 * item would be so many objects that the browser stops to clear them away.
 * JSON in a page is ASCII, so that a letter is a byte. */
function textOfRow({items}, bytes, {first, items: many})
{
	const last = first + many - 1;
	const from = items.attrsAt[first];
	const to = items.attrsAt[last] + items.startAttrs[last] +
		items.endAttrs[last];

	return {from, text: VALUE_TEXT.decode(bytes.subarray(from, to))};
}

/* The attributes that count of an item: at its end, or an orphan's or a
 * point's only ones; undefined: it has none. */
function itemAttributes({items}, said, i)
{
	const middle = items.attrsAt[i] + items.startAttrs[i] - said.from;
	const [from, to] = items.state[i] === CLOSED ?
		[middle, middle + items.endAttrs[i]] :
		[items.attrsAt[i] - said.from, middle];

	return from < to ? parseExactly(said.text.slice(from, to)) : undefined;
}

/* Add the metrics from..to of attributes to the lists; how many there were. */
function takeMetrics(found, metrics, attributes, from, to)
{
	let taken = 0;

	for (let m = from; m < to; m++) {
		const value = metricValue(attributes[metrics[m][1]]);

		if (value !== undefined) {
			found.of[m].push(value);
			taken++;
		}
	}
	return taken;
}

function takeRequest(found, metrics, attributes)
{
	const plain = takeMetrics(found, metrics, attributes, 0,
		FIRST_PD_METRIC);
	const pd = takeMetrics(found, metrics, attributes, FIRST_PD_METRIC,
		metrics.length);

	found.requests++;
	return {ownPd: pd > 0, counted: plain + pd > 0};
}

/* The request that an item stands below; undefined: none. */
function requestAbove({items}, requests, i)
{
	let at = items.parent[i];

	for (let n = 0; at >= 0 && n < LONGEST_CLIMB; n++) {
		if (requests.has(at))
			return requests.get(at);
		at = items.parent[at];
	}
	return undefined;
}

function mayHoldPd({items, strings}, i)
{
	return items.role[i] === 0 && items.state[i] !== OPEN &&
		strings[items.name[i]].startsWith(PD_PREFIX);
}

/* A row whose values stand with it: page_perf.c. */
function takeGiven(found, [requests, profiled, ...lists])
{
	found.requests += requests;
	found.profiled += profiled;
	for (const [m, ...values] of lists)
		values.forEach((value) => found.of[m].push(value));
}

function takeRow(found, model, bytes, row)
{
	const {items, about: {perf: metrics}} = model;
	const requests = new Map();
	const end = row.first + row.items;
	const said = textOfRow(model, bytes, row);

	for (let i = row.first; i < end; i++) {
		if (!items.request[i] || items.role[i] > 0 ||
		    items.state[i] === OPEN || items.state[i] === POINT)
			continue;
		const attributes = itemAttributes(model, said, i);

		if (attributes) {
			requests.set(i, takeRequest(found, metrics,
				attributes));
		}
	}
	for (let i = row.first; i < end; i++) {
		const request = mayHoldPd(model, i) &&
			requestAbove(model, requests, i);
		const attributes = request && !request.ownPd &&
			itemAttributes(model, said, i);

		if (attributes && takeMetrics(found, metrics, attributes,
			FIRST_PD_METRIC, metrics.length) > 0)
			request.counted = true;
	}
	for (const {counted} of requests.values())
		found.profiled += counted ? 1 : 0;
}

/* Slices: {requests, profiled, metrics}: of the rows' requests how many there
 * are, how many with a value, and by metric {sorted, mean}; undefined: no
 * values. */
function* requestSteps(model, bytes, rows)
{
	const {about: {perf: metrics}} = model;
	const found = {requests: 0, profiled: 0,
		of: metrics.map(() => new NumberList())};

	for (const r of rows) {
		const row = model.rows[r];

		if (row.perf)
			takeGiven(found, row.perf);
		else if (row.items > 0)
			takeRow(found, model, bytes, row);
		yield;
	}
	const sides = [];

	for (const list of found.of) {
		const values = list.view();
		const mean = values.reduce((sum, v) => sum + v, 0) /
			values.length;

		sides.push(values.length ? {sorted: values.sort(), mean} :
			undefined);
		yield;
	}
	return {requests: found.requests, profiled: found.profiled,
		metrics: sides};
}

/* Slices: what changed between two such, metric by metric; see(changes) is
 * called with those so far. */
function* changesSteps(metrics, from, to, see)
{
	const count = (key, a, b) => {
		const one = {metric: [`request/${key}`, "", "", 0],
			statistic: "", from: a, to: b,
			relative: relativeChange(a, b), low: NaN, high: NaN,
			extreme: false};

		return {...one, verdict: judgeChange(one, 0)};
	};
	const changes = [count("count", from.requests, to.requests),
		count("profiled_count", from.profiled, to.profiled)];

	for (let m = 0; m < metrics.length; m++) {
		changes.push(...yield* metricSteps(metrics[m],
			from.metrics[m], to.metrics[m]));
		see?.([...changes].sort(byWeight), m + 1 === metrics.length);
	}
	return changes.sort(byWeight);
}
