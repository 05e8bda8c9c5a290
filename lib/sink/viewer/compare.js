"use strict";

/*
 * Several dumps in one page: which is shown, and two of them beside each
 * other by span name. (This is the first of the joined files.)
 */

/* Statistics by the text of a name over all rows of a model. */
function statisticsByName(model)
{
	const said = nameStatistics(prepareStats(model), timedRows(model));

	return new Map(said.map((one) => [model.strings[one.name], one]));
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

/* "+1.20 s (+15%)"; without a share where there was nothing. */
function formatChange({before, change})
{
	if (change === 0)
		return "same";
	const sign = change > 0 ? "+" : "−";
	const share = before && before.total > 0 ? ` (${sign}${Math.round(
		Math.abs(change) / before.total * 100)}%)` : "";

	return sign + formatDuration(Math.abs(change)) + share;
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

/* The dialog: two choices, and the table of what is chosen. */
function comparisonDialog(names, close)
{
	const statistics = new Map();
	const chosen = [0, 1];
	const table = element("div", {class: "scrolls"});
	const statisticsOf = async (n) => {
		if (!statistics.has(n))
			statistics.set(n, statisticsByName(await openModel(n)));
		return statistics.get(n);
	};
	const show = async () => {
		const [a, b] = chosen;
		const rows = compareNames(await statisticsOf(a),
			await statisticsOf(b));

		if (a === chosen[0] && b === chosen[1])
			table.replaceChildren(comparisonTable(names[a], names[b],
				rows));
	};
	const choice = (side, label) => dumpChoice("compare-" + side, label,
		names, chosen[side], (n) => {
			chosen[side] = n;
			show();
		});

	return {
		element: element("dialog", {id: "comparison", "aria-label":
			"comparison of two dumps"},
		element("p", {}, choice(0, "first dump"), " and ",
			choice(1, "second dump")),
		table,
		element("p", {}, element("button", {type: "button",
			click: close}, "Close"))),
		show,
	};
}

/* Fill root, in a page of several dumps: {update} after another is shown. */
function makeDumps(root, scene, page)
{
	const count = dumpCount();
	let shown;

	async function fill()
	{
		const names = (await Promise.all([...Array(count).keys()].map(
			openAbout))).map(dumpName);
		const dialog = comparisonDialog(names,
			() => dialog.element.close());

		shown = dumpChoice("dump", "dump", names, scene.state.dump,
			(n) => page.selectDump(n));
		document.body.append(dialog.element);
		root.replaceChildren(shown, element("button", {id: "compare",
			type: "button", title: "two dumps by span name",
			click() {
				dialog.element.showModal();
				dialog.show();
			}}, "Compare"));
	}

	if (count > 1)
		fill();
	return {
		update() {
			if (shown)
				shown.value = scene.state.dump;
		},
	};
}
