/*
 * What is counted after the first paint, in slices: the statistics of a dump,
 * then the charts and the verdict of the rows shown.
 */

/* Once a dump was opened: what the overview and the panel count. */
async function countStatistics(scene, page, model)
{
	model.stats ??= await inSlices(statsSteps(model));
	model.beside ??= await openBeside(scene.state.dump, model.shift);
	if (model !== scene.model)
		return; /* another dump was opened meanwhile */
	scene.stats = model.stats;
	if (scene.state.box)
		page.apply("order");
	showFacts(scene);
	forgetLabels(page);
	countCharts(scene, page);
	page.tell("stats");
	page.apply("overview", "rows");
}

/* Whenever other rows are shown; what was under way for those before ends. */
async function countCharts(scene, page)
{
	if (!scene.stats)
		return;
	page.counting?.abort();
	page.counting = new AbortController();
	const charts = await inSlices(chartsOf(scene), page.counting.signal);

	if (!charts)
		return;
	scene.charts = charts;
	showFacts(scene);
	showVerdict(scene, page);
	page.apply("charts");
}

/* What the overview shows; what it showed stays until then. */
async function countOverview(scene, page)
{
	const canvas = byId("overview");
	const width = Math.round(canvas.getBoundingClientRect().width *
		devicePixelRatio);

	scene.overviewWanted = false;
	page.looking?.abort();
	page.looking = new AbortController();
	const overview = width > 0 && await inSlices(overviewOf(scene, width),
		page.looking.signal);

	if (overview && !scene.overviewWanted) {
		scene.overview = overview;
		paintOverview(scene, canvas);
	}
}
