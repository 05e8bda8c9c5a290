/*
 * The samples of one dump and the same samples of another: of one index and
 * group or, where that pairs none, of one index. Of several rows of one key the
 * first goes with the first, and so on.
 */

const PAIR_KEYS = [
	{words: "index and group", of: ({index, group}) => [index, group]},
	{words: "index", of: ({index}) => index},
];

const PAIR_ROWS = 512; /* between pauses */

/* Slices: the rows by their keys: "5 0": the first row whose index is 5. */
function* rowsByKey({rows}, wanted, keyOf)
{
	const seen = new Map();
	const found = new Map();

	for (const [k, r] of wanted.entries()) {
		if (k % PAIR_ROWS === 0)
			yield;
		if (rows[r].index === null || rows[r].index === undefined)
			continue;
		const key = JSON.stringify(keyOf(rows[r]));
		const nth = seen.get(key) || 0;

		seen.set(key, nth + 1);
		found.set(`${key} ${nth}`, r);
	}
	return found;
}

/* Slices: {words, pairs: [[a, b], ...]}: rows of the one and of the other
 * model. */
function* pairRows(before, after)
{
	for (const {words, of} of PAIR_KEYS) {
		const a = yield* rowsByKey(before.model, before.rows, of);
		const b = yield* rowsByKey(after.model, after.rows, of);
		const pairs = [...a].filter(([key]) => b.has(key))
			.map(([key, r]) => [r, b.get(key)]);

		if (pairs.length > 0)
			return {words, pairs};
	}
	return {words: "index", pairs: []};
}

const PAIR_FIELDS = [
	{title: "own work", text: formatDuration,
		of: ({model}, r) => model.waits.rows[r].duration},
	{title: "tokens", text: (value) => formatCount(value),
		of: ({model}, r) => Number(tokensOf(model.rows[r]) ?? NaN)},
	{title: "tokens/s", text: threeDigits, of: (stats, r) => rateOf(stats, r)},
	{title: "reward", text: formatValue, of: ({model}, r) => {
		const {reward} = model.rows[r];

		return typeof reward === "number" ? reward : NaN;
	}},
];

/* What changed of a pair: by field {from, to, change}, NaN: not known. */
function pairChange(before, after, [a, b])
{
	return {a, b, fields: PAIR_FIELDS.map(({of}) => {
		const [from, to] = [of(before.stats, a), of(after.stats, b)];

		return {from, to, change: to - from};
	})};
}

/* Slices: {words, changes, alone: [of the one, of the other]}, the largest
 * change of own work first. */
function* pairSteps(before, after)
{
	const {words, pairs} = yield* pairRows(before, after);
	const changes = [];

	for (const pair of pairs) {
		changes.push(pairChange(before, after, pair));
		if (changes.length % SUM_ROWS === 0)
			yield;
	}
	const size = ({fields: [{change}]}) => Math.abs(change) || 0;

	for (const {model} of [before, after])
		yield* repeatedSteps(model); /* for the titles of rows */
	return {words, changes: changes.sort((x, y) => size(y) - size(x)),
		alone: [before, after].map(({rows}) =>
			rows.length - pairs.length)};
}

/* "+1.20 s", "same"; a dash where one side is not known. */
function signed(change, text)
{
	return Number.isNaN(change) ? "–" : change === 0 ? "same" :
		(change > 0 ? "+" : "−") + text(Math.abs(change));
}

/* How many did more, how many less, and the median change. */
function sayPairs({words, changes, alone})
{
	const all = changes.map(({fields: [{change}]}) => change);
	const longer = all.filter((change) => change > 0).length;
	const shorter = all.filter((change) => change < 0).length;
	const median = quantile(Float64Array.from(all).sort(), 0.5);
	const rest = `${formatCount(alone[0])} of A and ` +
		`${formatCount(alone[1])} of B have no counterpart.`;

	return changes.length === 0 ? "No sample of A has the index of one of B." :
		`${plural(changes.length, "pair")} with the same ${words}: ` +
		`${formatCount(longer)} took longer in B, ` +
		`${formatCount(shorter)} less; median change of own work ` +
		`${signed(median, formatDuration)}. ${rest}`;
}

/* go(side, row) shows the sample in its dump. */
function pairTable(before, after, {changes}, go)
{
	const known = PAIR_FIELDS.filter((_, k) => changes.some(
		({fields}) => !Number.isNaN(fields[k].change)));
	const sides = known.flatMap(({title}) => ["A", "B", "change"].map((side) =>
		element("th", {scope: "col", "aria-label": side === "change" ?
			`change of ${title}` : `${title} of ${side}`}, side)));

	return element("table", {class: "pairs"},
		...changes.length > RECORDS ? [element("caption", {},
			`The ${RECORDS} largest changes of ` +
			formatCount(changes.length))] : [],
		element("thead", {},
			element("tr", {}, element("th", {scope: "col", rowspan: 2},
				"sample"), ...known.map(({title}) => element("th",
				{scope: "colgroup", colspan: 3}, title))),
			element("tr", {}, ...sides)),
		element("tbody", {}, ...changes.slice(0, RECORDS).map(
			({a, b, fields}) => element("tr", {},
				element("th", {scope: "row"},
					`${rowTitle(before, a)} `,
					link("A", () => go(0, a), {"aria-label":
						`${rowTitle(before, a)} in A`}), " ",
					link("B", () => go(1, b), {"aria-label":
						`${rowTitle(after, b)} in B`})),
				...known.flatMap((field) => {
					const {from, to, change} = fields[
						PAIR_FIELDS.indexOf(field)];

					return [...[from, to].map((value) =>
						Number.isNaN(value) ? "–" :
							field.text(value)),
					signed(change, field.text)].map((text) =>
						element("td", {}, text));
				})))));
}
