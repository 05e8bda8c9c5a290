/*
 * What is counted after the first paint, in slices: the statistics of a dump,
 * then the charts and the verdict of the rows shown.
 */

/* Once a dump was opened: what the overview and the panel count. */
async function countStatistics(scene, page, model)
{
	await inSlices(model.waits.blame());
	model.stats ??= await inSlices(statsSteps(model));
	if (model !== scene.model)
		return; /* another dump was opened meanwhile */
	model.beside ??= await openBeside(scene.state.dump, model.shift);
	if (model !== scene.model)
		return;
	await inSlices(figureSteps({...scene, stats: model.stats}));
	if (model !== scene.model)
		return;
	scene.stats = model.stats; /* from here on, frames show them */
	scene.texts.clear(); /* they say more now */
	showFacts(scene);
	forgetLabels(page);
	if (scene.state.box)
		page.apply("order");
	const charts = countCharts(scene, page);

	page.tell("stats");
	page.apply("overview", "rows");
	await charts;
	await page.panelDrawn();
}

/* Whenever other rows are shown, once these are seen; what was under way for
 * those before ends. */
async function countCharts(scene, page)
{
	if (!scene.stats)
		return;
	const signal = beginAnew(page.tasks, "charts");
	const charts = await inSlicesLater(() => chartsOf(scene), signal);

	if (!charts)
		return;
	await inSlices(placeCharts(scene, page, charts), signal, 0);
	if (signal.aborted)
		return;
	await pause();
	const verdict = await inSlices(verdictSteps(scene.stats, timedRows(
		scene.model, scene.order), chartOf(charts, "flight")), signal);

	if (!verdict)
		return;
	showVerdict(scene, page, verdict);
	page.scrolled(); /* the rows may have another height */
}

/* The curve of a chart of one line; undefined where it is not there. */
function chartOf(charts, wanted)
{
	return charts.find(({key}) => key === wanted)?.lines[0].curve;
}

/* Whenever other rows or another range count: header and panel say so once it
 * was counted. */
async function countFigures(scene, page)
{
	const signal = beginAnew(page.tasks, "figures");

	if (scene.stats &&
	    !await inSlicesLater(() => figureSteps(scene), signal))
		return;
	showFacts(scene);
	showTail(scene, page);
	page.tell("rows");
}

/* What the overview shows; what it showed stays until then. */
async function countOverview(scene, page)
{
	const canvas = byId("overview");

	scene.overviewWanted = false;
	const overview = await inSlicesLater(() => overviewOf(scene,
		screenBox(canvas).wide), beginAnew(page.tasks, "overview"));

	if (overview && !scene.overviewWanted) {
		scene.overview = overview;
		paintOverview(scene, canvas);
	}
}
