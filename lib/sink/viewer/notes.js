/*
 * Notes: a person's words on a span, a sample or a moment. They are part of the
 * state, so that a reload keeps them and a link to the page passes them on.
 *
 * A note is {dump, row, item, at, text}. row is a place in the dump and item
 * one in the row; -1 means none. at is the moment in µs if row is -1.
 * A note without a place, from the address of another page, is listed only.
 */

const NOTES = 32;
const NOTE_LETTERS = 200; /* of each */
const NOTES_ROOM = 4000; /* letters that all take in the address */

/* --- in the address: [text, dump, row, item] or [text, dump, moment] --- */

function writeNotes(notes)
{
	return notes.length === 0 ? "" : JSON.stringify(notes.map(
		({dump, row, item, at, text}) => row < 0 ?
			[text, dump, Number(at.toFixed(3))] :
			[text, dump, row, item]));
}

function notesFit(notes)
{
	return notes.length <= NOTES && new URLSearchParams({
		notes: writeNotes(notes)}).toString().length <= NOTES_ROOM;
}

/* A note as writeNotes has it; undefined: not a note. */
function readNote(one)
{
	const [text, dump, ...place] = Array.isArray(one) ? one : [];
	const whole = (value, least) => Number.isSafeInteger(value) &&
		value >= least;

	if (typeof text !== "string" || !whole(dump, 0))
		return undefined;
	const note = {dump, row: -1, item: -1, at: 0,
		text: text.slice(0, NOTE_LETTERS)};

	if (place.length === 1 && Number.isFinite(place[0]))
		return {...note, at: place[0]};
	if (place.length === 2 && whole(place[0], 0) && whole(place[1], -1))
		return {...note, row: place[0], item: place[1]};
	return undefined;
}

function readNotes(text)
{
	const notes = [];

	for (const one of JSON.parse(text).slice(0, NOTES)) {
		const note = readNote(one);

		if (note && notesFit([...notes, note]))
			notes.push(note);
	}
	return notes;
}

/* --- where they are --- */

/* {row, item, at} in the dump shown; undefined: not there. */
function placeOfNote(scene, {dump, row, item, at})
{
	const {model: {rows}, state} = scene;

	if (dump !== state.dump || row >= rows.length ||
	    (row >= 0 && item >= rows[row].items))
		return undefined;
	if (row < 0)
		return {row, item: -1, at};
	const i = item < 0 ? -1 : rows[row].first + item;

	return {row, item: i, at: timeOf(scene, row, i)?.start ?? NaN};
}

function noteTitle(scene, note)
{
	const place = placeOfNote(scene, note);

	if (!place)
		return note.dump === scene.state.dump ||
			note.dump >= dumpCount() ? "not in this page" :
			`in dump ${formatCount(note.dump + 1)}`;
	const {row, item, at} = place;

	if (row < 0)
		return `at ${formatDuration(at)}`;
	return item < 0 ? rowTitle(scene, row) :
		`${rowTitle(scene, row)} ${itemName(scene.model, item)}`;
}

async function goToNote(scene, page, note)
{
	if (note.dump !== scene.state.dump && note.dump < dumpCount())
		await page.selectDump(note.dump);
	const place = placeOfNote(scene, note);
	const {start, end} = scene.window;

	if (!place)
		return;
	if (place.row >= 0) {
		page.reveal(place.row, place.item);
		return;
	}
	page.setState({cursor: place.at});
	if (place.at < start || place.at > end)
		page.look(panned(scene.window, place.at - (start + end) / 2,
			scene.whole));
}

/* --- on the plot --- */

function sayNote(scene, note, n)
{
	return `note ${n + 1}, ${noteTitle(scene, note)}: ` +
		visible(note.text);
}

function makeFlag(scene, page, note, n)
{
	const said = sayNote(scene, note, n);

	return element("button", {type: "button", class: "flag", tabindex: -1,
		title: said, "aria-label": said,
		click: () => goToNote(scene, page, note)}, String(n + 1));
}

/* The flags are made anew when the notes or the dump have changed. */
function makeFlags(scene, page)
{
	const {model, state: {notes}} = scene;

	if (scene.flagged?.model === model && scene.flagged.notes === notes)
		return;
	const flags = notes.map((note, n) => makeFlag(scene, page, note, n));

	scene.flagged = {model, notes, flags};
	byId("moments").replaceChildren(...flags.filter((_, n) =>
		notes[n].row < 0));
	byId("flags").replaceChildren(...flags.filter((_, n) =>
		notes[n].row >= 0));
}

/* Where a flag is on the rows; undefined: not in view. That of a sample stays
 * in view with it. */
function flagPlace(scene, {row, item, at})
{
	const {lines, model: {items}, plot, scroll, state, tops} = scene;
	const line = row < 0 ? 0 : lineOfHit(scene, row, item);
	const exact = xAt(plot, at);
	const x = row >= 0 && item < 0 ?
		Math.min(Math.max(exact, 0), plot.width - 1) : exact;

	if (!(x >= 0 && x < plot.width) || line < 0)
		return undefined;
	if (row < 0)
		return {x, y: 0};
	const inside = item >= 0 && !lines.lanes && state.expanded[row] ?
		laneTop(scene, items.lane[item]) : 0;

	return {x, y: tops[line] - scroll + inside};
}

/* Put the flags where what they are of is drawn. */
function placeNotes(scene, page)
{
	makeFlags(scene, page);
	const {flags, notes} = scene.flagged;

	/* In shares of the width: paper has another one. */
	for (const [n, flag] of flags.entries()) {
		const place = placeOfNote(scene, notes[n]);
		const at = place && flagPlace(scene, place);

		flag.hidden = !at;
		if (at) {
			flag.style.left = percent(Math.round(at.x) /
				scene.plot.width);
			flag.style.top = `${Math.round(at.y)}px`;
		}
	}
}

/* The flags in view, for pictures: {text, left, top, width, height}. */
function flagBoxes(corner)
{
	return [...document.querySelectorAll(".flag")].filter((flag) =>
		flag.offsetWidth > 0).map((flag) => ({text: flag.textContent,
		...placeWithin(flag, corner)})).filter(({left, top}) =>
		left < corner.width && top < corner.height);
}

function paintFlags({ink}, context, corner)
{
	context.font = "10px system-ui, sans-serif";
	context.textBaseline = "middle";
	for (const {text, left, top, width, height} of flagBoxes(corner)) {
		context.fillStyle = ink.accent;
		context.fillRect(left, top, width, height);
		context.fillStyle = ink.ground;
		context.fillText(text, left + 4, top + height / 2);
	}
}

/* --- adding and changing --- */

function samePlace(a, b)
{
	return a.dump === b.dump && a.row === b.row && a.item === b.item &&
		(a.row >= 0 || a.at === b.at);
}

/* The note of a place; -1: none. */
function noteAt({state: {notes}}, place)
{
	return notes.findIndex((one) => samePlace(one, place));
}

/* Show the tab, and have the words of note n typed. */
function editNote(scene, page, n, more)
{
	scene.edited = n;
	page.setState({tab: "notes", panel: true, ...more});
}

/* Note a place, or edit the note that it has. */
function addNote(scene, page, note)
{
	const {state: {notes}} = scene;
	const n = noteAt(scene, note);

	if (n >= 0)
		editNote(scene, page, n);
	else if (notesFit([...notes, {...note, text: "…"}]))
		editNote(scene, page, notes.length, {notes: [...notes, note]});
	else
		editNote(scene, page, -1);
}

/* What is selected as a note without words; else the cursor; undefined. */
function noteOfSelection({model: {rows}, state})
{
	const {selected: {row, item}, cursor, dump} = state;

	if (row >= 0) {
		return {dump, row, item: item < 0 ? -1 : item - rows[row].first,
			at: 0, text: ""};
	}
	return cursor === null ? undefined : noteOfMoment(dump, cursor);
}

function noteOfMoment(dump, time)
{
	return {dump, row: -1, item: -1, at: Number(time.toFixed(3)), text: ""};
}

function noteSelection(scene, page)
{
	const note = noteOfSelection(scene);

	if (note)
		addNote(scene, page, note);
	else
		editNote(scene, page, -1);
}

/* Change the text of note n. False if it would not fit; it is then unchanged. */
function setNote(scene, page, n, text)
{
	const notes = scene.state.notes.map((note, k) =>
		k === n ? {...note, text} : note);

	if (!notesFit(notes))
		return false;
	scene.state.notes = notes;
	page.draw();
	page.keepHash();
	return true;
}

/* --- the tab --- */

function noteBox(scene, page, n, full)
{
	const box = element("input", {
		"aria-label": `words of note ${n + 1}`, maxlength: NOTE_LETTERS,
		placeholder: "a few words", autocomplete: "off"});

	box.value = scene.state.notes[n].text;
	box.addEventListener("input", () => {
		const fits = setNote(scene, page, n, box.value);

		full.hidden = fits;
		if (!fits)
			box.value = scene.state.notes[n].text;
	});
	box.addEventListener("change", () =>
		onceReleased(() => page.tell("notes")));
	box.addEventListener("keydown", (event) => {
		if (event.key === "Enter" || event.key === "Escape")
			byId("scroller").focus();
	});
	if (scene.edited === n) {
		scene.edited = -1;
		requestAnimationFrame(() => box.focus());
	}
	return box;
}

function noteEntry(scene, page, n, full)
{
	const {notes} = scene.state;
	/* Words may have been typed since; a second click removes no other. */
	const remove = () => page.setState({notes: scene.state.notes.filter(
		(one, k) => k !== n || !samePlace(one, notes[n]))});

	return element("li", {}, element("span", {class: "flag-number"},
		String(n + 1)), " ",
	link(noteTitle(scene, notes[n]), () => goToNote(scene, page, notes[n])),
	" ", link("remove", remove, {
		"aria-label": `remove note ${n + 1}`, class: "link remove"}),
	noteBox(scene, page, n, full));
}

function notesTab(scene, page)
{
	const {notes} = scene.state;
	const full = element("p", {class: "error", role: "status"},
		"No room for more: the URL holds all notes and is full.");

	full.hidden = notesFit([...notes, noteOfMoment(scene.state.dump, 0)]);
	return {columns: [], records: [], notes: [
		element("p", {class: "notice"},
			`Select a span or a ${rowNoun(scene.model)}, or pin the ` +
			"cursor, then ",
			link("add a note", () => noteSelection(scene, page)),
			" (N). Notes are in the URL: a link to this page " +
			"passes them on."),
		full,
		element("ol", {class: "plain notes"}, ...notes.map((_, n) =>
			noteEntry(scene, page, n, full))),
	]};
}

/* The note of what is selected, in its details. */
function noteLine(scene, page)
{
	const note = noteOfSelection(scene);
	const n = noteAt(scene, note);
	const text = n < 0 ? "" : visible(scene.state.notes[n].text);

	return element("p", {class: "noted"}, ...n < 0 ? [] : [element("span",
		{class: "flag-number"}, String(n + 1)), ` ${text} `],
	link(n < 0 ? "add a note" : "edit", () => addNote(scene, page, note)));
}
