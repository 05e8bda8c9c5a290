/*
 * What the panel counts: the rows shown, within a measured range if there is
 * one, without what the legend hides.
 */

/* {rows, range}: the rows shown that have a time in the measured range. */
function scopeOf({model, order, state: {measured}})
{
	const range = measured || ALWAYS;
	const rows = timedRows(model, order);

	return {range, rows: !measured ? rows : remembered(model, rows,
		`within ${range.start} ${range.end}`, () => rows.filter((r) =>
			overlap(model.rows[r].start, model.rows[r].end,
				range) >= 0))};
}

/* Slices: what header and panel say of the rows shown and of those in the
 * measured range, which is remembered then. */
function* figureSteps({stats, model, order, state: {measured}})
{
	const shown = timedRows(model, order);
	const scopes = [[shown, ALWAYS], ...measured ? [[shown, measured],
		[scopeOf({model, order, state: {measured}}).rows, measured]] :
		[]];

	for (const [rows, range] of scopes) {
		yield* extentSteps(stats, rows, range);
		yield* concurrencySteps(stats, rows, range);
		yield* activitySteps(stats, rows, range);
	}
	yield* repeatedSteps(model);
	yield* tailSteps(stats, shown);
	return true;
}

/* Whether an item has a part in the measured range. */
function inScope({model: {items}, state: {measured}}, i)
{
	return !measured || !items.timeless[i] &&
		overlap(items.start[i], items.end[i], measured) >= 0;
}

/* Whether an activity counts. */
function activityCounts(scene, activity)
{
	return !activityHidden(scene, activity) &&
		!scene.state.hidden.has(-activity);
}
