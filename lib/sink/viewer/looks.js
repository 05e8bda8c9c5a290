/*
 * How the page looks: the theme's colours, and where the panel is.
 */

function applyTheme(scene)
{
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const root = document.documentElement;
	const {theme} = scene.state;

	scene.theme = theme !== "system" ? theme : dark ? "dark" : "light";
	if (matchMedia("(forced-colors: active)").matches)
		scene.theme = forcedTheme();
	root.dataset.theme = scene.theme;
	scene.ink = readInks(["ground", "raised", "line", "text", "faint",
		"accent", "chosen", "error"]);
	scene.rgb = scene.colours.map((colour) =>
		channels(colour[scene.theme]));
}

/* The colours that the style sheets name, as canvases take them: forced ones
 * have names that only elements know. They are all asked at once, for the
 * browser works out styles anew after each change. */
function readInks(names)
{
	const probes = names.map((name) => element("i", {style:
		`color: var(--${name})`}));
	const root = element("span", {}, ...probes);

	document.body.append(root);
	const inks = Object.fromEntries(names.map((name, n) => [name, "#" +
		getComputedStyle(probes[n]).color.match(/\d+/g).slice(0, 3)
			.map((c) => Number(c).toString(16).padStart(2, "0"))
			.join("")]));

	root.remove();
	return inks;
}

/* Which theme's bars suit the colours that a person forces. */
function forcedTheme()
{
	return luminance(readInks(["ground"]).ground) < 0.18 ? "dark" : "light";
}

/* On narrow windows the panel is a sheet, which is open when it was asked
 * for. */
function panelShown({state, sheet})
{
	return matchMedia("(max-width: 600px)").matches ? sheet : state.panel;
}

/* What the edge between plot and panel says of itself. */
function saySplitter(right)
{
	const edge = byId("splitter");
	const {offsetWidth, offsetHeight} = byId("side");

	edge.setAttribute("aria-orientation",
		right ? "vertical" : "horizontal");
	edge.setAttribute("aria-valuemin", SMALLEST_SIDE);
	edge.setAttribute("aria-valuemax",
		Math.round((right ? innerWidth : innerHeight) / 2));
	edge.setAttribute("aria-valuenow", right ? offsetWidth : offsetHeight);
}

function applyDock(scene)
{
	const {dock, side} = scene.state;
	const main = byId("main");
	const shown = panelShown(scene);

	main.dataset.dock = dock;
	main.classList.toggle("folded", !shown);
	byId("panels").setAttribute("aria-pressed", String(shown));
	main.style.setProperty("--side", side > 0 ? `min(${side}px, 50%)` : "");
	saySplitter(getComputedStyle(byId("splitter")).cursor === "col-resize");
}
