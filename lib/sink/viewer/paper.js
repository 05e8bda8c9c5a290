/*
 * The page on paper: the rows from the first in view on, all at once, instead
 * of those that a window has room for, in pieces with heads and a time axis.
 */

const LONGEST_PRINT = 16000; /* px of rows, all of which are drawn at once */
const PIECE_HEIGHT = 208; /* px: a page of A4 or Letter has room for four */

/*
 * Keep the browser from saying that the page has loaded: what prints pages from
 * a command line waits for that and no longer, and people who print too early
 * are served once it comes. Returns what lets go. A page in the background draws
 * nothing, and is not held.
 */
function holdLoad()
{
	if (document.hidden || document.readyState === "complete")
		return () => {};
	const frame = element("iframe", {hidden: "", title: "loading"});

	document.body.append(frame);
	frame.contentDocument.open();
	const release = () => {
		frame.contentDocument?.close();
		frame.remove();
	};

	addEventListener("visibilitychange", release, {once: true});
	return release;
}

/* The remedies, which paper has apart from the tab in front. */
function remediesOnPaper(scene, page)
{
	const tab = whatIfTab(scene, page);

	return element("section", {id: "paper-remedies", class: "tab-panel"},
		element("h2", {}, TABS.whatif.title), ...tab.notes,
		makeTable(tab, {title: tab.sort, down: true}, true, () => {}));
}

/* The overview in the colours of paper, at once. */
function overviewOnPaper(scene)
{
	const canvas = byId("overview");

	scene.overview = finish(overviewOf(scene, screenBox(canvas).wide));
	scene.overviewWanted = false;
	if (scene.overview)
		paintOverview(scene, canvas);
}

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

/* The lines from the first in view on, in pieces that have heads of their own:
 * [first, end] each. A line that is taller is a piece. */
function paperPieces({tops, lines, state})
{
	const pieces = [];
	const many = lines.at.length;
	const start = Math.min(state.top, many);
	let first = start;

	for (let line = start; line < many &&
		tops[line] - tops[start] < LONGEST_PRINT; line++) {
		if (line + 1 === many || tops[line + 2] - tops[first] >
			PIECE_HEIGHT) {
			pieces.push([first, line + 1]);
			first = line + 1;
		}
	}
	return pieces;
}

/* The elements of a piece, whose canvases are still to be drawn. */
function makePiece(scene, [first, end])
{
	const {tops} = scene;
	const heads = byId("heads").cloneNode(true);
	const labels = element("ul", {class: "labels"});

	heads.removeAttribute("id");
	for (let line = first; line < end; line++) {
		const entry = makeEntry(scene, line, []);

		setStyle(entry, "top", `${tops[line] - tops[first]}px`);
		labels.append(entry);
	}
	const ground = element("div", {}, element("canvas", {}),
		element("div", {class: "pin", hidden: ""}));

	setStyle(ground, "height", `${tops[end] - tops[first]}px`);
	return element("section", {class: "paper-rows"}, heads,
		element("div", {}, element("canvas", {})), labels, ground);
}

/* Draw a piece that is in the page, with the notes on its lines. */
function paintPiece(scene, piece, top)
{
	const [axis, rows] = piece.querySelectorAll("canvas");
	const ground = rows.parentElement;
	const height = ground.clientHeight;
	const {flags, notes} = scene.flagged;

	paintAxis(scene, axis);
	scene.scroll = top;
	paintRows(scene, rows);
	for (const [n, flag] of flags.entries()) {
		const place = notes[n].row < 0 ? undefined :
			placeOfNote(scene, notes[n]);
		const at = place && flagPlace(scene, place);

		if (at?.y >= 0 && at.y < height) {
			const copy = flag.cloneNode(true);

			copy.hidden = false;
			copy.style.left = percent(at.x / scene.plot.width);
			copy.style.top = `${at.y}px`;
			ground.append(copy);
		}
	}
}

/* All rows, in pieces that no page tears. */
function rowsOnPaper(scene)
{
	const {scroll, tops} = scene;
	const found = paperPieces(scene);
	const pieces = found.map((lines) => makePiece(scene, lines));
	const paper = element("div", {id: "paper", "aria-hidden": "true",
		class: byId("plot").className}, ...pieces);

	setStyle(paper, "width", `${byId("stage").clientWidth}px`);
	byId("plot").after(paper);
	pieces.forEach((piece, n) =>
		paintPiece(scene, piece, tops[found[n][0]]));
	scene.scroll = scroll;
	placePins(scene);
	setStyle(paper, "width", "");
}

/* Put what paper has into the page, in light colours. */
function beginPrint(scene, page)
{
	if (scene.paper)
		return;
	const {state, model: {about}} = scene;

	scene.paper = {theme: state.theme};
	state.theme = "light";
	page.apply("theme");
	if (scene.stats) {
		page.tasks.overview?.abort();
		overviewOnPaper(scene);
	}
	drawScene(scene, page);
	rowsOnPaper(scene);
	scene.drawn = undefined;
	drawScene(scene, page);
	if (state.notes.length > 0)
		byId("paper").after(notesOnPaper(scene));
	if (about.whatIf?.remedies && state.tab !== "whatif")
		byId("side").append(remediesOnPaper(scene, page));
}

function endPrint(scene, page)
{
	if (!scene.paper)
		return;
	for (const id of ["paper", "paper-notes", "paper-remedies"])
		document.getElementById(id)?.remove();
	scene.state.theme = scene.paper.theme;
	scene.paper = undefined;
	page.apply("theme", "layout");
}

function listenToPrint(scene, page)
{
	addEventListener("beforeprint", () => beginPrint(scene, page));
	addEventListener("afterprint", () => endPrint(scene, page));
}
