/*
 * Which line is whose in the charts of engines: a list for all of them, for a
 * worker looks the same in each. The worker that the pointer or the focus is
 * on stands out.
 */

const KEY_BAND = "key";

/* A worker's colour and dashes, then what it is called. */
function workerMark({light, dark, dash}, name)
{
	const mark = element("i", {class: `mark dash-${dash}`,
		"aria-hidden": "true"});

	mark.style.setProperty("--light", light);
	mark.style.setProperty("--dark", dark);
	return [mark, element("bdi", {}, name)];
}

/* Which line is whose in one chart, where they are few. */
function lineKeys(chart)
{
	return !hasFewLines(chart) ? [] : chart.lines.map(({short, colour}) =>
		element("span", {}, ...workerMark(colour, short)));
}

/* The workers of charts with several lines: a Map of what draws them, and
 * whether such a chart has no list of its own. */
function keyedWorkers(charts)
{
	const several = charts.filter(({overlaid, lines}) => overlaid &&
		lines.length > 1);
	const workers = new Map(several.flatMap(({lines}) => lines.map(
		({name, colour}) => [plainWorker(name), colour])));

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

/* The band of the list; undefined where no chart has several lines. Lists in
 * the charts do where there is room for them. */
function keyBand(scene, page, charts)
{
	const {workers, many} = keyedWorkers(charts);
	const short = shortNames([...workers.keys()]);

	return workers.size < 2 ? undefined : element("section", {
		class: many ? "band key-band" : "band key-band few",
		"data-chart": KEY_BAND, "aria-label": "colors of the engines",
	}, element("p", {class: "chart-name"}, element("span", {}, "engines"),
		element("b", {}, formatCount(workers.size))),
	element("p", {class: "workers"}, ...[...workers].map((one, n) =>
		workerButton(scene, page, one, short[n]))));
}
