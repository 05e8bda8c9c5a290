/*
 * Intervals of time added up to a step function, {at, value, areas}: from at[k]
 * to at[k + 1] it has value[k]; areas has what lies below it before each of the
 * steps 0, AREA_STEPS, 2 * AREA_STEPS ..., for there are many steps.
 * Outside of the first and the last step it is 0. Times are microseconds.
 */

const AREA_STEPS = 16;
const CURVE_STEP = 4096; /* intervals between pauses */
const SORTED_AT_ONCE = 1 << 15; /* numbers between pauses */

/* Numbers of which nobody knows how many come. */
class NumberList {
	constructor()
	{
		this.values = new Float64Array(64);
		this.length = 0;
	}

	push(value)
	{
		if (this.length === this.values.length) {
			const wider = new Float64Array(2 * this.length);

			wider.set(this.values);
			this.values = wider;
		}
		this.values[this.length++] = value;
	}

	view()
	{
		return this.values.subarray(0, this.length);
	}
}

/* Intervals, each of which adds its weight while it lasts. */
class Intervals {
	constructor()
	{
		this.from = new NumberList();
		this.to = new NumberList();
		this.weight = new NumberList();
	}

	add(from, to, weight = 1)
	{
		if (!(from < to))
			return;
		this.from.push(from);
		this.to.push(to);
		this.weight.push(weight);
	}
}

/* Merge two sorted parts of an array, from a to b and from there to c, into
 * the same place of another. */
function* mergeSteps(from, to, a, b, c, compare)
{
	const isFirst = compare ? (x, y) => compare(x, y) <= 0 :
		(x, y) => x <= y;
	let [i, j] = [a, b];

	for (let k = a; k < c; k++) {
		to[k] = j >= c || i < b && isFirst(from[i], from[j]) ?
			from[i++] : from[j++];
		if (k % SORTED_AT_ONCE === 0)
			yield;
	}
}

/* Slices: the values of a typed array in order, ascending unless compared, in
 * place or in a copy; equal ones keep their order. */
function* sortSteps(values, compare)
{
	const many = values.length;
	let from = values;

	for (let a = 0; a < many; a += SORTED_AT_ONCE) {
		values.subarray(a, a + SORTED_AT_ONCE).sort(compare);
		yield;
	}
	for (let width = SORTED_AT_ONCE; width < many; width *= 2) {
		const to = new values.constructor(many);

		for (let a = 0; a < many; a += 2 * width) {
			yield* mergeSteps(from, to, a, Math.min(a + width, many),
				Math.min(a + 2 * width, many), compare);
		}
		from = to;
	}
	return from;
}

/* Ascending values, each once. */
function distinct(sorted)
{
	return finish(distinctSteps(sorted));
}

function* distinctSteps(sorted)
{
	let n = 0;

	for (let k = 0; k < sorted.length; k++) {
		if (n === 0 || sorted[k] !== sorted[n - 1])
			sorted[n++] = sorted[k];
		if (k % SORTED_AT_ONCE === 0)
			yield;
	}
	return sorted.slice(0, n);
}

/* Slices: the curve of intervals. Times: the array that holds its moments. */
function* curveOf(intervals, Times = Float64Array)
{
	const [from, to, weight] = ["from", "to", "weight"].map(
		(key) => intervals[key].view());
	const all = new Float64Array(2 * from.length);

	all.set(from);
	all.set(to, from.length);
	const at = yield* distinctSteps(yield* sortSteps(all));

	yield;
	const value = new Float64Array(at.length);

	for (let i = 0; i < from.length; i++) {
		value[lastAtMost(at, from[i])] += weight[i];
		value[lastAtMost(at, to[i])] -= weight[i];
		if (i % CURVE_STEP === 0)
			yield;
	}
	yield;
	for (let k = 1; k < at.length; k++) {
		value[k] = k + 1 < at.length ?
			Math.max(0, value[k] + value[k - 1]) : 0;
		if (k % SORTED_AT_ONCE === 0)
			yield;
	}
	yield;
	return makeCurve(new Times(at), new Float32Array(value));
}

/* The curve of steps. */
function makeCurve(at, value)
{
	const areas = new Float64Array(Math.ceil(at.length / AREA_STEPS));
	let area = 0;

	for (let k = 0; k < at.length; k++) {
		if (k % AREA_STEPS === 0)
			areas[k / AREA_STEPS] = area;
		area += value[k] * (at[k + 1] - at[k]);
	}
	return {at, value, areas};
}

function valueAt({at, value}, time)
{
	return at.length === 0 || time < at[0] ? 0 :
		value[lastAtMost(at, time)];
}

function areaUntil({at, value, areas}, time)
{
	if (at.length === 0 || time <= at[0])
		return 0;
	const last = lastAtMost(at, time);
	let k = last - last % AREA_STEPS;
	let area = areas[k / AREA_STEPS];

	for (; k < last; k++)
		area += value[k] * (at[k + 1] - at[k]);
	return area + value[last] * (time - at[last]);
}

/* The mean from one moment to a later one. */
function meanBetween(curve, from, to)
{
	return (areaUntil(curve, to) - areaUntil(curve, from)) / (to - from);
}

/* {value, time}: the largest value, and for how long it is that. */
function peakOf({at, value})
{
	const peak = {value: 0, time: 0};

	for (let k = 0; k + 1 < at.length; k++) {
		if (value[k] > peak.value) {
			peak.value = value[k];
			peak.time = 0;
		}
		if (value[k] === peak.value)
			peak.time += at[k + 1] - at[k];
	}
	return peak;
}
