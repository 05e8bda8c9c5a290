/*
 * The verdict: why the step took as long as it did, in two lines whose clauses
 * set the filter and the order that show what they say.
 *
 * A clause is {text, help, patch}: patch is what it sets of the state; `row` is
 * what it selects as well, `look` the time that it shows. The rules are pure
 * functions over the statistics of the rows shown.
 */

const SHARE_SAID = 0.05; /* of the sample time: a wait that is said */
const TAIL_SAID = 0.1; /* of the wall time */
const FULL_SAID = 0.01; /* of the wall time, at the peak in flight */
const CLAUSES = 3; /* of the first line */
const SLOW_SAID = 2; /* slow workers */

/* " (48 in flight at most, full 45% of the time)": how a limit of the client
 * shows. */
function sayLimit(flight, wall)
{
	const peak = flight && peakOf(flight);

	if (!peak || peak.value === 0)
		return "";
	const full = ratio(peak.time, wall);

	return ` (${formatCount(peak.value)} in flight at most` +
		(full >= FULL_SAID ? `, full ${formatShare(full)} of the time` :
			"") + ")";
}

/* What samples do apart from decoding: [activity, words after its share, the
 * order that shows it]. */
function waitKinds(flight, wall)
{
	return [
		[GROUP_WAIT, "waiting for groups", "wait"],
		[CLIENT_QUEUE, "in the client queue" +
			sayLimit(flight, wall), "client"],
		[QUEUE, "in the engines' queues", "queue"],
		[TOOL, "in tools", "tool"],
		[REWARD, "in rewards", "rewarding"],
		[IDLE, "between spans", "idle"],
	];
}

/* The clauses of the waits, the largest first. */
function waitClauses(stats, rows, flight)
{
	const times = activityTimes(stats, rows);
	const {time, wall} = extent(stats, rows);

	return waitKinds(flight, wall)
		.map(([activity, words, sort]) => ({
			share: ratio(times[activity], time), words, sort}))
		.filter(({share}) => share >= SHARE_SAID)
		.sort((a, b) => b.share - a.share)
		.map(({share, words, sort}, n) => ({
			text: formatShare(share) +
				(n === 0 ? ` of ${rowNoun(stats.model)} time` : "") +
				` ${words}`,
			help: "those with the most of it first",
			patch: {sort, down: true, top: 0},
		}));
}

/* What the last 5% of the samples cost. */
function tailClause(stats, rows)
{
	const tail = tailOf(stats, rows);

	return !tail || !(tail.share >= TAIL_SAID) ? [] : [{
		text: `${formatShare(tail.share)} of the wall time went to ` +
			`finishing the last 5% of ${rowNouns(stats.model)}`,
		help: "those that ended last first, from when the others had " +
			"ended",
		patch: {sort: "end", down: true, top: 0},
		look: {start: tail.from, end: tail.from + tail.seconds},
	}];
}

/* Samples that failed. */
function failureClause({model}, rows)
{
	const broken = brokenRows({model, order: rows}).length;

	return broken === 0 ? [] : [{
		text: `${plural(broken, rowNoun(model))} failed or aborted`,
		help: "the list of errors",
		patch: {tab: "errors"},
	}];
}

function firstLine(stats, rows, flight)
{
	const waits = waitClauses(stats, rows, flight);
	const all = [...waits.slice(0, CLAUSES), ...tailClause(stats, rows)];
	const {own, time} = extent(stats, rows);

	if (all.length === 0) {
		all.push({
			text: `${rowNouns(stats.model)} worked ` +
				`${formatShare(ratio(own, time))} ` +
				"of their time",
			help: "those that ended last first",
			patch: {sort: "end", down: true, top: 0},
		});
	}
	return [...all, ...failureClause(stats, rows)];
}

/* "8,192 tokens at 34 tokens/s (median 55 tokens/s) on worker :30001"; where a
 * filter hides some of the samples, that the median is of all. */
function sayWork(stats, {tokens, rate, worker}, some)
{
	const {rate: median} = mediansOf(stats);
	const speed = Number.isNaN(rate) ? "" :
		` at ${threeDigits(rate)} tokens/s (median ` +
		`${some ? "of all samples " : ""}${threeDigits(median)} ` +
		"tokens/s)";

	return [
		...Number.isNaN(tokens) ? [] : [plural(tokens, "token") + speed],
		...worker ? [`on ${visible(worker)}`] : [],
	].join(" ");
}

/* The row for which others waited longest, else the one that ended last. */
function chiefCulprit(stats, rows)
{
	const shown = new Set(rows);
	const {heldUp} = stats.waits;
	let chief = {row: byLatestEnd(stats, rows, 1)[0], kept: 0};

	for (const [row, victims] of heldUp) {
		const kept = victims.reduce((sum, {wait}) => sum + wait, 0);

		if (shown.has(row) && kept > chief.kept)
			chief = {row, kept};
	}
	return chief.row;
}

/* The samples to blame: the one that ended last, and for which others waited
 * longest. */
function secondLine(stats, rows)
{
	const [last] = byLatestEnd(stats, rows, 1);
	const chief = chiefCulprit(stats, rows);
	const some = rows.length < timedRows(stats.model).length;

	return [...last === chief ? [] : [lastClause(stats, last, some)],
		blameClause(stats, chief, some)];
}

/* What is said of the row that ended last. */
function lastClause(stats, row, some)
{
	const one = describeStraggler(stats, row);
	const work = sayWork(stats, one, some);

	return {
		text: `${rowTitle(stats, row)} ended last: ${one.cause}` +
			(work && `, ${work}`),
		help: "the samples that ended last",
		row,
		patch: {filter: "", sort: "end", down: true, top: 0,
			tab: "stragglers"},
	};
}

/* A sample to blame, why, and what to look at. */
function blameClause(stats, row, some)
{
	const one = describeStraggler(stats, row);
	const {group} = stats.model.rows[row];
	const waiting = new Set(one.victims.map((victim) => victim.row)).size;
	const work = sayWork(stats, one, some);

	if (waiting === 0)
		return lastClause(stats, row, some);
	return {
		text: `${rowTitle(stats, row)} kept ` +
			`${plural(waiting, "other")} waiting ` +
			`${formatDuration(one.kept)} in all: ${one.cause}` +
			(work && `, ${work}`),
		help: "its group, the last to end first",
		row,
		patch: {filter: `group:${quoteTerm(group)}`, sort: "end",
			down: true, top: 0, tab: "stragglers"},
	};
}

/* The median decode rate of the rows for which it is wanted; NaN: of none. */
function medianRate(stats, rows, wanted)
{
	return medianOf(rows, (r) => wanted(r) ? rateOf(stats, r) : NaN);
}

/* Slices: clauses of engines that are slow next to the others, but for those of
 * engineClauses. */
function* slowWorkers(stats, rows)
{
	const {rows: all, about} = stats.model;
	const clauses = [];
	const slow = (about.slow || []).filter((worker) =>
		rows.length < all.length || slowSteps(about, worker) === undefined);

	for (const worker of slow.slice(0, SLOW_SAID)) {
		const its = (r) => all[r].worker === worker;
		const rate = medianRate(stats, rows, its);

		yield;
		const others = medianRate(stats, rows, (r) => !its(r));
		const speeds = rate > 0 && others > 0 ?
			`: ${threeDigits(rate)} tokens/s per request, ` +
			`others ${threeDigits(others)}` : "";

		yield;
		clauses.push({
			text: `worker ${visible(worker)} is slow${speeds}`,
			help: "its samples; its median time per token is over " +
				"1.3 times that of the others",
			patch: {filter: `worker:${quoteTerm(worker)}`,
				sort: "rate", down: false, top: 0},
		});
	}
	return clauses;
}

/* Engines that stalled for over a tenth of the wall time, the longest first, and
 * those of slow decode steps: the figure that the remedies have. Of all samples. */
function engineClauses({model}, rows)
{
	const {whatIf} = model.about;
	const clauseOf = (worker, words, help) => ({
		text: `worker ${visible(worker)} ${words}`,
		help,
		patch: {filter: `worker:${quoteTerm(worker)}`, sort: "end",
			down: true, top: 0},
	});
	const longest = (found) => [...found || []].sort((a, b) => b[1] - a[1])
		.slice(0, SLOW_SAID);

	if (!whatIf || rows.length < model.rows.length)
		return [];
	return [
		...longest(whatIf.stalled).map(([worker, seconds]) =>
			clauseOf(worker, `stalled for ${
				formatDuration(seconds * 1e6)}`, "its samples; " +
				"in a stall no request on it gets a token: look " +
				"for warm-up, a profiler or a weight update")),
		...longest(whatIf.slow).map(([worker, times]) =>
			clauseOf(worker, `is slow: ${slowStepsText(times)}`,
				"its samples; next to the steps of the median " +
				"engine, without prefills and stalls")),
	];
}

/* The remedy that obs-perfsum --what-if calls the best, as it does, with the
 * tokens it loses, or that none has a price. Prices are of all samples, not of
 * some. */
function remedyClauses({model}, rows)
{
	const {whatIf} = model.about;
	const remedies = remediesOf({model}).filter(
		({refused, range, recorded, sure}) =>
			!refused && !range && !recorded && sure);

	if (!whatIf || rows.length < model.rows.length)
		return [];
	if (whatIf.refused) {
		return [{
			text: "no remedy estimated",
			help: visible(whatIf.refused),
			patch: {tab: "whatif"},
		}];
	}
	if (remedies.length === 0)
		return [];
	const best = remedies.reduce((a, b) => b.wall < a.wall ? b : a);

	return [{
		text: visible(`best remedy: ${best.title}, ` +
			`${formatDuration(best.wall * 1e6)} ` +
			`(${intervalText(best)}), ` +
			`${formatShare(1 - best.wall / whatIf.wall)} less` +
			(best.change ? `: ${best.change}` : "") +
			(best.lost > 0 ? `; ${best.cost}` : "")),
		help: "all remedies; shade what this one would take away",
		patch: {tab: "whatif", remedy: best.id},
	}];
}

/* Slices: {wall, lines}: the clauses of each line; no lines without samples. */
function* verdictSteps(stats, rows, flight)
{
	const {samples, wall} = yield* extentSteps(stats, rows, ALWAYS);

	if (samples === 0)
		return {wall, lines: []};
	yield* medianSteps(stats);
	yield* tailSteps(stats, rows);
	const first = firstLine(stats, rows, flight);

	yield;
	const second = secondLine(stats, rows);

	yield;
	return {wall, lines: [first,
		[...engineClauses(stats, rows), ...second,
			...yield* slowWorkers(stats, rows),
			...remedyClauses(stats, rows)]]};
}

/* --- on the page --- */

/* What it sets shows in the rows, and in the panel, which it opens. */
function clauseLink(scene, page, {text, help, patch, row, look})
{
	return link(unbroken(text), () => {
		page.setState({panel: true, ...patch});
		if (look) {
			page.look(windowAround(look.start, look.end,
				scene.whole));
		}
		if (row !== undefined) {
			page.select(row);
			page.showLine(row);
		}
	}, {title: help});
}

/* While a filter is set the verdict gets no lower, so that what is below it
 * stays in its place. */
function showVerdict(scene, page, {wall, lines})
{
	const root = byId("verdict");

	setStyle(root, "minHeight", scene.state.filter === "" ? "" :
		`${root.getBoundingClientRect().height}px`);
	const focused = [...root.querySelectorAll("button")].indexOf(
		document.activeElement);

	root.replaceChildren(...lines.map((clauses, n) => element("p", {},
		...clauses.map((clause, k) => element("span", {class: "clause"},
			...k > 0 ? [element("span", {class: "separator"},
				" · ")] : [],
			...n + k === 0 ? [element("b", {},
				formatDuration(wall)), ": "] : [],
			clauseLink(scene, page, clause))))));
	root.querySelectorAll("button")[focused]?.focus();
}
