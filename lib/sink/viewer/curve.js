/*
 * Intervals of time added up to a step function, {at, value, area}: from at[k]
 * to at[k + 1] it has value[k]; area[k] is what lies below it before at[k].
 * Outside of the first and the last step it is 0. Times are microseconds.
 */

const CURVE_STEP = 4096; /* intervals between pauses */

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

/* Ascending values, each once. */
function distinct(sorted)
{
	let n = 0;

	for (const value of sorted) {
		if (n === 0 || value !== sorted[n - 1])
			sorted[n++] = value;
	}
	return sorted.slice(0, n);
}

/* Slices: the curve of intervals. */
function* curveOf(intervals)
{
	const [from, to, weight] = ["from", "to", "weight"].map(
		(key) => intervals[key].view());
	const all = new Float64Array(2 * from.length);

	all.set(from);
	all.set(to, from.length);
	yield;
	all.sort();
	yield;
	const at = distinct(all);
	const value = new Float64Array(at.length);
	const area = new Float64Array(at.length);

	for (let i = 0; i < from.length; i++) {
		value[lastAtMost(at, from[i])] += weight[i];
		value[lastAtMost(at, to[i])] -= weight[i];
		if (i % CURVE_STEP === 0)
			yield;
	}
	for (let k = 1; k < at.length; k++) {
		area[k] = area[k - 1] + value[k - 1] * (at[k] - at[k - 1]);
		value[k] = k + 1 < at.length ?
			Math.max(0, value[k] + value[k - 1]) : 0;
	}
	return {at, value, area};
}

function valueAt({at, value}, time)
{
	return at.length === 0 || time < at[0] ? 0 :
		value[lastAtMost(at, time)];
}

function areaUntil({at, value, area}, time)
{
	if (at.length === 0 || time <= at[0])
		return 0;
	const k = lastAtMost(at, time);

	return area[k] + value[k] * (time - at[k]);
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
