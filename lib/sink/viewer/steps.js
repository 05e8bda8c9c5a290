/*
 * A strip of the page's dumps above all else: of each its wall time as a bar,
 * the share of it that finishing the last 5% of samples took, and the first
 * words of its verdict, over all of its samples. A click shows it. They are
 * counted one by one, after the dump shown.
 */

/* A dump of more spans is not opened for the strip alone. */
const STRIP_ITEMS = 250000;

/* Slices: what a dump took: {wall, tail, verdict, why}. */
function* figuresSteps(stats)
{
	const rows = timedRows(stats.model);
	const {wall, lines} = yield* verdictSteps(stats, rows);
	const [first = [], second = []] = lines;

	return {wall, tail: tailOf(stats, rows)?.share ?? null,
		verdict: first[0]?.text || "no samples",
		why: [...first, ...second].map(({text}) => text).join(" · ")};
}

/* What a dump is called: by its rollout, unless others are of the same. */
function stepName({name, rollout}, abouts)
{
	return isKnown(rollout) && abouts.filter((one) =>
		formatValue(one.rollout) === formatValue(rollout)).length === 1 ?
		`rollout ${formatValue(rollout)}` : visible(name);
}

function stepWords(about, figures, abouts)
{
	const wall = formatDuration(figures.wall);

	return {step: stepName(about, abouts), wall,
		times: figures.tail > 0 ?
			`${wall} · last 5%: ${formatShare(figures.tail)}` : wall,
		verdict: figures.verdict};
}

/* A button of the strip; `most`: the longest wall time of all the abouts. */
function stepButton(about, figures, {abouts, most, current, click})
{
	const words = stepWords(about, figures, abouts);
	const bar = element("i", {"aria-hidden": "true"});

	bar.style.height = `${Math.max(figures.wall / most * 100, 2) || 2}%`;
	return element("button", {
		type: "button", class: "step", click,
		"aria-current": current ? "step" : "false",
		title: `${dumpName(about)}: ${words.wall}` +
			(figures.why ? `: ${figures.why}` : "") + ", all samples",
	}, element("span", {class: "bar"}, bar), element("span", {},
		element("b", {}, words.step), ` ${words.times}`,
		element("br"), element("span", {class: "faint"}, words.verdict)));
}

/* The statistics of a dump, opened for the strip unless it is the one shown. */
async function stepStats(scene, n)
{
	const shown = () => n === scene.state.dump && scene.model;
	const model = shown() || await openModel(n);

	model.stats ??= await inSlices(statsSteps(model));
	return model.stats;
}

/* The strip in root: {update}, once the dump shown is another. */
function makeSteps(root, abouts, scene, page)
{
	const figures = abouts.map(({start, end}) => ({wall: end - start,
		tail: null, verdict: "…", why: ""}));
	const counted = new Set();

	function draw()
	{
		const most = Math.max(...figures.map(({wall}) => wall)) || 1;
		const focused = [...root.children].indexOf(document.activeElement);

		root.replaceChildren(...abouts.map((about, n) => stepButton(about,
			figures[n], {abouts, most,
				current: n === scene.state.dump,
				click: () => page.selectDump(n)})));
		root.children[focused]?.focus();
	}

	async function count(n)
	{
		counted.add(n);
		figures[n] = await inSlices(
			figuresSteps(await stepStats(scene, n)));
		draw();
	}

	async function countAll()
	{
		await count(scene.state.dump);
		for (const [n, {items}] of abouts.entries()) {
			if (!counted.has(n) && items <= STRIP_ITEMS)
				await count(n);
			else if (!counted.has(n))
				figures[n].verdict = "counted once shown";
		}
		draw();
		root.setAttribute("aria-busy", "false");
	}

	root.setAttribute("aria-busy", "true");
	draw();
	afterFrame(countAll);
	return {
		update() {
			draw();
			if (!counted.has(scene.state.dump))
				count(scene.state.dump);
		},
	};
}
