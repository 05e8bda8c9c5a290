/*
 * The page on paper: the rows from the first in view on, all at once, instead
 * of those that a window has room for.
 */

const LONGEST_PRINT = 16000; /* px: browsers draw no canvas of any height */

/* Give the plot the height of its rows, in light colours. */
function beginPrint(scene, page)
{
	const {tops, lines, state} = scene;
	const from = tops[Math.min(state.top, lines.at.length)];
	const height = Math.min(tops[lines.at.length] - from, LONGEST_PRINT);

	scene.paper = {theme: state.theme};
	state.theme = "light";
	page.apply("theme");
	document.documentElement.style.setProperty("--printed",
		`${Math.max(height, ROOMY_HEIGHT)}px`);
	scene.paper.height = height;
	drawScene(scene, page);
}

function endPrint(scene, page)
{
	scene.state.theme = scene.paper.theme;
	scene.paper = undefined;
	page.apply("theme", "layout");
}

function listenToPrint(scene, page)
{
	addEventListener("beforeprint", () => beginPrint(scene, page));
	addEventListener("afterprint", () => endPrint(scene, page));
}
