/*
 * Charts of what the GPUs of engines did (--profile): a chart a GPU, of the
 * share of time in which it was busy and ran collectives, and under it the
 * steps of its engine. lib/sink/timeline/beside.c writes what is read here.
 */

const BIN_WHOLE = 1000; /* of a bin that is all busy */
const STEPS_HEIGHT = 6; /* px */
const COLLECTIVE_COLOUR = {light: "#d98200", dark: "#f0a23c"};
const BUSY_COLOUR = {light: "#3f6fb0", dark: "#6f9fe0"};

/* A curve, see curve.js, of shares in bins of one length. */
function curveOfBins(from, to, shares)
{
	const n = shares.length;
	const at = new Float64Array(n + 1);
	const value = new Float64Array(n + 1);

	for (let k = 0; k <= n; k++) {
		at[k] = from + (to - from) * k / n;
		value[k] = k < n ? shares[k] : 0;
	}
	return makeCurve(at, value);
}

/* The steps of a profile: {start, end, name, count}. */
function stepsOf({steps})
{
	let time = 0;

	return steps.map(([gap, length, name, count]) => {
		time += gap;
		return {start: time, end: time + length, name, count};
	});
}

/* "rank 1 · GPU 0", and the file where that says too little. */
function gpuTitle({profile, rank}, {device}, several)
{
	const gpu = `GPU ${device}`;
	const file = profile.split("/").pop().split(".")[0];

	if (rank !== null)
		return `rank ${rank} · ${gpu}`;
	return several ? `${file} · ${gpu}` : gpu;
}

function gpuChart(profile, lane, key, several)
{
	const rest = lane.busy.map((busy, k) =>
		Math.max(0, busy - lane.collective[k]) / BIN_WHOLE);
	const collective = lane.collective.map((share) => share / BIN_WHOLE);
	const title = visible(gpuTitle(profile, lane, several));

	return {
		key, title, peak: 1, gpu: lane,
		help: `${title}: busy, and in collectives, with the engine's ` +
			`steps below; ${visible(profile.profile)}`,
		text: (share) => `${Math.round(share * 100)}%`,
		lines: [
			{name: "compute", colour: BUSY_COLOUR,
				curve: curveOfBins(lane.from, lane.to, rest)},
			{name: "collectives", colour: COLLECTIVE_COLOUR,
				curve: curveOfBins(lane.from, lane.to,
					collective)},
		],
		steps: stepsOf(profile),
	};
}

/* The step at a moment; undefined: none. */
function stepAt(steps, time)
{
	let [low, high] = [0, steps.length];

	while (low < high) {
		const middle = low + high >> 1;

		if (steps[middle].start <= time)
			low = middle + 1;
		else
			high = middle;
	}
	const step = steps[low - 1];

	return step && time < step.end ? step : undefined;
}

function meanShare(bins)
{
	return bins.reduce((sum, share) => sum + share, 0) / bins.length /
		BIN_WHOLE;
}

/* "82 % busy, 12 % collectives · step[DECODE bs=8]" */
function sayGpu({gpu, lines, steps, text}, time)
{
	if (time === undefined) {
		return `mean ${text(meanShare(gpu.busy))} busy` +
			(gpu.collective.some((share) => share > 0) ? `, ${
				text(meanShare(gpu.collective))} coll.` : "");
	}
	if (time < gpu.from || time > gpu.to)
		return "not profiled";
	const [compute, collective] = lines.map(({curve}) =>
		valueAt(curve, time));
	const step = stepAt(steps, time);

	return [`${text(compute + collective)} busy` + (collective > 0 ?
		`, ${text(collective)} coll.` : ""),
	...step ? [visible(step.name) + (step.count > 1 ?
		` × ${formatCount(step.count)}` : "")] : []].join(" · ");
}

/* Each step a block; those that share a pixel one. */
function paintSteps(scene, {steps}, context, width, height)
{
	const {plot} = scene;
	let reached = -Infinity;

	context.fillStyle = scene.ink.faint;
	for (const {start, end} of steps) {
		const left = xAt(plot, start);
		const right = xAt(plot, end);

		if (right < 0 || right - reached < 1)
			continue;
		if (left > width)
			break;
		const from = Math.max(left + 0.5, reached);

		context.fillRect(from, height - STEPS_HEIGHT + 1,
			Math.max(right - from, 0.7), STEPS_HEIGHT - 2);
		reached = right;
	}
}

/* Slices: the charts of the profiles. */
function* gpuCharts({model: {beside}})
{
	const profiles = (beside || []).filter(({profile}) => profile);
	const charts = [];

	for (const [p, profile] of profiles.entries()) {
		profile.charts ??= [];
		for (const [i, lane] of profile.lanes.entries()) {
			profile.charts[i] ??= gpuChart(profile, lane,
				`gpu-${p}-${i}`, profiles.length > 1);
			yield;
		}
		charts.push(...profile.charts);
	}
	return charts;
}
