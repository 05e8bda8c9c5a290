/*
 * Attempts of samples that were tried several times.
 */

/* Items of an attempt that a later one of the same row followed: 1. */
function earlierAttempts(model)
{
	const {about, items, rows, strings} = model;
	const earlier = new Uint8Array(items.name.length);

	if (about?.retried === false)
		return earlier;
	const attempts = strings.map(Number);

	for (const {first, items: count} of rows) {
		let last = -Infinity;
		let several = false;

		for (let i = first; i < first + count; i++) {
			several ||= items.attempt[i] !== items.attempt[first];
			last = Math.max(last, attempts[items.attempt[i]]);
		}
		for (let i = first; several && i < first + count; i++)
			earlier[i] = attempts[items.attempt[i]] < last;
	}
	return earlier;
}
