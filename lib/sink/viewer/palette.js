/*
 * Colours: fixed by what a span says its sample was doing, told apart by
 * people of any colour vision (after Okabe and Ito); other names get one of a
 * fixed list in order of first appearance.
 */

const ACTIVITIES = [
	{name: "tool", light: "#8a63c9", dark: "#a283dd",
	 match: /tool|sandbox|\benv|exec/i},
	{name: "reward", light: "#cc5f92", dark: "#e07fae",
	 match: /reward|^rm$|verif|judge|grad(e|ing)/i},
	{name: "queue", light: "#98a2b0", dark: "#717c8b",
	 match: /queue|alloc|bootstrap|\bwait/i},
	{name: "KV transfer", light: "#e3a008", dark: "#d99a12",
	 match: /transfer/i},
	{name: "prefill", light: "#2f78c4", dark: "#4a90d9",
	 match: /prefill|\[P\]$/i},
	{name: "decode", light: "#16997a", dark: "#1fa787",
	 match: /decode|^sglang_generate|\[D\]$/i},
];

/* Names that tell no activity, where they are one, and time that no span
 * covers. */
const OTHER_COLOUR = {light: "#b9a7cf", dark: "#6d5f80"};
const IDLE_COLOUR = {light: "#e4e7ec", dark: "#2b323d"};

/* Waiting that no span records, see waits.js: pale, and striped, so that
 * it never outweighs work and needs no colour to be known. */
const CLIENT_QUEUE_COLOUR = {
	light: "#dbe6f2", dark: "#25303f", slant: "down",
	lightStripe: "#7d93ad", darkStripe: "#8299b5",
	help: "waiting for the client to send its first request",
};
const GROUP_WAIT_COLOUR = {
	light: "#f7e8cf", dark: "#383023", slant: "up",
	lightStripe: "#b5965f", darkStripe: "#b0966a",
	help: "done, waiting for the slowest sample of its group",
};

const OTHERS = [
	{light: "#9cc7e8", dark: "#3f6685"},
	{light: "#c9b79c", dark: "#75664e"},
	{light: "#d5b3d9", dark: "#6f5176"},
	{light: "#c3cf8b", dark: "#66713a"},
	{light: "#e5b39f", dark: "#80543f"},
	{light: "#9fd0c9", dark: "#3f716a"},
	{light: "#b5b8e0", dark: "#565a8c"},
];

/* What a span of this name is: a member of ACTIVITIES, or undefined. */
function activityOf(name)
{
	return ACTIVITIES.find((activity) => activity.match.test(name));
}

/* By items, see namesOf. */
const knownNames = new WeakMap();

/* The page says which there are, if it is not from before it did. */
function knowNames(items, {spans, requests})
{
	if (spans)
		knownNames.set(items, {spans, requests: new Set(requests)});
}

/* The names of spans, numbers into strings, in order of first appearance. */
function spanNames(items)
{
	return namesOf(items).spans;
}

/* The names of generation spans, by their numbers. */
function requestNames(items)
{
	return namesOf(items).requests;
}

/* Both, in the order in which items have them, found once. */
function namesOf(items)
{
	if (!knownNames.has(items)) {
		const {name, state, request} = items;
		const [spans, requests] = [new Set(), new Set()];
		let last = -1;

		for (let i = 0; i < name.length; i++) {
			if (state[i] > OPEN || name[i] === last && !request[i])
				continue;
			spans.add(last = name[i]);
			if (request[i])
				requests.add(last);
		}
		knownNames.set(items, {spans: [...spans], requests});
	}
	return knownNames.get(items);
}

/* For each string that names a span, its {light, dark}. */
function colourNames(model)
{
	const colours = [];
	const requests = requestNames(model.items);
	const decode = ACTIVITIES.find(({name}) => name === "decode");
	let others = 0;

	for (const name of spanNames(model.items)) {
		colours[name] = activityOf(model.strings[name]) ||
			(requests.has(name) && decode) ||
			OTHERS[others++ % OTHERS.length];
	}
	return colours;
}

/*
 * Shades: what the overview tells apart by colour. They are the activities,
 * then a shade for each colour of OTHERS, and NO_SHADE for what is not shown.
 */
const NO_SHADE = OTHERS.length; /* after the activities */

/* The shade of each name, for colourNames's colours. */
function shadeNames(model, colours, hidden)
{
	const found = nameActivities(model);

	for (const name of spanNames(model.items)) {
		const other = OTHERS.indexOf(colours[name]);

		if (hidden.has(name))
			found[name] = ACTIVITY_NAMES.length + NO_SHADE;
		else if (other >= 0)
			found[name] = ACTIVITY_NAMES.length + other;
	}
	return found;
}

function shadeColour(shade)
{
	return OTHERS[shade - ACTIVITY_NAMES.length] || activityColour(shade);
}

function shadeName(shade)
{
	return ACTIVITY_NAMES[shade] || ACTIVITY_NAMES[OTHER];
}

/* The colour of an activity's number, see stats.js. */
function activityColour(activity)
{
	switch (activity) {
	case IDLE:
		return IDLE_COLOUR;
	case CLIENT_QUEUE:
		return CLIENT_QUEUE_COLOUR;
	case GROUP_WAIT:
		return GROUP_WAIT_COLOUR;
	default:
		return ACTIVITIES[activity] || OTHER_COLOUR;
	}
}

/* "#rrggbb" as [r, g, b], of each colour once. */
const knownChannels = new Map();

function channels(colour)
{
	if (!knownChannels.has(colour)) {
		knownChannels.set(colour, [1, 3, 5].map((at) =>
			parseInt(colour.slice(at, at + 2), 16)));
	}
	return knownChannels.get(colour);
}

/* The luminance of a colour as WCAG has it. */
function luminance(colour)
{
	const [r, g, b] = channels(colour).map((c) => c / 255).map((c) =>
		c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/* Black or white, what reads better on a colour: from this luminance on black
 * has the larger contrast, 4.5:1 at least. Found once of each. */
const knownInks = new Map();

function inkOn(colour)
{
	if (!knownInks.has(colour)) {
		knownInks.set(colour,
			luminance(colour) > 0.179 ? "#000000" : "#ffffff");
	}
	return knownInks.get(colour);
}
