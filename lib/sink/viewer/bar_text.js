/*
 * What is written on the bars of collapsed rows: what is of that bar alone, and
 * its name once where bars of one name follow one another from row to row.
 */

/* Before a row is drawn: which names the row above has, and this one has so
 * far. */
function beginRow(pen, r, expanded)
{
	pen.row = expanded ? -1 : r;
	pen.above = expanded ? new Set() : pen.named || new Set();
	pen.named = new Set();
}

/* "400 tok · 34 tok/s" where the sample has this one request; else how long
 * the span took. */
function barFigures({model, stats}, r, item)
{
	const {items, rows} = model;
	const {first, items: many, answer} = rows[r];
	let requests = 0;

	for (let i = first; i < first + many; i++)
		requests += items.request[i] && counts(items, i) ? 1 : 0;
	const rate = stats ? rateOf(stats, r) : NaN;

	return items.request[item] && requests === 1 && answer > 0 && rate > 0 ?
		`${shortCount(answer)} tok · ${threeDigits(rate)} tok/s` :
		formatDuration(lengthOf(items, item));
}

/* The same, alone and after the span's name. Both are made once: to put them
 * together and to look up how wide they are takes longer than to draw them. */
function barTexts(scene, r, item)
{
	const {model, texts} = scene;

	if (texts.size > TEXTS_KEPT)
		texts.clear();
	if (!texts.has(item)) {
		const figures = barFigures(scene, r, item);

		texts.set(item, {figures, named: `${nameText(model.strings[
			model.items.name[item]])} · ${figures}`});
	}
	return texts.get(item);
}

/* As many facts of a head as fit into width px, from the first on. */
function fittingFacts(pen, text, width)
{
	const facts = text.split(" · ");

	while (facts.length > 1 && textWidth(pen, facts.join(" · ")) > width)
		facts.pop();
	return facts.join(" · ");
}

/* What is written where a bar waits in a queue: not its tokens, which it had
 * later. */
function queueText(pen, item, width)
{
	const {scene: {model: {items}}, above, named} = pen;
	const text = `queued ${formatDuration(items.queue[item])}`;

	if (above?.has(items.name[item]))
		named.add(items.name[item]);
	return textWidth(pen, text) <= width ? text : "";
}

/* Its name, and in a collapsed row what is of it alone if both have room. */
function namedText(pen, item, width)
{
	const {scene, row} = pen;
	const name = scene.model.items.name[item];
	const full = row < 0 ? "" : barTexts(scene, row, item).named;

	return full !== "" && textWidth(pen, full) <= width ? full :
		cutText(pen, name, width);
}

/* The text for so many px of an item's bar; "" for none. */
function barText(pen, item, width)
{
	const {scene, row, above, named} = pen;

	if (pen.onLane)
		return laneText(pen, item, width);
	const name = scene.model.items.name[item];
	const again = row >= 0 && (above.has(name) || named.has(name));

	if (!again) {
		const text = namedText(pen, item, width);

		if (text !== "")
			named.add(name);
		return text;
	}
	named.add(name);
	const {figures: text} = barTexts(scene, row, item);

	return textWidth(pen, text) <= width ? text : "";
}
