/*
 * Waiting in words: of a selected sample, and of the stragglers, in their tab
 * of the panel.
 */

const STRAGGLERS = 20; /* that ended last, and that worked longest */
const VICTIMS = 50; /* listed of one straggler */

/* What a row waited for, and who waited for it, as pairs of facts. */
function waitFacts(scene, page, r)
{
	const {model} = scene;
	const {rows: waits, heldUp, heldBy} = model.waits;
	const {duration, clientQueue, groupWait, open} = waits[r];
	const {answer, worker} = model.rows[r];
	const victims = heldUp.get(r) || [];
	const culprit = heldBy.get(r);

	return [
		["own work", formatDuration(duration) +
			(open ? ", still open at the end" : "")],
		["client queue", clientQueue > 0 ?
			formatDuration(clientQueue) : undefined],
		["group wait", groupWait > 0 ? element("span", {},
			formatDuration(groupWait), ...culprit === undefined ? [] :
				[" for ", goTo(page, rowTitle(scene, culprit),
					culprit)]) : undefined],
		["held up", victims.length ? waitedText(victims) : undefined],
		["tokens", answer === null || answer === undefined ? undefined :
			formatValue(answer)],
		["worker", worker ? visible(worker) : undefined],
	];
}

/* "7 others waited 57.1 s for it" */
function waitedText(victims)
{
	const wait = victims.reduce((sum, one) => sum + one.wait, 0);

	return `${plural(new Set(victims.map(({row}) => row)).size,
		"other")} waited ${formatDuration(wait)} for it`;
}

/* Why a sample took long, and who waited for it: those are folded. */
function stragglerWords(scene, page, one)
{
	const {model, waits} = scene.stats;
	const {duration, open} = waits.rows[one.row];
	const name = one.held && nameText(model.strings[one.held.name]);
	const facts = [
		...one.worker ? [`on ${visible(one.worker)}`] : [],
		...Number.isNaN(one.tokens) ? [] :
			[plural(one.tokens, "token")],
		...Number.isNaN(one.rate) ? [] :
			[`${threeDigits(one.rate)} tokens/s`],
		...one.held ? [`${formatDuration(one.held.time)} in ${name}`] :
			[],
		...one.did.time > 0 ? [`${formatShare(ratio(one.did.time,
			duration))} ${ACTIVITY_NAMES[one.did.activity]}`] : [],
		...open ? ["still open at the end"] : [],
	];

	return element("div", {}, element("b", {}, one.cause), " · ",
		facts.join(" · "), ...one.victims.length ?
			[victimList(scene, page, one)] : []);
}

/* Those who waited for a sample, longest first, behind their sum. */
function victimList(scene, page, {row: held, victims})
{
	const longest = [...victims].sort((a, b) => b.wait - a.wait);
	const rest = longest.length - VICTIMS;

	return element("details", {class: "victims", "data-row": held},
		element("summary", {}, waitedText(victims)),
		element("ul", {class: "plain"}, ...longest.slice(0, VICTIMS).map(
			({row, wait}) => element("li", {}, goTo(page,
				rowTitle(scene, row), row), " ", element("span",
				{class: "faint"}, formatDuration(wait)))),
		...rest > 0 ? [element("li", {class: "faint"},
			`and ${formatCount(rest)} more`)] : []));
}

/* What the samples waited for in all, as a sentence; "" for nothing. */
function waitingSentence(scene)
{
	const {stats} = scene;
	const {rows, range} = scopeOf(scene);
	const times = activityTimes(stats, rows, range);
	const {time} = extent(stats, rows, range);
	const parts = [[GROUP_WAIT, "for the slowest in their group"],
		[CLIENT_QUEUE, "in the client queue"],
		[REWARD, "for rewards"]].filter(([a]) => times[a] > 0).map(
		([a, words]) => `${formatDuration(times[a])} ` +
			`(${formatShare(ratio(times[a], time))}) ${words}`);

	return parts.length ? `${capital(rowNouns(stats.model))} waited ` +
		`${parts.join(", ")}.` : "";
}

function sourceWords({source})
{
	return !isKnown(source) ? [] : [" ",
		element("span", {class: "faint"}, formatValue(source))];
}

/* Slices: the stragglers of the samples that count, and all that is said of
 * these samples, which is remembered. */
function* stragglersTabSteps(scene)
{
	const {stats} = scene;
	const {rows, range} = scopeOf(scene);

	yield* extentSteps(stats, rows, range);
	yield* activitySteps(stats, rows, range);
	yield* tailSteps(stats, rows);
	return yield* stragglerSteps(stats, rows, STRAGGLERS);
}

function stragglersTab(scene, page, found)
{
	const {stats, model} = scene;
	const {rows} = scopeOf(scene);
	const own = ({row}) => stats.waits.rows[row];

	return {
		head: "sample", sort: "ended",
		columns: [
			{title: "ended", value: (one) => own(one).end,
				text: formatDuration,
				help: "when its own work ended"},
			{title: "own work", value: (one) => own(one).duration,
				text: formatDuration,
				help: "without waiting for its group or for " +
					"the client"},
			{title: "group waited", wide: true,
				value: ({kept}) => kept, text: formatDuration,
				help: "how long others of its group waited " +
					"for it, in all"},
			{title: "why", words: (one) =>
				stragglerWords(scene, page, one)},
		],
		notes: [scopeNote(scene), ...[tailSentence(stats, rows),
			waitingSentence(scene)].filter((text) => text !== "")
			.map((text) => element("p", {class: "notice"}, text))],
		records: found.map((said) => ({
			said, name: said.row,
			head: () => [goTo(page, rowTitle(scene, said.row),
				said.row), ...sourceWords(model.rows[said.row])],
		})),
	};
}
