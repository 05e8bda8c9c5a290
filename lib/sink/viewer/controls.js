/*
 * The controls around the plot: each shows a field of the state and sets it.
 */

const THEMES = ["system", "light", "dark"];
const CHECKS = ["group", "points", "open", "orphans"];
const SELECTS = ["attempts", "dock", "theme"];
const OTHER_CHIPS = 8; /* names without an activity in the legend */

function showFacts(scene)
{
	const {model, model: {about, rows}, stats, order} = scene;
	const bubble = stats && bubbleOf(stats, timedRows(stats.model, order));
	const left = leftOut(about);
	const parts = [
		plural(rows.length, rowNoun(model)),
		formatDuration(wallOf(model)),
		...bubble ? [`bubble ${formatShare(bubble)}`] : [],
		...left ? [left] : [],
	];

	if (about.rollout !== null && about.rollout !== undefined)
		parts.unshift(`rollout ${formatValue(about.rollout)}`);
	byId("name").textContent = visible(about.name);
	byId("name").title = visible(about.path);
	byId("facts").textContent = parts.join(" · ");
	byId("facts").title = `${formatCount(about.items)} spans and events ` +
		`from ${formatClock(about.start)}; bubble: the share of the ` +
		`peak of ${rowNouns(model)} at work that stood empty`;
}

/* From the first start to the last end, as the panel has it: about's times
 * have fewer digits than far away clocks. */
function wallOf(model)
{
	if (model.wall === undefined) {
		let [first, last] = [Infinity, -Infinity];

		for (const {start, end} of model.rows) {
			if (!(start <= end))
				continue;
			first = Math.min(first, start);
			last = Math.max(last, end);
		}
		model.wall = first <= last ? last - first : 0;
	}
	return model.wall;
}

/* Every control says what the state says. */
function showChoices(scene)
{
	const {state} = scene;
	const key = state.sort.startsWith("attr:");

	for (const id of CHECKS)
		byId(id).checked = state[id];
	byId("charts-shown").checked = state.charts;
	showBy(scene);
	for (const id of SELECTS)
		byId(id).value = state[id];
	if (document.activeElement !== byId("filter"))
		byId("filter").value = state.filter;
	byId("sort").value = key ? "attr" : state.sort;
	byId("sort-key").hidden = !key;
	if (document.activeElement !== byId("sort-key"))
		byId("sort-key").value = state.sort.slice("attr:".length);
	byId("down").textContent = sortMark(state.down);
	byId("down").setAttribute("aria-pressed", String(state.down));
	byId("expand").textContent = state.expanded.includes(1) ?
		"Collapse all" : "Expand all";
	byId("cycle").title = `theme: ${state.theme} (T)`;
	byId("attempts").disabled = !scene.retried;
	byId("attempts").title = byId("attempts").disabled ?
		`no ${rowNoun(scene.model)} has more than one attempt` : "";
}

function showCount(scene)
{
	const {order, model, filter} = scene;

	byId("count").textContent = scene.state.filter === "" ? "" :
		filter.error ? "not used" : `${formatCount(order.length)} of ` +
		formatCount(model.rows.length);
}

/* Where no sample is shown, why, and how to see them again. */
function showNone(scene, page)
{
	const {order, model, state} = scene;
	const place = byId("none");

	place.hidden = order.length > 0 || model.rows.length === 0;
	if (!place.hidden) {
		place.replaceChildren(
			`No ${rowNoun(model)} matches “${visible(state.filter)}”. `,
			link("Clear the filter", () => page.setFilter("")));
	}
}

function showFilterError(text)
{
	byId("filter-error").textContent = text;
	byId("filter-error").hidden = text === "";
	byId("filter").setAttribute("aria-invalid", String(text !== ""));
}

/* What is said of a measured range, next to the legend. */
function showTail(scene, page)
{
	const {stats, order, state: {measured}} = scene;
	const line = byId("tail");

	byId("running").textContent = stats ? sayRunning(scene) : "counting…";
	line.hidden = !stats || !measured;
	line.replaceChildren(...line.hidden ? [] : [
		sayMeasured(stats, order, measured), " ",
		chipButton("zoom to range", () => page.look(measured)),
		chipButton("clear", () => page.setState({measured: null}))]);
}

function chipButton(text, click)
{
	return element("button", {type: "button", class: "small", click}, text);
}

function sayRunning({stats, order})
{
	return `peak concurrency: ${formatCount(concurrency(stats,
		timedRows(stats.model, order)).peak)}`;
}

/* The activities of a range, the largest first. */
function sayMeasured(stats, order, measured)
{
	const rows = timedRows(stats.model, order);
	const times = [...activityTimes(stats, rows, measured)];
	const {samples, time} = extent(stats, rows, measured);
	const shares = times.map((us, activity) => ({us, activity}))
		.filter(({us}) => us > 0).sort((a, b) => b.us - a.us)
		.slice(0, 4).map(({us, activity}) =>
			`${ACTIVITY_NAMES[activity]} ${formatShare(us / time)}`);

	return [formatRange(measured), plural(samples, rowNoun(stats.model)),
		...shares].join(" · ");
}

/* The waits that some row has, as activities. */
function waitsThere(model)
{
	const there = new Set();

	for (const {clientQueue, groupWait} of model.waits.rows) {
		if (clientQueue > 0)
			there.add(CLIENT_QUEUE);
		if (groupWait > 0)
			there.add(GROUP_WAIT);
	}
	return [...there];
}

/* Names by activity, for the legend: a Map from an activity's number to the
 * names that have it, or to its own number with a minus sign (state.js); only
 * those there are. */
function legendOf(model)
{
	const activities = nameActivities(model);
	const requests = requestNames(model.items);
	const legend = new Map(waitsThere(model).map(
		(activity) => [activity, [-activity]]));

	for (const name of spanNames(model.items)) {
		const activity = activities[name] === OTHER &&
			requests.has(name) ? DECODE : activities[name];

		if (!legend.has(activity))
			legend.set(activity, []);
		legend.get(activity).push(name);
	}
	return new Map([...legend].sort(([a], [b]) =>
		STACK.indexOf(a) - STACK.indexOf(b)));
}

/* The hidden names after a click on some of them. */
function toggled({state, legend}, names, alone)
{
	const all = [...legend.values()].flat();
	const others = all.filter((name) => !names.includes(name));
	const hidden = new Set(state.hidden);
	const only = others.every((name) => hidden.has(name)) &&
		!names.some((name) => hidden.has(name));

	if (alone)
		return new Set(only ? [] : others);
	if (names.every((name) => hidden.has(name)))
		names.forEach((name) => hidden.delete(name));
	else
		names.forEach((name) => hidden.add(name));
	return hidden;
}

function showLegend(scene, page)
{
	const {legend, model, colours} = scene;
	const chips = [];

	for (const [activity, names] of legend) {
		if (activity === DECODE && !legend.has(QUEUE) &&
		    hasQueues(model))
			chips.push(queueKey());
		if (activity !== OTHER) {
			chips.push(chip(scene, page, ACTIVITY_NAMES[activity],
				activityColour(activity), names));
		}
	}
	const others = legend.get(OTHER) || [];

	if (others.length > 1) {
		chips.push(chip(scene, page, "other",
			activityColour(OTHER), others));
	}
	for (const name of others.slice(0, OTHER_CHIPS)) {
		chips.push(chip(scene, page, nameText(model.strings[name]),
			colours[name], [name]));
	}
	if (others.length > OTHER_CHIPS) {
		chips.push(chipButton(`${others.length - OTHER_CHIPS} more…`,
			() => page.setState({panel: true, tab: "names"})));
	}
	const focused = document.activeElement?.dataset?.chip;

	byId("legend").replaceChildren(...chips);
	if (focused !== undefined)
		byId("legend").querySelectorAll("[data-chip]").forEach((one) =>
			one.dataset.chip === focused && one.focus());
}

/* Whether some generation began in a queue; found once. */
function hasQueues(model)
{
	model.queues ??= model.items.queue.some((queued) => queued > 0);
	return model.queues;
}

/* The colour of queueing within generations, which has no span of its own that
 * could be hidden. */
function queueKey()
{
	return element("span", {
		class: "chip key",
		title: "the first part of a generation, in the engine's queue",
	}, swatch(activityColour(QUEUE)), element("span", {}, "queue"));
}

function chip(scene, page, text, colour, names)
{
	const shown = !names.every((name) => scene.state.hidden.has(name));
	const said = names.map((name) => name < 0 ?
		activityColour(-name).help :
		nameText(scene.model.strings[name]));

	return element("button", {
		type: "button",
		class: "chip",
		title: `${said.slice(0, 12).join(", ")}; click hides, ` +
			"Alt click shows nothing else",
		"aria-pressed": String(shown),
		"data-chip": text,
		click: (event) => page.toggleNames(names, event.altKey),
	}, swatch(colour), element("span", {}, text));
}

function showSorts()
{
	byId("sort").replaceChildren(
		...Object.entries(SORTS).map(([key, {title}]) =>
			element("option", {value: key}, `by ${title}`)),
		element("option", {value: "attr"}, "by an attribute…"));
}

/* Sort by an attribute: its name is asked for, those there are offered. */
async function chooseAttribute(scene, page)
{
	const box = byId("sort-key");

	page.setState({sort: "attr:", top: 0});
	box.focus();
	const keys = attributeKeys(scene.model, await page.needAttrs());

	byId("sort-keys").replaceChildren(...keys.map((key) =>
		element("option", {value: visible(key)})));
}

function listenToSort(scene, page)
{
	byId("sort").addEventListener("change", () => {
		const sort = byId("sort").value;

		if (sort === "attr")
			chooseAttribute(scene, page);
		else
			page.setState({sort, top: 0});
	});
	byId("sort-key").addEventListener("change", async () => {
		await page.needAttrs();
		page.setState({sort: "attr:" + byId("sort-key").value, top: 0});
	});
	byId("down").addEventListener("click", () =>
		page.setState({down: !scene.state.down, top: 0}));
}

function listenToFilter(scene, page)
{
	const box = byId("filter");

	byId("terms").replaceChildren(...FILTER_KEYS.map(({term}) =>
		element("option", {value: term})));
	byId("filter-help").replaceChildren(...FILTER_KEYS.flatMap(
		({term, help}) => [element("dt", {}, element("code", {}, term)),
			element("dd", {}, help)]));
	box.addEventListener("input", () => page.setFilter(box.value));
	box.addEventListener("keydown", (event) => {
		if (event.key === "Escape" && box.value !== "") {
			box.value = "";
			page.setFilter("");
		} else if (event.key === "Enter" || event.key === "Escape") {
			byId("scroller").focus();
		} else {
			return;
		}
		event.preventDefault();
	});
}

function nextTheme(scene, page)
{
	const at = THEMES.indexOf(scene.state.theme);
	const theme = THEMES[(at + 1) % THEMES.length];

	page.setState({theme});
	page.announce(`theme: ${theme}`);
}

function showHelp()
{
	byId("keys").showModal();
}

/* A window that moves to a screen with other pixels is not resized. */
function listenToScreen(page)
{
	matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
		"change", () => {
			page.apply("layout", "dock");
			listenToScreen(page);
		}, {once: true});
}

function listenToControls(scene, page)
{
	const on = (id, action) => byId(id).addEventListener("click", action);

	on("expand", page.expandAll);
	on("zoom-in", () => zoomBy(scene, page, 1 / ZOOM_STEP));
	on("zoom-out", () => zoomBy(scene, page, ZOOM_STEP));
	on("fit", () => page.look(scene.whole));
	on("help", showHelp);
	listenToHold(byId("legend"), (target) => target.closest(".chip")
		?.dispatchEvent(new MouseEvent("click", {altKey: true})));
	on("cycle", () => nextTheme(scene, page));
	on("panels", () => page.setState({panel: !panelShown(scene)}));
	on("close", () => page.setState({panel: false}));
	for (const id of CHECKS) {
		byId(id).addEventListener("change", () =>
			page.setState({[id]: byId(id).checked}));
	}
	byId("charts-shown").addEventListener("change", () =>
		page.setState({charts: byId("charts-shown").checked}));
	for (const id of SELECTS) {
		byId(id).addEventListener("change", () =>
			page.setState({[id]: byId(id).value}));
	}
	addEventListener("pointerdown", ({target}) => {
		if (!byId("view").contains(target))
			byId("view").open = false;
	});
	listenToSort(scene, page);
	listenToBy(scene, page);
	listenToFilter(scene, page);
	addEventListener("resize", () => page.apply("layout", "dock"));
	listenToScreen(page);
	addEventListener("hashchange", page.openHash);
	matchMedia("(prefers-color-scheme: dark)")
		.addEventListener("change", () => page.apply("theme"));
	matchMedia("(forced-colors: active)")
		.addEventListener("change", () => page.apply("theme"));
}
