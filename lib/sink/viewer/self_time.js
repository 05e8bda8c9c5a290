/*
 * Who owns each moment of a row: the span on the deepest lane under way; among
 * those of one lane the one that started last, then the one that ends last.
 * Items are sorted so (lib/rollout/span.h), hence: the last item under way. What
 * no span owns is idle.
 */

/* A span that counts: not a virtual lane, and with a time. */
function counts(items, i)
{
	return items.state[i] <= OPEN && items.role[i] === 0 &&
		!items.timeless[i];
}

/* The largest numbers first; a binary heap without objects. */
class Heap {
	constructor()
	{
		this.values = [];
	}

	get top()
	{
		return this.values.length ? this.values[0] : -1;
	}

	push(value)
	{
		const {values} = this;
		let at = values.length;

		values.push(value);
		while (at > 0) {
			const above = at - 1 >> 1;

			if (values[above] >= value)
				break;
			values[at] = values[above];
			at = above;
		}
		values[at] = value;
	}

	pop()
	{
		const {values} = this;
		const value = values.pop();
		const size = values.length;
		let at = 0;

		if (size === 0)
			return;
		for (;;) {
			let below = 2 * at + 1;

			if (below + 1 < size &&
			    values[below + 1] > values[below])
				below++;
			if (below >= size || values[below] <= value)
				break;
			values[at] = values[below];
			at = below;
		}
		values[at] = value;
	}
}

/* The row's spans that last and are wanted, in order of start. */
function lastingSpans(items, row, wanted)
{
	const spans = [];

	for (let i = row.first; i < row.first + row.items; i++) {
		if (wanted(i) && items.end[i] > items.start[i])
			spans.push(i);
	}
	return spans.sort((a, b) => items.start[a] - items.start[b]);
}

/* Call own(item, from) at each moment of the row at which its owner changes;
 * item is -1 for none. wanted(i) says whether a span has a part in it. */
function sweepRow(items, row, own, wanted = (i) => counts(items, i))
{
	const spans = lastingSpans(items, row, wanted);
	const running = new Heap();
	let now = row.start;
	let last = -2;

	for (let k = 0; now < row.end;) {
		while (k < spans.length && items.start[spans[k]] <= now)
			running.push(spans[k++]);
		while (running.top >= 0 && items.end[running.top] <= now)
			running.pop();
		if (running.top !== last)
			own(last = running.top, now);
		now = Math.min(last < 0 ? row.end : items.end[last],
			k < spans.length ? items.start[spans[k]] : row.end);
	}
}

/*
 * Who owns each moment of each row: interval k belongs to item[k], from at[k]
 * to at[k + 1]. The intervals of row r are those from first[r] and before
 * first[r + 1] - 1; the one left out only says where the row ends.
 */
function findSelfTimes(model)
{
	return finish(selfTimeSteps(model));
}

const SELF_TIME_ROWS = 128; /* between pauses */

function* selfTimeSteps(model)
{
	const {items, rows} = model;
	const most = 2 * (items.name.length + rows.length);
	const first = new Uint32Array(rows.length + 1);
	const at = new items.Times(most);
	const item = new Int32Array(most);
	let n = 0;
	const own = (owner, from) => {
		item[n] = owner;
		at[n++] = from;
	};

	for (let r = 0; r < rows.length; r++) {
		first[r] = n;
		if (rows[r].start <= rows[r].end)
			sweepRow(items, rows[r], own);
		own(-1, rows[r].end);
		if (r % SELF_TIME_ROWS === 0)
			yield;
	}
	first[rows.length] = n;
	return {first, at: at.slice(0, n), item: item.slice(0, n)};
}

/* Call see(item, from, to) for the intervals of row r within the range. */
function eachInterval(selfTimes, r, range, see)
{
	const {first, at, item} = selfTimes;
	const end = first[r + 1] - 1;

	for (let k = first[r]; k < end; k++) {
		const from = Math.max(at[k], range.start);
		const to = Math.min(at[k + 1], range.end);

		if (from < to)
			see(item[k], from, to);
	}
}
