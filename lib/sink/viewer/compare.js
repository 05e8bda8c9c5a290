"use strict";

/*
 * Several dumps in one page: which is shown, and two of them next to each
 * other: their sums and curves, the metrics of obs-perfsum --compare, their
 * samples and span names. The filter and the measured range count for both.
 */

/* Statistics by the text of a name over all rows of a model. */
function statisticsByName(model)
{
	return namesByText(model, nameStatistics(prepareStats(model),
		timedRows(model)));
}

function namesByText({strings}, said)
{
	return new Map(said.map((one) => [strings[one.name], one]));
}

/*
 * The names of two such maps: {name, before, after, change}, the largest
 * change of total time first. before or after is undefined where there is no
 * such span; then all of the other's time is the change.
 */
function compareNames(before, after)
{
	const total = (said) => said ? said.total : 0;
	const names = new Set([...before.keys(), ...after.keys()]);

	return [...names].map((name) => ({
		name,
		before: before.get(name),
		after: after.get(name),
		change: total(after.get(name)) - total(before.get(name)),
	})).sort((a, b) => Math.abs(b.change) - Math.abs(a.change) ||
		(a.name < b.name ? -1 : 1));
}

/* " (+15%)", of what grew to more than ten times " (×12)"; "" where there was
 * nothing. */
function changeShare(before, change)
{
	const share = Math.abs(change) / before;

	if (!(before > 0) || change === 0)
		return "";
	return share > 9 ? ` (×${formatCount(Math.round(1 + share))})` :
		` (${change > 0 ? "+" : "−"}${Math.round(share * 100)}%)`;
}

/* "+1.20 s (+15%)" */
function formatChange({before, change})
{
	if (change === 0)
		return "same";
	return signed(change, formatDuration) +
		changeShare(before?.total, change);
}

const COMPARED = [
	["count", ({count}) => formatCount(count)],
	["total", ({total}) => formatDuration(total)],
	["p50", ({p50}) => formatDuration(p50)],
	["p95", ({p95}) => formatDuration(p95)],
];

function comparedCells({before, after})
{
	return COMPARED.flatMap(([, text]) => [before, after].map((said) =>
		element("td", {}, said ? text(said) : "–")));
}

function comparisonTable(before, after, rows)
{
	const heads = COMPARED.map(([title]) =>
		element("th", {scope: "colgroup", colspan: 2}, title));
	const sides = COMPARED.flatMap(([title]) => [
		element("th", {scope: "col", "aria-label":
			`${title} of ${before}`}, "A"),
		element("th", {scope: "col", "aria-label":
			`${title} of ${after}`}, "B")]);

	return element("table", {},
		element("caption", {}, `A: ${before}, B: ${after}`),
		element("thead", {},
			element("tr", {},
				element("th", {scope: "col", rowspan: 2}, "span"),
				element("th", {scope: "col", rowspan: 2},
					"change of total"), ...heads),
			element("tr", {}, ...sides)),
		element("tbody", {}, ...rows.map((row) => element("tr", {},
			element("th", {scope: "row"}, visible(row.name)),
			element("td", {}, formatChange(row)),
			...comparedCells(row)))));
}

function dumpChoice(id, label, names, chosen, choose)
{
	const made = element("select", {id, "aria-label": label},
		...names.map((name, n) => element("option", {value: n}, name)));

	made.value = chosen;
	made.addEventListener("change", () => choose(Number(made.value)));
	return made;
}

/* A signed share: "+12.3%"; a dash where there is none. */
function signedShare(share)
{
	return !Number.isFinite(share) ? "–" : (share < 0 ? "−" : "+") +
		formatShare(Math.abs(share));
}

function changeValue(value, unit)
{
	return Number.isNaN(value) ? "–" : unit === "s" ?
		formatDuration(value * 1e6) : formatValue(value);
}

/* The metrics of requests by weight; what counts as noise is said. */
function changesTable(changes)
{
	const heads = ["metric", "A", "B", "change", "95% interval", "verdict"];

	return element("table", {class: "changes"},
		element("thead", {}, element("tr", {}, ...heads.map((title) =>
			element("th", {scope: "col"}, title)))),
		element("tbody", {}, ...changes.map((one) => {
			const [key, , unit] = one.metric;
			const {statistic, from, to, low, high, verdict} = one;
			const cells = [changeValue(from, unit),
				changeValue(to, unit), verdict === "same" ? "same" :
					signedShare(one.relative),
				Number.isFinite(low) ? `${signedShare(low)} to ${
					signedShare(high)}` : "–"];

			return element("tr", {class: verdict},
				element("th", {scope: "row"}, [key,
					...statistic ? [statistic] : []].join("/") +
					(unit && unit !== "s" ? ` (${unit})` : "")),
				...cells.map((text) => element("td", {}, text)),
				element("td", {class: "words"}, verdict));
		})));
}

/* What the filter leaves of a dump, and its statistics; undefined once the
 * signal has ended it. */
async function openSide({scene, signal, models}, n)
{
	const {filter, dump} = scene.state;

	if (!models.has(n))
		models.set(n, n === dump ? scene.model : await openModel(n));
	const model = models.get(n);

	model.stats ??= (n === dump && scene.stats) ||
		await inSlices(statsSteps(model), signal);
	const wanted = await inSlices(filterSteps(filter, model), signal);

	if (wanted?.needsAttrs)
		await wanted.prepare(await openAttrs(n, model), signal);
	const shown = await inSlices(matchingSteps(model, wanted), signal);

	return shown && {model, stats: model.stats, dump: n, shown,
		rows: timedRows(model, shown)};
}

/* Slices: the rows that a filter leaves. */
function* matchingSteps(model, wanted)
{
	const {rows} = model;
	const shown = new Uint32Array(rows.length);
	let n = 0;

	for (let r = 0; r < rows.length; r++) {
		if (wanted?.test(rows[r], r))
			shown[n++] = r;
		if (r % SUM_ROWS === 0)
			yield;
	}
	return n === rows.length ? allRows(model) : shown.slice(0, n);
}

/* The command that prints the same of all samples. */
function compareCommand(sides)
{
	return ["obs-perfsum --compare --percentiles 95", ...sides.map(
		({model}) => shellWord(model.about.path))].join(" ");
}

function section(title, ...content)
{
	const heading = element("h2", {}, title);

	return element("section", {"aria-label": title}, heading, ...content);
}

/* What of the two counts: of the filter, of the range. */
function scopeWords(sides, {filter, measured})
{
	const rows = sides.map(({rows: {length}, model}, k) =>
		`${formatCount(length)} of ${plural(model.rows.length, "sample")} ` +
		`of ${"AB"[k]}`).join(", ");

	return rows + (filter ? ` match ${visible(filter)}` : "") +
		(measured ? `; totals and span names are of ${
			formatRange(measured)} of each` : "");
}

/* Sections, each counted in slices and put in its place when it is there. */
const COMPARISONS = [
	async ({sides, signal}) => {
		const figures = await inSlices(overlaidSteps(sides), signal);

		return figures && section("Distributions: A solid, B dashed",
			element("div", {class: "overlaid"},
				...figures.map(overlaidFigure)));
	},
	({sides}) => section("Totals", sumsTable(sides)),
	async ({sides, signal, go}) => {
		const found = await inSlices(pairSteps(...sides), signal);

		return found && section("Samples", element("p", {}, sayPairs(found)),
			...found.changes.length ? [element("div", {class: "scrolls"},
				pairTable(...sides, found, go))] : []);
	},
	async ({sides, names, range, signal}) => {
		const said = [];

		for (const {model, stats, rows} of sides) {
			const found = await inSlices(nameSteps(stats, rows,
				range), signal);

			if (signal.aborted)
				return undefined;
			said.push(namesByText(model, found));
		}
		return section("Span names", element("div", {class: "scrolls"},
			comparisonTable(...names, compareNames(...said))));
	},
	async ({sides, state, signal}) => {
		const place = element("div", {class: "scrolls"});
		const working = element("p", {class: "notice", role: "status"},
			"counting…");
		const requests = [];

		for (const {model, dump, shown} of sides) {
			const bytes = await openAttrs(dump, model);

			requests.push(await inSlices(requestSteps(model, bytes,
				shown), signal));
			if (signal.aborted)
				return undefined;
		}
		inSlices(changesSteps(sides[0].model.about.perf, ...requests,
			(changes, last) => {
				place.replaceChildren(changesTable(changes));
				working.hidden = last;
			}), signal);
		return section("Requests", element("p", {},
			"A change whose interval contains 0 is noise. " +
			(state.filter ? "Of all samples" : "The same") + ": ",
			element("code", {},
				...unbroken(compareCommand(sides)))),
		working, place);
	},
];

/* The dialog: two choices, and what is said of them. */
function comparisonDialog(names, scene, page)
{
	const content = element("div", {class: "compared"});
	let counting;
	let models = new Map();
	const chosen = () => scene.state.compared.map((n) =>
		Math.min(Math.max(n, 0), names.length - 1));
	const go = async (side, row) => {
		const n = chosen()[side];

		made.close();
		if (n !== scene.state.dump)
			await page.selectDump(n);
		if (n === scene.state.dump)
			page.reveal(row);
	};

	async function show()
	{
		const pair = chosen();
		const {state} = scene;

		counting?.abort();
		counting = new AbortController();
		const {signal} = counting;
		const asked = {scene, state, signal, models, go,
			range: state.measured || ALWAYS,
			names: pair.map((n) => names[n])};

		choices.forEach((choice, k) => choice.value = pair[k]);
		content.setAttribute("aria-busy", "true");
		asked.sides = [];
		for (const n of pair) {
			const side = await openSide(asked, n);

			if (!signal.aborted) {
				asked.sides.push(await inSlices(sideSteps(side,
					asked.range), signal));
			}
			if (signal.aborted)
				return;
		}
		content.replaceChildren(element("p", {class: "notice"},
			scopeWords(asked.sides, state)));
		for (const make of COMPARISONS) {
			const part = await make(asked);

			if (signal.aborted)
				return;
			content.append(part);
		}
		content.setAttribute("aria-busy", "false");
	}

	const choices = ["first dump", "second dump"].map((label, k) =>
		dumpChoice(`compare-${"ab"[k]}`, label, names, k, (n) => {
			page.setState({compared: chosen().map((one, side) =>
				side === k ? n : one)});
			show();
		}));
	const made = element("dialog", {id: "comparison", "aria-label":
		"comparison of two dumps"},
	element("p", {class: "choices"}, ...choices.map((choice, k) =>
		element("span", {class: "side"}, `${"AB"[k]} `, choice, " ")),
		element("button", {type: "button", click() {
			page.setState({compared: [...chosen()].reverse()});
			show();
		}}, "Swap"),
		element("button", {type: "button", click: () => made.close()},
			"Close")),
	content);

	made.addEventListener("close", () => {
		counting?.abort();
		models = new Map();
		content.replaceChildren();
		page.setState({compared: null});
	});
	return {
		element: made,
		open() {
			made.showModal();
			show();
		},
	};
}

/* The dump before the one shown, and that; of the first the next one. */
function usualPair({dump})
{
	return dump > 0 ? [dump - 1, dump] : [0, 1];
}

/* Fill root, in a page of several dumps: {update} after another is shown. */
function makeDumps(root, scene, page)
{
	const count = dumpCount();
	let dialog;
	let steps;
	let shown;

	async function fill()
	{
		const abouts = await Promise.all([...Array(count).keys()].map(
			openAbout));
		const names = abouts.map(dumpName);
		const strip = element("nav", {id: "steps", "aria-label":
			"dumps of this page"});

		byId("bar").after(strip);
		steps = makeSteps(strip, abouts, scene, page);
		dialog = comparisonDialog(names, scene, page);
		shown = dumpChoice("dump", "dump", names, scene.state.dump,
			(n) => page.selectDump(n));
		document.body.append(dialog.element);
		root.replaceChildren(shown, element("button", {id: "compare",
			type: "button", title: "two dumps next to each other",
			click() {
				page.setState({compared: usualPair(scene.state)});
				dialog.open();
			}}, "Compare"));
		openCompared();
	}

	function update()
	{
		if (!shown)
			return;
		shown.value = scene.state.dump;
		steps.update();
		openCompared();
	}

	function openCompared()
	{
		if (scene.state.compared && !dialog.element.open)
			dialog.open();
	}

	if (count > 1)
		fill();
	return {update};
}
