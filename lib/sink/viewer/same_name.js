/*
 * How a selected span compares with all of its name in the rows shown, counted
 * in slices once its details are there.
 */

/* Slices: the ascending durations of the spans of an item's name. */
function* sameSteps({model, order}, item)
{
	const {items} = model;
	const found = new NumberList();

	for (let k = 0; k < order.length; k++) {
		eachSpan(model, [order[k]], ALWAYS, (i, duration) =>
			items.name[i] === items.name[item] &&
			found.push(duration));
		if (k % SUM_ROWS === 0)
			yield;
	}
	return yield* sortSteps(found.view());
}

function sameName(scene, item, durations)
{
	const {model, model: {items}} = scene;

	if (durations.length === 0 || !counts(items, item))
		return [];
	const said = describeDurations(durations);
	const here = lengthOf(items, item);
	const shorter = firstAbove(durations, here - 0.5);
	const title = (here >= said.max ? "the longest" : "longer than " +
		formatShare(shorter / said.count)) + " of the " +
		`${formatCount(said.count)} in the ${rowNouns(model)} shown`;

	return [
		element("h3", {}, `All ${itemName(model, item)}`),
		histogramBars(durations, here, scene.colours[items.name[item]],
			title),
		element("p", {class: "ends"}, element("span", {},
			formatDuration(durations[0])), element("span", {},
			formatDuration(said.max))),
		element("p", {}, `▲ here: ${title}`),
		element("p", {class: "notice"}, [
			`total ${formatDuration(said.total)}`,
			`p50 ${formatDuration(said.p50)}`,
			`p95 ${formatDuration(said.p95)}`,
			`max ${formatDuration(said.max)}`].join(" · ")),
	];
}

/* Fill the place that the details have for it, if it is still theirs. */
async function showSame(root, scene, item)
{
	const place = root.querySelector(".same");
	const durations = await inSlices(sameSteps(scene, item));

	if (place.isConnected && scene.state.selected.item === item)
		place.replaceChildren(...sameName(scene, item, durations));
}
