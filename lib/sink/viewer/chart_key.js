/*
 * Which line is whose in the charts of engines: a list for all of them, for a
 * worker looks the same in each. The worker that the pointer or the focus is
 * on stands out. A list for the charts of GPUs says what their colours are.
 */

/* A worker's colour and dashes, then what it is called. */
function workerMark({light, dark, dash}, name)
{
	const mark = element("i", {class: `mark dash-${dash}`,
		"aria-hidden": "true"});

	mark.style.setProperty("--light", light);
	mark.style.setProperty("--dark", dark);
	return [mark, element("bdi", {}, name)];
}

/* Names in the order in which people count. */
function byNumber(a, b)
{
	return a.localeCompare(b, "en", {numeric: true});
}

/* Which line is whose in one chart, where they are few, and that some are
 * stale. */
function lineKeys(chart)
{
	const few = !hasFewLines(chart) ? [] : [...chart.lines]
		.sort((a, b) => byNumber(a.name, b.name))
		.map(({short, colour}) => element("span", {},
			...workerMark(colour, short)));
	const stale = chart.lines.some((line) => line.stale);

	return [...few, ...stale ? [element("span", {title: STALE_HELP},
		element("i", {class: "stale", "aria-hidden": "true"}),
		"stale", element("span", {class: "why"},
			": no request runs"))] : []];
}

/* The workers of charts with several lines: a Map of what draws them, and
 * whether such a chart has no list of its own. */
function keyedWorkers(charts)
{
	const several = charts.filter(({overlaid, lines}) => overlaid &&
		lines.length > 1);
	const workers = new Map(several.flatMap(({lines}) => lines.map(
		({name, colour}) => [plainWorker(name), colour]))
		.sort(([a], [b]) => byNumber(a, b)));

	return {workers, many: several.some((chart) => !hasFewLines(chart))};
}

function standOut(scene, page, worker)
{
	scene.standsOut = worker;
	page.draw();
}

function workerButton(scene, page, [worker, colour], short)
{
	const made = element("button", {type: "button", title: visible(worker)},
		...workerMark(colour, visible(short)));

	for (const [event, shown] of [["pointerenter", worker],
		["focus", worker], ["pointerleave", null], ["blur", null]])
		made.addEventListener(event, () => standOut(scene, page, shown));
	return made;
}

function keyBand(key, title, value, entries)
{
	return element("section", {class: "band key-band", "data-chart": key,
		"aria-label": `colors of the ${title}`},
	element("p", {class: "chart-name"}, element("span", {}, title),
		element("b", {}, value)),
	element("p", {class: "workers"}, ...entries));
}

/* The band of the engines; undefined where no chart has several lines. Lists
 * in the charts do where there is room for them. */
function engineKey(scene, page, charts)
{
	const {workers, many} = keyedWorkers(charts);
	const short = shortNames([...workers.keys()]);

	if (workers.size < 2)
		return undefined;
	const band = keyBand("key", "engines", formatCount(workers.size),
		[...workers].map((one, n) =>
			workerButton(scene, page, one, short[n])));

	band.classList.toggle("few", !many);
	return band;
}

/* That of the GPUs; undefined where all is of one colour. */
function gpuKey(charts)
{
	const {lines = []} = charts.find(({gpu}) =>
		gpu?.collective.some((share) => share > 0)) || {};

	return lines.length === 0 ? undefined : keyBand("gpu-key", "GPUs", "",
		lines.map(({name, colour}) => element("span", {},
			...workerMark({...colour, dash: 0}, name))));
}

/* Put the lists before the charts that they are of. */
function showKeys(scene, page, charts)
{
	for (const [band, isOf] of [
		[engineKey(scene, page, charts), ({overlaid}) => overlaid],
		[gpuKey(charts), ({gpu}) => gpu]]) {
		if (band)
			bandOf(charts.find(isOf)).before(band);
	}
}
