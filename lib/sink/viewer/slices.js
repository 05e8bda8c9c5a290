/*
 * Long work in slices, so that the page stays alive. It is a generator that
 * yields where it can pause, and returns its result.
 */

const SLICE_TIME = 8; /* ms of work between pauses */

/* Run it to its end at once. */
function finish(steps)
{
	let step = steps.next();

	while (!step.done)
		step = steps.next();
	return step.value;
}

/* Let the browser paint and take input. */
function pause()
{
	return new Promise((done) => setTimeout(done));
}

/* Run it in slices; undefined when the signal aborted it. */
async function inSlices(steps, signal)
{
	for (;;) {
		const due = performance.now() + SLICE_TIME;

		do {
			const step = steps.next();

			if (step.done)
				return signal?.aborted ? undefined : step.value;
		} while (performance.now() < due);
		await pause();
		if (signal?.aborted)
			return undefined;
	}
}
