/*
 * What the panel counts: the rows shown, within a measured range if there is
 * one, without what the legend hides.
 */

/* {rows, range}: the rows shown that have a time in the measured range. */
function scopeOf({model, order, state: {measured}})
{
	const range = measured || ALWAYS;

	return {range, rows: timedRows(model, order).filter((r) => overlap(
		model.rows[r].start, model.rows[r].end, range) >= 0)};
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
