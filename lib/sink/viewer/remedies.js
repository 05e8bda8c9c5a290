/*
 * The tab of what remedies would have saved, and what the chosen one takes
 * away, shaded in the rows. The figures come with the page, from the same code
 * as obs-perfsum --what-if: nothing is replayed here.
 */

/* The activity of each part of the bill, for its colour. */
const BILL_ACTIVITIES = {
	queue: "queue", imbalance: "queue", client_limit: "client queue",
	prefill: "prefill", others_prefill: "prefill", tool: "tool",
	reward: "reward", group: "group wait", slow_engine: "decode",
	long_answer: "decode", decode: "decode", network: "other",
	other: "other",
};

const PRICE_COLUMNS = [
	{title: "wall", value: ({wall, high, range}) =>
		(range ? high : wall) * 1e6,
	text: (us, one) => one.range ? intervalText(one) : formatDuration(us),
	help: "with the remedy"},
	{title: "saves", value: ({least, part, range}) => range ? least : part,
		text: savedText, help: "of the wall time"},
	{title: "interval", value: ({high}) => high, words: priceBar},
	{title: "what to change, and what it costs", words: priceWords},
];

function remediesOf({model: {about: {whatIf}}})
{
	return whatIf?.remedies || [];
}

/* "2.83 – 3.19 s", "43.0 s – 1 m 12 s", "recorded" */
function intervalText({low, high, recorded})
{
	if (recorded)
		return "recorded";
	const to = formatDuration(high * 1e6);

	if (low === null)
		return `up to ${to}`;
	const from = formatDuration(low * 1e6);
	const unit = /^[\d.]+( \S+)$/;

	return (from.match(unit)?.[1] === to.match(unit)?.[1] ?
		from.replace(unit, (text, one) => text.slice(0, -one.length)) :
		from) + ` – ${to}`;
}

/* "36%"; of a remedy of which only a range is known, "32% – 39%". */
function savedText(share, {range, least, most})
{
	if (!range)
		return formatShare(share);
	if (most === null)
		return least > 0 ? `at least ${formatShare(least)}` : "unknown";
	return least > 0 ? `${formatShare(least)} – ${formatShare(most)}` :
		most > 0 ? `up to ${formatShare(most)}` : "nothing";
}

/* A bar from the least to the largest price, in the wall time. */
function priceBar({low, high, wall, recorded, range, scale})
{
	const bar = element("span", {class: "price"});
	const from = recorded ? 0 : low ?? 0;
	const to = recorded ? wall : high;

	bar.style.setProperty("--from", `${100 * from / scale}%`);
	bar.style.setProperty("--to", `${100 * to / scale}%`);
	bar.style.setProperty("--at", `${100 * wall / scale}%`);
	bar.classList.toggle("ranged", Boolean(range));
	bar.classList.toggle("recorded", Boolean(recorded));
	return element("span", {}, bar,
		` ${intervalText({low, high, recorded})}`);
}

function priceWords({doubt, change, cost})
{
	return element("span", {}, ...unbroken(visible(
		[doubt, change, cost].filter(Boolean).join("; "))));
}

/* The remedy whose effect is shaded; choosing it again shades nothing. */
function chooseRemedy({state}, page, id)
{
	page.setState({remedy: state.remedy === id ? "" : id});
}

function priceRecord(scene, page, remedy, scale)
{
	const chosen = scene.state.remedy === remedy.id;
	const saved = (wall) => 1 - wall / scene.model.about.whatIf.wall;

	return {
		said: {...remedy, scale, part: saved(remedy.wall),
			least: saved(remedy.high), most: remedy.low === null ?
				null : saved(remedy.low)},
		name: remedy.id,
		head: () => [link(visible(remedy.title), () =>
			chooseRemedy(scene, page, remedy.id), {
			"aria-pressed": String(chosen),
			title: "shade in the rows what it would take away",
		})],
	};
}

/* The bill as one bar, and in words. */
function billNotes(scene, page, {bill, row, wall})
{
	const bar = element("div", {class: "bill", role: "img",
		"aria-label": "what the last sample spent its time on"});

	for (const [key, words, seconds] of bill) {
		const part = element("i", {title: `${words} ` +
			formatDuration(seconds * 1e6)});
		const colour = activityColour(ACTIVITY_NAMES.indexOf(
			BILL_ACTIVITIES[key] ?? "idle"));

		part.style.flexGrow = seconds / wall;
		part.style.background = colour[scene.theme];
		part.classList.toggle("loss", ["slow_engine", "long_answer",
			"imbalance"].includes(key));
		bar.append(part);
	}
	const said = [...bill].sort((a, b) => b[2] - a[2]).slice(0, 6)
		.map(([, words, seconds]) =>
			`${words} ${formatDuration(seconds * 1e6)}`);

	return [
		element("p", {class: "notice"}, "The last sample, ",
			goTo(page, rowTitle(scene, row), row),
			`, spent: ${said.join(", ")}.`),
		bar,
	];
}

/* "; engines equal does, since it changes them": the best remedy below the bound
 * of routing. */
function belowText(scene, bound)
{
	const [best] = remediesOf(scene).filter(({refused, range, recorded, wall}) =>
		!refused && !range && !recorded && wall < bound)
		.sort((a, b) => a.wall - b.wall);

	return best ? `; ${best.title} does, since it changes them` : "";
}

function togetherText(scene, {stack, bound, luck})
{
	const titles = new Map(remediesOf(scene).map(({id, title}) =>
		[id, title]));
	const steps = stack.map(([id, wall]) => `${titles.get(id)} ` +
		formatDuration(wall * 1e6));

	return [
		...steps.length ? [`Together: ${steps.join(", then ")}.`] : [],
		"With these answers and engines, no routing takes less than " +
			`${formatDuration(bound * 1e6)}${belowText(scene, bound)}.`,
		...luck ? [`Random routing takes ${intervalText(
			{low: luck[0], high: luck[1]})}.`] : [],
	].join(" ");
}

/* The remedies without a price, by reason. */
function refusedText(remedies)
{
	const reasons = new Map();

	for (const {title, refused} of remedies) {
		if (refused) {
			reasons.set(refused, [...reasons.get(refused) || [],
				title]);
		}
	}
	return [...reasons].map(([reason, titles]) =>
		`${titles.join(", ")} (${reason})`).join("; ");
}

function noPrices(text)
{
	return {head: "remedy", columns: PRICE_COLUMNS, records: [],
		notes: [element("p", {class: "notice"}, text)]};
}

function whatIfTab(scene, page)
{
	const {whatIf} = scene.model.about;

	if (!whatIf) {
		return noPrices("This page has no estimates of remedies: they " +
			"need a whole rollout with at most 4,096 requests. " +
			"obs-perfsum --what-if estimates larger ones.");
	}
	if (!whatIf.remedies)
		return noPrices(`No remedy could be estimated: ${whatIf.refused}.`);
	const priced = remediesOf(scene).filter(({refused}) => !refused);
	const scale = Math.max(whatIf.wall,
		...priced.map(({high, wall}) => high ?? wall));
	const refused = refusedText(remediesOf(scene));

	return {
		head: "remedy", columns: PRICE_COLUMNS, sort: "saves",
		notes: [
			...billNotes(scene, page, whatIf),
			element("p", {class: "notice"}, whatIf.refused ?
				`No model: ${visible(whatIf.refused)}.` :
				visible(togetherText(scene, whatIf))),
			...refused ? [element("p", {class: "notice"},
				visible(`Not estimated: ${refused}`))] : [],
		],
		records: priced.map((remedy) =>
			priceRecord(scene, page, remedy, scale)),
	};
}

/* --- what would go --- */

/* By row, what the chosen remedy takes away: [from, to, from, to ...]; made
 * once for a remedy. */
function goneOf(scene)
{
	const {remedy} = scene.state;

	if (scene.gone?.remedy !== remedy) {
		const rows = new Map();
		const {gone = []} = remediesOf(scene).find(({id}) =>
			id === remedy) || {};

		for (let i = 0; i + 2 < gone.length; i += 3) {
			const [row, from, to] = gone.slice(i, i + 3);

			rows.set(row, [...rows.get(row) || [], from, to]);
		}
		scene.gone = {remedy, rows};
	}
	return scene.gone.rows;
}

/* Over the bars of a collapsed row or of its line when it is expanded. */
function paintGone(pen, r, y)
{
	const {scene, context} = pen;

	if (!scene.state.remedy)
		return;
	const times = goneOf(scene).get(r) || [];
	const height = scene.rowHeight;

	pen.gone ??= makeHatch(context, scene.ink.text, "down", 1.4);
	for (let i = 0; i < times.length; i += 2) {
		const left = Math.max((times[i] - pen.start) * pen.scale, -2);
		const right = Math.min((times[i + 1] - pen.start) * pen.scale,
			pen.width + 2);

		if (left >= right)
			continue;
		context.globalAlpha = 0.55;
		context.fillStyle = scene.ink.ground;
		context.fillRect(left, y, right - left, height);
		context.globalAlpha = 1;
		context.fillStyle = pen.gone;
		context.fillRect(left, y, right - left, height);
	}
}
