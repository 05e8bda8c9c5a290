/*
 * Packing spans onto lanes as an engine packs requests onto its slots: each
 * goes to the first lane that is free when it starts. So no two of a lane
 * overlap, and there are as many lanes as spans run at once at most.
 */

const PACK_PIECE = 8192;

/*
 * Slices: the lanes of spans, whose start and end are columns by their numbers:
 * an array of ascending lists. A span that takes no time is on a lane where it
 * finds one free, as others are.
 */
function* packSteps({start, end: last}, numbers)
{
	const end = (i) => Math.max(start[i], last[i]);
	const byStart = yield* sortSteps(Uint32Array.from(numbers), (a, b) =>
		start[a] - start[b] || end(a) - end(b) || a - b);
	const count = byStart.length;
	/* Places in byStart, so that of equal ends the first begun is first. */
	const byEnd = yield* sortSteps(byStart.map((_, k) => k), (a, b) =>
		end(byStart[a]) - end(byStart[b]) || a - b);
	const laneOf = new Uint32Array(count);
	const lanes = [];
	const free = new Heap(); /* of lanes with a minus sign */

	for (let k = 0, ended = 0; k < count; k++) {
		while (byEnd[ended] < k &&
		       end(byStart[byEnd[ended]]) <= start[byStart[k]])
			free.push(-laneOf[byEnd[ended++]] - 1);
		if (free.values.length > 0) {
			laneOf[k] = -free.values[0] - 1;
			free.pop();
		} else {
			laneOf[k] = lanes.length;
			lanes.push(new NumberList());
		}
		lanes[laneOf[k]].push(byStart[k]);
		if (k % PACK_PIECE === 0)
			yield;
	}
	return lanes.map((lane) => Uint32Array.from(lane.view()));
}
