/*
 * Items that tabs of the panel list: those with an error, and those of which
 * something is missing. They are few; rows without any are passed over.
 */

/* What items may be marked as, apart from virtual lanes. */
const MARKS = {
	error: ({error, role}, i) => error[i] === 1 && role[i] === 0,
	odd: ({state, timeless, role}, i) => role[i] === 0 &&
		(state[i] === OPEN || state[i] === ORPHAN || timeless[i] === 1),
};

/* Slices: how many items of each row have each mark. */
function* countMarks({items, rows})
{
	const counted = {};

	for (const [mark, marked] of Object.entries(MARKS)) {
		const many = counted[mark] = new Uint32Array(rows.length);

		for (let r = 0; r < rows.length; r++) {
			const end = rows[r].first + rows[r].items;

			for (let i = rows[r].first; i < end; i++)
				many[r] += marked(items, i);
			if (r % SUM_ROWS === 0)
				yield;
		}
	}
	return counted;
}

/* Slices: the items of the rows shown that have a mark: [[row, item], ...]. */
function* markedSteps(scene, mark)
{
	const {model, order, stats: {marks}} = scene;
	const found = [];

	for (let k = 0; k < order.length; k++) {
		const r = order[k];
		const {first, items: many} = model.rows[r];

		if (k % SUM_ROWS === 0)
			yield;
		if (marks[mark][r] === 0)
			continue;
		for (let i = first; i < first + many; i++) {
			if (MARKS[mark](model.items, i) && inScope(scene, i))
				found.push([r, i]);
		}
	}
	return found;
}

function findItems(scene, mark)
{
	return finish(markedSteps(scene, mark));
}

/* How many those are. */
function countItems(scene, mark)
{
	const {order, stats: {marks}, state: {measured}} = scene;

	return measured ? findItems(scene, mark).length :
		order.reduce((sum, r) => sum + marks[mark][r], 0);
}
