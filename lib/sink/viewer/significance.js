/*
 * Whether a change is more than noise, as obs-perfsum --compare says it: the
 * percentile bootstrap of lib/base/bootstrap.c with the same generator and seed,
 * and the verdicts of lib/rollout/compare.c. The same values give the same
 * interval in both.
 */

const RESAMPLES = 1000;
const LEAST_VALUES = 5; /* a side; fewer tell nothing of noise */
const [LOW_PERCENT, HIGH_PERCENT] = [2.5, 97.5];
const VERDICTS = ["worse", "better", "changed", "noise", "same", "gone", "new"];
const STATISTICS = ["mean", "median", "max", "min", "p95"];
const TWO_32 = 2 ** 32;

/* The upper 32 bits of a product of two numbers of 32 bits. */
function upperHalf(a, b)
{
	const a1 = a >>> 16;
	const b1 = b >>> 16;
	const a0 = a & 0xffff;
	const b0 = b & 0xffff;
	const t = a1 * b0 + (a0 * b0 >>> 16);
	const w = a0 * b1 + (t & 0xffff);

	return a1 * b1 + (t >>> 16) + (w >>> 16) | 0;
}

/*
 * How often each of n values is drawn, by the words of SplitMix64, two draws a
 * word: state is {high, low}. Integers of 32 bits in local variables: this is
 * the innermost loop.
 */
function drawTimes(times, state)
{
	const n = times.length;
	let {high, low} = state;

	times.fill(0);
	for (let i = 0; i < n; i += 2) {
		const sum = low + 0x7f4a7c15;

		low = sum >>> 0;
		high = high + 0x9e3779b9 + (sum > low ? 1 : 0) >>> 0;
		let a = low ^ (low >>> 30 | high << 2);
		let b = high ^ high >>> 30;

		b = upperHalf(a, 0x1ce4e5b9) + Math.imul(b, 0x1ce4e5b9) +
			Math.imul(a, 0xbf58476d) | 0;
		a = Math.imul(a, 0x1ce4e5b9);
		a ^= a >>> 27 | b << 5;
		b ^= b >>> 27;
		b = upperHalf(a, 0x133111eb) + Math.imul(b, 0x133111eb) +
			Math.imul(a, 0x94d049bb) | 0;
		a = Math.imul(a, 0x133111eb);
		a ^= a >>> 31 | b << 1;
		b ^= b >>> 31;
		if (i + 1 < n)
			times[Math.floor((a >>> 0) * n / TWO_32)]++;
		times[Math.floor((b >>> 0) * n / TWO_32)]++;
	}
	state.high = high;
	state.low = low;
}

function drawnMean(sorted, times)
{
	let sum = 0;

	for (let i = 0; i < sorted.length; i++)
		sum += times[i] * sorted[i];
	return sum / sorted.length;
}

function drawnPercentile(sorted, times, percent)
{
	const place = percent / 100 * (sorted.length - 1);
	const below = Math.floor(place);
	let seen = 0;
	let i = 0;

	while (seen + times[i] <= below)
		seen += times[i++];
	const low = sorted[i];

	if (place === below || seen + times[i] > below + 1)
		return low;
	do
		i++;
	while (times[i] === 0);
	return low + (place - below) * (sorted[i] - low);
}

/* The percentile that a statistic is; undefined: the mean, or none. */
function percentOf(statistic)
{
	return statistic === "median" ? 50 : /^p\d/.test(statistic) ?
		Number(statistic.slice(1)) : undefined;
}

function drawnStatistic(sorted, times, statistic)
{
	return statistic === "mean" ? drawnMean(sorted, times) :
		drawnPercentile(sorted, times, percentOf(statistic));
}

/* As numpy: from the nearer end. */
function exactPercentile(sorted, percent)
{
	const place = percent / 100 * (sorted.length - 1);
	const below = Math.floor(place);
	const part = place - below;

	if (below + 1 >= sorted.length)
		return sorted[sorted.length - 1];
	const step = sorted[below + 1] - sorted[below];

	return part < 0.5 ? sorted[below] + part * step :
		sorted[below + 1] - (1 - part) * step;
}

/* Slices: the interval of `to` less `from`, both ascending, or of the relative
 * change, of each of the statistics: [[low, high], ...]. */
function* bootstrapSteps(from, to, statistics, relative)
{
	const state = {high: 0, low: 0};
	const [a, b] = [from, to].map(({length}) => new Uint32Array(length));
	const differences = statistics.map(() => new Float64Array(RESAMPLES));

	for (let r = 0; r < RESAMPLES; r++) {
		drawTimes(a, state);
		drawTimes(b, state);
		statistics.forEach((statistic, k) => {
			const was = drawnStatistic(from, a, statistic);
			const is = drawnStatistic(to, b, statistic);

			differences[k][r] = relative ? is / was - 1 : is - was;
		});
		yield;
	}
	return differences.map((one) => [LOW_PERCENT, HIGH_PERCENT].map(
		(percent) => exactPercentile(one.sort(), percent)));
}

/* (to - from) / |from|; infinite from 0. */
function relativeChange(from, to)
{
	return from === to ? 0 : (to - from) / Math.abs(from);
}

/* What a change is: {from, to, relative, low, high}, NaN: not there; good: 1
 * where more is better, -1 where less, else 0. */
function judgeChange({from, to, relative, low, high}, good)
{
	if (Number.isNaN(to))
		return "gone";
	if (Number.isNaN(from))
		return "new";
	if (relative === 0)
		return "same";
	if (low <= 0 && high >= 0)
		return "noise";
	return good === 0 ? "changed" :
		relative > 0 === good > 0 ? "better" : "worse";
}

/* A statistic of ascending values; their mean is known already. */
function statisticOf({sorted, mean}, statistic)
{
	if (statistic === "mean")
		return mean;
	return exactPercentile(sorted, {max: 100, min: 0}[statistic] ??
		percentOf(statistic));
}

/*
 * Slices: how the statistics of a metric changed: [{metric, statistic, from,
 * to, relative, low, high, verdict, extreme}, ...]. metric: [key, attribute,
 * unit, good]; from and to: {sorted, mean}, undefined: no values.
 */
function* metricSteps(metric, from, to)
{
	const kept = STATISTICS.map((statistic) => {
		const [a, b] = [from, to].map((side) => side ?
			statisticOf(side, statistic) : NaN);

		return {metric, statistic, from: a, to: b,
			relative: relativeChange(a, b), low: NaN, high: NaN,
			extreme: statistic === "max" || statistic === "min"};
	}).filter((one) => Number.isFinite(one.from) || Number.isFinite(one.to));
	const judged = kept.filter(({extreme}) => !extreme);

	if (from?.sorted.length >= LEAST_VALUES &&
	    to?.sorted.length >= LEAST_VALUES) {
		/* Values that are not negative cannot decrease by more than
		 * all. */
		const positive = to.sorted[0] >= 0;
		const relative = positive && from.sorted[0] > 0;
		const least = positive && from.sorted[0] >= 0 ? -1 : -Infinity;
		const intervals = yield* bootstrapSteps(from.sorted, to.sorted,
			judged.map(({statistic}) => statistic), relative);


		intervals.forEach(([low, high], k) => {
			const unit = relative ? 1 : Math.abs(judged[k].from);

			judged[k].low = Math.max(least, low / unit);
			judged[k].high = high / unit;
		});
	}
	for (const one of kept) {
		one.verdict = judgeChange(one, one.extreme ? 0 : metric[3]);
	}
	return kept;
}

/* The weightiest first: worse before better, what one value decides last. */
function byWeight(a, b)
{
	const tier = ({verdict, extreme}) => VERDICTS.indexOf(verdict) +
		(extreme ? VERDICTS.length : 0);
	const size = ({relative}) => Number.isNaN(relative) ? 0 :
		Math.abs(relative);
	const key = ({metric, statistic}) => `${metric[0]}/${statistic}`;

	if (tier(a) !== tier(b))
		return tier(a) - tier(b);
	if (size(a) !== size(b))
		return size(a) < size(b) ? 1 : -1;
	return key(a) < key(b) ? -1 : 1;
}
