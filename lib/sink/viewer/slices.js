/*
 * Long work in slices, so that the page stays alive. It is a generator that
 * yields where it can pause, and returns its result.
 */

const SLICE_TIME = 8; /* ms of work between pauses */
const FIRST_SLICE_TIME = 40; /* while nothing is drawn */

/* Run it to its end at once. */
function finish(steps)
{
	let step = steps.next();

	while (!step.done)
		step = steps.next();
	return step.value;
}

/* Let the browser paint and take input. Timers wait 4 ms at least, messages do
 * not; without those, a timer. */
function pause()
{
	return new Promise((done) => {
		if (typeof MessageChannel === "undefined") {
			setTimeout(done);
			return;
		}
		const {port1, port2} = new MessageChannel();

		port1.onmessage = () => {
			port1.close();
			done();
		};
		port2.postMessage(0);
	});
}

/* Run it in slices; undefined when the signal aborted it. */
async function inSlices(steps, signal, time = SLICE_TIME)
{
	for (;;) {
		const due = performance.now() + time;

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

/* The signal of a task that begins anew, which ends what it did until now.
 * tasks: AbortControllers by name. */
function beginAnew(tasks, name)
{
	tasks[name]?.abort();
	tasks[name] = new AbortController();
	return tasks[name].signal;
}

/* Once what was asked for is on the screen. */
function afterFrame(action)
{
	requestAnimationFrame(() => setTimeout(action));
}

/* In slices, from steps that make() gives once what was asked for is on the
 * screen. */
async function inSlicesLater(make, signal)
{
	await new Promise(afterFrame);
	return signal.aborted ? undefined : inSlices(make(), signal);
}
