/*
 * When samples worked, and how many at once.
 */

/* When a row worked within the range: [[from, to], ...]. Where it never did,
 * its own end stands for it. */
function runsWithin({phases, end}, range)
{
	const runs = [];

	for (const phase of phases) {
		if (!phase.working)
			continue;
		if (runs.at(-1)?.[1] === phase.from)
			runs.at(-1)[1] = phase.to;
		else
			runs.push([phase.from, phase.to]);
	}
	if (runs.length === 0)
		runs.push([end, end]);
	return runs.filter(([from, to]) => overlap(from, to, range) >= 0)
		.map(([from, to]) => [Math.max(from, range.start),
			Math.min(to, range.end)]);
}

/* {peak, tail}: how many rows work at once at most, and for how long fewer
 * than a tenth of them do, between the first start and the last end. */
function concurrency(stats, rows, range = ALWAYS)
{
	return finish(concurrencySteps(stats, rows, range));
}

function concurrencySteps(stats, rows, range)
{
	return rememberedSteps(stats, rows, "concurrency", range,
		() => findConcurrency(stats, rows, range));
}

/* Slices: when the runs of rows within the range begin and end, sorted each,
 * and how many rows there are. */
function* runSteps({model, waits}, rows, range)
{
	const [from, to] = [new NumberList(), new NumberList()];
	let inside = 0;

	for (let k = 0; k < rows.length; k++) {
		const {start, end} = model.rows[rows[k]];

		if (k % SUM_ROWS === 0)
			yield;
		if (overlap(start, end, range) < 0)
			continue;
		inside++;
		for (const run of runsWithin(waits.rows[rows[k]], range)) {
			from.push(run[0]);
			to.push(run[1]);
		}
	}
	return {inside, starts: yield* sortSteps(from.view()),
		ends: yield* sortSteps(to.view())};
}

/* How many of the sorted moments are one and the same, at most. */
function mostAtOnce(moments)
{
	let most = 0;

	for (let i = 0, first = 0; i < moments.length; i++) {
		if (moments[i] > moments[first])
			first = i;
		most = Math.max(most, i - first + 1);
	}
	return most;
}

/* Where no run takes any time, those of one moment run side by side in it. */
function* findConcurrency(stats, rows, range)
{
	const {inside, starts, ends} = yield* runSteps(stats, rows, range);
	const found = {peak: 0, tail: 0};
	let now = starts[0];

	for (let s = 0, e = 0; e < ends.length;) {
		while (starts[s] <= now)
			s++;
		while (ends[e] <= now)
			e++;
		const next = Math.min(starts[s] ?? Infinity,
			ends[e] ?? Infinity);

		found.peak = Math.max(found.peak, s - e);
		if (10 * (s - e) < inside && next < Infinity)
			found.tail += next - now;
		now = next;
	}
	found.peak ||= mostAtOnce(starts);
	return found;
}
