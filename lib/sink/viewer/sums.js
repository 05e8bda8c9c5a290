/*
 * What each row did for how long, counted once: sums over rows are then sums
 * of numbers, however many spans there are.
 */

const SUM_ROWS = 128; /* between pauses */

/* Slices: {all, work}: µs by row and activity, of all of its time and of its
 * own work. */
function* sumRows(stats)
{
	const {rows} = stats.model;
	const many = ACTIVITY_NAMES.length;
	const {Times} = stats.model.items;
	const all = new Times(rows.length * many);
	const work = new Times(rows.length * many);

	for (let r = 0; r < rows.length; r++) {
		eachActivity(stats, r, ALWAYS, (activity, from, to, works) => {
			all[r * many + activity] += to - from;
			if (works)
				work[r * many + activity] += to - from;
		});
		if (r % SUM_ROWS === 0)
			yield;
	}
	return {all, work};
}

/* Those of one row, by activity. */
function sumsOfRow(sums, r)
{
	const many = ACTIVITY_NAMES.length;

	return sums.subarray(r * many, (r + 1) * many);
}

function addSums(sums, rows)
{
	const many = ACTIVITY_NAMES.length;
	const times = new Float64Array(many);

	for (const r of rows) {
		for (let a = 0; a < many; a++)
			times[a] += sums[r * many + a];
	}
	return times;
}

/* The statistics of a model, made once: at once where nobody made them in
 * slices before. */
function statsOf(model)
{
	model.stats ??= finish(statsSteps(model));
	return model.stats;
}

/* Of an order of rows, the same rows ascending: figures do not depend on the
 * order. */
const sameRows = new WeakMap();

function figuresOf(holder, rows)
{
	const key = sameRows.get(rows) ?? rows;

	holder.known ??= new WeakMap();
	if (!holder.known.has(key))
		holder.known.set(key, {});
	return holder.known.get(key);
}

/* What was found of the same rows before, by the name of the figure; else it
 * is made. holder: what forgets it all when it goes. */
function remembered(holder, rows, figure, make)
{
	const found = figuresOf(holder, rows);

	found[figure] ??= make();
	return found[figure];
}

/* Slices: the same within a range, where making it takes slices. */
function* rememberedSteps(holder, rows, figure, {start, end}, steps)
{
	const found = figuresOf(holder, rows);
	const key = `${figure} ${start} ${end}`;

	found[key] ??= yield* steps();
	return found[key];
}
