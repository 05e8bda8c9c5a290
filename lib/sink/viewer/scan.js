/*
 * Looking through the attributes of all items, in slices of time so that the
 * page stays alive, decoding only what may hold what is looked for.
 */

const SCAN_BYTES = 1 << 18; /* looked at in one go */
const SCAN_SLICE = 8; /* ms after which others get their turn */
const ASCII = new TextDecoder("latin1");
const ERROR_KEY = /^(error|exception)(_|$)/; /* as item_has_error's in lib/model */

/* What is at a key in a decoded object; a dot goes inside where no key has
 * it. Undefined for nothing. */
function lookUp(value, key)
{
	if (value === null || typeof value !== "object")
		return undefined;
	if (Object.hasOwn(value, key))
		return value[key];
	const dot = key.indexOf(".");

	return dot > 0 && Object.hasOwn(value, key.slice(0, dot)) ?
		lookUp(value[key.slice(0, dot)], key.slice(dot + 1)) : undefined;
}

/* As it stands in the JSON of the page, which is ASCII. */
function asciiJson(text)
{
	return JSON.stringify(text).slice(1, -1).replace(/[\x7f-\uffff]/g,
		(c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/*
 * The terms about attributes: {hint, test}. Of the JSON of attributes, only
 * what has the hint is decoded and tested, as {start, end}.
 */
function attributeTerm(term)
{
	const path = term.key.slice("attr.".length);

	if (path === "")
		throw new FilterError(term.at, "attr. needs a key, e.g. " +
			"attr.finish_reason:length");
	const test = attributeTest(term);
	const start = "\"" + asciiJson(path.split(".")[0]);

	return {
		hint: (text) => text.includes(start),
		test: (attrs) => [attrs.start, attrs.end].some((side) => {
			const value = lookUp(side, path);

			return value !== undefined && test(value);
		}),
	};
}

/* The error texts among an item's attributes. */
function errorTexts(attrs)
{
	return [attrs.start, attrs.end].flatMap((side) =>
		Object.entries(side || {})
			.filter(([key, value]) => ERROR_KEY.test(key) && value)
			.map(([, value]) => plainText(value)));
}

/* The same for the text of errors, of items that have one. */
function errorTerm(term)
{
	const test = textTest(term);

	return {
		hint: (text) => /"(error|exception)/.test(text),
		test: (attrs) => errorTexts(attrs).some(test),
	};
}

/* All text among an attribute's values. */
function holdsText(value, wanted)
{
	if (typeof value === "string")
		return value.toLowerCase().includes(wanted);
	return value !== null && typeof value === "object" &&
		!(value instanceof Digits) &&
		Object.values(value).some((inner) => holdsText(inner, wanted));
}

function textTerm(wanted)
{
	const json = asciiJson(wanted);
	const plain = json === JSON.stringify(wanted).slice(1, -1);

	/* Other letters are escaped, each case in its own way. */
	return {
		hint: plain ? (text) => text.toLowerCase().includes(json) :
			(text) => text.includes("\\u"),
		test: (attrs) => holdsText(attrs.start, wanted) ||
			holdsText(attrs.end, wanted),
	};
}

/* The item after those from i on whose attributes take SCAN_BYTES, or that
 * end the row r. */
function scanEnd(items, row, i)
{
	const end = row.first + row.items;
	const from = items.attrsAt[i];
	let last = i + 1;

	while (last < end && items.attrsAt[last] - from < SCAN_BYTES)
		last++;
	return last;
}

/* Look through the attributes of items [i, end) of row r. */
function scanItems(model, bytes, scans, r, i, end)
{
	const {items} = model;
	const base = items.attrsAt[i];
	const sizeOf = (k) => items.startAttrs[k] + items.endAttrs[k];
	const text = ASCII.decode(bytes.subarray(base,
		items.attrsAt[end - 1] + sizeOf(end - 1)));

	for (const {terms, wanted, hit} of scans) {
		if (!terms.every((term) => term.hint(text)))
			continue;
		for (let k = i; k < end; k++) {
			const from = items.attrsAt[k] - base;

			if (!wanted(k, r) || items.role[k] !== 0)
				continue;
			const own = text.slice(from, from + sizeOf(k));

			if (!terms.every((term) => term.hint(own)))
				continue;
			const attrs = readAttrs(items, bytes, k);

			if (terms.every((term) => term.test(attrs, k)))
				hit(k, r);
		}
	}
}

/*
 * Call hit(item, row) for the items for which wanted(item, row) and all of the
 * terms hold: scans are [{terms: [{hint, test}], wanted, hit}]. False when
 * the signal aborted it.
 */
async function scanAttrs(model, bytes, scans, signal)
{
	let due = performance.now() + SCAN_SLICE;

	for (let r = 0; r < model.rows.length; r++) {
		const row = model.rows[r];

		for (let i = row.first; i < row.first + row.items;) {
			const end = scanEnd(model.items, row, i);

			scanItems(model, bytes, scans, r, i, end);
			i = end;
			if (performance.now() < due)
				continue;
			await new Promise((done) => setTimeout(done));
			if (signal?.aborted)
				return false;
			due = performance.now() + SCAN_SLICE;
		}
	}
	return true;
}
