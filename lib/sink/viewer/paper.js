/*
 * The page on paper: the rows from the first in view on, all at once, instead
 * of those that a window has room for.
 */

const LONGEST_PRINT = 16000; /* px: browsers draw no canvas of any height */

/* The notes in words, which only paper has beside the rows. */
function notesOnPaper(scene)
{
	const entries = scene.state.notes.map((note, n) => element("li", {},
		element("span", {class: "flag-number"}, String(n + 1)),
		` ${noteTitle(scene, note)}: ${visible(note.text)}`));

	return element("section", {id: "paper-notes"},
		element("h2", {}, "Notes"),
		element("ol", {class: "plain"}, ...entries));
}

/* Give the plot the height of its rows, in light colours. */
function beginPrint(scene, page)
{
	if (scene.paper)
		return;
	const {tops, lines, state} = scene;
	const from = tops[Math.min(state.top, lines.at.length)];
	const height = Math.min(tops[lines.at.length] - from, LONGEST_PRINT);

	scene.paper = {theme: state.theme};
	state.theme = "light";
	page.apply("theme");
	document.documentElement.style.setProperty("--printed",
		`${Math.max(height, ROOMY_HEIGHT)}px`);
	scene.paper.height = height;
	if (state.notes.length > 0)
		byId("plot").after(notesOnPaper(scene));
	drawScene(scene, page);
}

function endPrint(scene, page)
{
	if (!scene.paper)
		return;
	document.getElementById("paper-notes")?.remove();
	scene.state.theme = scene.paper.theme;
	scene.paper = undefined;
	page.apply("theme", "layout");
}

function listenToPrint(scene, page)
{
	addEventListener("beforeprint", () => beginPrint(scene, page));
	addEventListener("afterprint", () => endPrint(scene, page));
}
