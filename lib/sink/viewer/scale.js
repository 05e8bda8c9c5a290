/*
 * From a time to its place and back: one scale for all that has a time axis,
 * so that a time has the same x in axis, overview, charts and rows.
 */

/* The scale of a window, {start, end} in µs, over so many px. */
function makeScale({start, end}, width)
{
	return {start, end, width, scale: width / (end - start)};
}

/* px from the left edge of the plot */
function xAt({start, scale}, time)
{
	return (time - start) * scale;
}

/* µs */
function timeAtX({start, scale}, x)
{
	return start + x / scale;
}

/* Every part of the plot has the width of its rows (.timed in viewer.css); a
 * page that has none yet draws on one pixel. */
function plotWidth()
{
	return Math.max(byId("ground").getBoundingClientRect().width, 1);
}

/* What the axis, the charts and the rows show: the window. */
function plotScale(scene)
{
	return makeScale(scene.window, plotWidth());
}

/* What the overview shows: all of the time. */
function wholeScale(scene)
{
	return makeScale(scene.whole, plotWidth());
}
