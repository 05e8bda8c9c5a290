/*
 * What is shown as files: the samples or their spans as CSV or JSON, the view
 * as a picture, and the command that gives the figures of the same samples.
 * Nothing leaves the page: the browser saves what it made.
 */

const SAMPLE_FIELDS = ["index", "group", "source", "status", "label", "reward",
	"tokens", "worker", "start", "end", "duration", "own_work",
	"group_wait", "client_queue", "tokens_per_second"];
const SPAN_FIELDS = ["index", "group", "name", "start", "end", "duration",
	"open", "error"];

/* µs since the dump's start as Unix seconds; null: unknown. */
function unixSeconds({about}, us)
{
	return Number.isFinite(us) ? (about.start + us) / 1e6 : null;
}

function seconds(us)
{
	return Number.isFinite(us) ? us / 1e6 : null;
}

/* A sample that is shown, by SAMPLE_FIELDS. */
function exportedSample({stats, model}, r)
{
	const row = model.rows[r];
	const own = model.waits.rows[r];
	const rate = rateOf(stats, r);

	return {
		index: row.index, group: row.group, source: row.source,
		status: row.status, label: row.label, reward: row.reward,
		tokens: tokensOf(row) ?? null, worker: row.worker ?? null,
		start: unixSeconds(model, row.start),
		end: unixSeconds(model, row.end),
		duration: seconds(row.end - row.start),
		own_work: seconds(own.duration),
		group_wait: seconds(own.groupWait),
		client_queue: seconds(own.clientQueue),
		tokens_per_second: Number.isFinite(rate) ? rate : null,
	};
}

/* The spans of a sample that touch the range, by SPAN_FIELDS. */
function exportedSpans({model, state: {measured}}, r)
{
	const {items, rows, strings} = model;
	const {first, items: many, index, group} = rows[r];
	const found = [];
	const range = measured || ALWAYS;

	for (let i = first; i < first + many; i++) {
		if (items.state[i] > OPEN || items.role[i] !== 0 ||
		    items.timeless[i] || items.end[i] < range.start ||
		    items.start[i] > range.end)
			continue;
		found.push({
			index, group, name: strings[items.name[i]],
			start: unixSeconds(model, items.start[i]),
			end: unixSeconds(model, items.end[i]),
			duration: seconds(items.end[i] - items.start[i]),
			open: items.state[i] === OPEN,
			error: items.error[i] === 1,
		});
	}
	return found;
}

/* A value as a cell of CSV (RFC 4180). Text that a spreadsheet would take for
 * a formula gets a quote before it. */
function csvCell(value)
{
	if (value === null || value === undefined)
		return "";
	if (typeof value === "number" || typeof value === "boolean")
		return String(value);
	const text = typeof value === "string" ? value : formatValue(value);
	const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;

	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll("\"", "\"\"")}"` :
		safe;
}

function csvOf(fields, records)
{
	return [fields, ...records.map((record) => fields.map((field) =>
		record[field]))].map((cells) => cells.map(csvCell).join(","))
		.join("\r\n") + "\r\n";
}

function jsonOf(records)
{
	return exactJson(records) + "\n";
}

/* A word for a shell. */
function shellWord(text)
{
	return /^[\w./:=@%+-]+$/.test(text) ? text :
		`'${text.replaceAll("'", "'\\''")}'`;
}

/* The keys of terms that --sample has, too. Words without a key are not among
 * these: the page also looks for them in attributes. */
const SAMPLE_KEYS = ["status", "source", "label", "index", "group", "tokens",
	"reward", "worker", "dur", "name", "attempt"];

function isSampleTerm({key, op})
{
	return op !== "" && SAMPLE_KEYS.includes(key.startsWith("reward.") ?
		"reward" : key);
}

/* Slices: the filter terms for the tokens of the brushed box, if they select
 * the samples that are shown; undefined where the times of the box leave some
 * of them out, since no filter term says that. */
function* boxTerms({model, order}, filter, {tokens: [from, to]})
{
	const terms = `tokens>=${Math.ceil(from)} tokens<=${Math.floor(to)}`;
	const {test} = yield* filterSteps(`${filter} ${terms}`, model);
	let matching = 0;

	for (let r = 0; r < model.rows.length; r++) {
		matching += test(model.rows[r], r);
		if (r % SUM_ROWS === 0)
			yield;
	}
	return matching === order.length ? terms : undefined;
}

/*
 * Slices: the command that prints the figures of the samples shown; undefined
 * where none has options that say the same. Those of the measured range alone
 * are such samples: no command takes a range.
 */
function* commandSteps(scene)
{
	const {model: {about}, state: {box, filter}} = scene;
	const own = scene.filter?.error ? "" : filter.trim();
	const inBox = box ? yield* boxTerms(scene, own, box) : "";
	const chosen = own !== "" || inBox !== "";

	if (inBox === undefined || about.part || about.cut ||
	    (about.top && chosen) ||
	    (own !== "" && !readTerms(own).every(isSampleTerm)))
		return undefined;
	const terms = [about.filter, own, inBox].filter(Boolean).join(" ");
	const path = shellWord(about.path.replace(/^-(?=.)/, "./-"));

	return [terms || about.top ? "trace-timeline --format summary" :
		"obs-perfsum --breakdown --stragglers 5",
	...about.top ? [`--top ${about.top}`] : [],
	...terms ? [`--sample ${shellWord(terms)}`] : [], path].join(" ");
}

/* Have the browser save a blob. */
function save(name, blob)
{
	const url = URL.createObjectURL(blob);
	const anchor = element("a", {href: url, download: name});

	document.body.append(anchor);
	anchor.click();
	anchor.remove();
	setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/* Draw what is within the charts' band, of which parts are scrolled away. */
function withinCharts(context, plot, draw)
{
	const {left, top, width, height} =
		byId("charts").getBoundingClientRect();

	context.save();
	context.beginPath();
	context.rect(left - plot.left, top - plot.top, width, height);
	context.clip();
	draw();
	context.restore();
}

function drawCanvas(context, plot, canvas)
{
	const {left, top, width, height} = canvas.getBoundingClientRect();

	if (width > 0 && height > 0) {
		context.drawImage(canvas, left - plot.left, top - plot.top,
			width, height);
	}
}

function drawWords(context, plot, words)
{
	const {left, top, height, width} = words.getBoundingClientRect();

	if (top > plot.top && top + height <= plot.bottom) {
		context.fillText(words.innerText, left - plot.left,
			top + height / 2 - plot.top, Math.max(width, 1));
	}
}

function drawMark(context, plot, mark)
{
	const {left, top, width, height} = mark.getBoundingClientRect();

	context.save();
	context.fillStyle = getComputedStyle(mark).backgroundColor;
	context.fillRect(left - plot.left, top - plot.top, width, height);
	context.restore();
}

/* The plot as it is on the screen: its canvases, and the words beside them. */
function pictureOf(scene)
{
	const plot = byId("plot").getBoundingClientRect();
	const ratio = devicePixelRatio || 1;
	const picture = element("canvas");
	const context = picture.getContext("2d");

	picture.width = plot.width * ratio;
	picture.height = plot.height * ratio;
	context.scale(ratio, ratio);
	context.fillStyle = scene.ink.ground;
	context.fillRect(0, 0, plot.width, plot.height);
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	context.fillStyle = scene.ink.text;
	for (const [all, draw] of [
		[byId("plot").querySelectorAll("canvas"), drawCanvas],
		[byId("plot").querySelectorAll("#running, #labels li > *"),
			drawWords],
		[wordsWithin(byId("charts")), drawWords],
		[marksWithin(byId("charts")), drawMark]]) {
		for (const one of all) {
			const drawOne = () => draw(context, plot, one);

			if (one.closest("#charts"))
				withinCharts(context, plot, drawOne);
			else
				drawOne();
		}
	}
	paintFlags(scene, context, plot);
	return picture;
}

/* --- the tab --- */

function commandNotes(command, measured, page)
{
	if (command === undefined) {
		return [element("p", {class: "notice"},
			"No command has options for exactly these samples.")];
	}
	return [
		element("p", {class: "notice"}, "The figures of these samples" +
			(measured ? ", in all of their time:" : ":")),
		element("p", {}, element("code", {}, ...unbroken(command)), " ",
			link("copy", () => navigator.clipboard
				?.writeText(command)
				.then(() => page.announce("copied")))),
	];
}

function exportTab(scene, page, command)
{
	const name = scene.model.about.name.replace(/\.[^.]*$/, "");
	const samples = () => [...scene.order].map((r) =>
		exportedSample(scene, r));
	const spans = () => [...scene.order].flatMap((r) =>
		exportedSpans(scene, r));
	const saver = (text, suffix, type, make) => element("li", {},
		link(text, () => save(name + suffix,
			new Blob([make()], {type}))));

	return {columns: [], records: [], notes: [
		scopeNote(scene),
		element("ul", {class: "plain exports"},
			saver("samples as CSV", ".samples.csv", "text/csv",
				() => csvOf(SAMPLE_FIELDS, samples())),
			saver("samples as JSON", ".samples.json",
				"application/json", () => jsonOf(samples())),
			saver("spans as CSV", ".spans.csv", "text/csv",
				() => csvOf(SPAN_FIELDS, spans())),
			saver("spans as JSON", ".spans.json",
				"application/json", () => jsonOf(spans())),
			element("li", {}, link("view as PNG", () =>
				pictureOf(scene).toBlob((blob) =>
					save(`${name}.png`, blob)))),
			saver("view as SVG", ".svg",
				"image/svg+xml", () => plotVector(scene))),
		...commandNotes(command, scene.state.measured, page),
	]};
}
