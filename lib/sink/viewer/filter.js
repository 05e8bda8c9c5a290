/*
 * The language of the search box: terms apart by blanks, all of which must
 * hold.
 *
 *	term	[-] (text | key op value); quotes keep blanks and colons
 *	op	: (holds, for text; is, for numbers)  =  <  <=  >  >=
 *
 * Terms about spans (name, attempt, error, attr.KEY, and dur beside one of
 * these) must hold for one and the same span, negated ones too. But -name, and
 * negated ones where all are, hide the samples in which any span has it.
 */

const FILTER_KEYS = [
	{term: "status:truncated", help: "the sample's status contains the text"},
	{term: "reward<0.5", help: "the reward, or any number in it; " +
		"reward.accuracy>0.5 for one of them"},
	{term: "dur>30s", help: "the sample's duration in us, ms, s, m or h; " +
		"next to a term about spans, the span's"},
	{term: "name:tool_call", help: "a span's name contains the text"},
	{term: "attempt:2", help: "a span of that attempt"},
	{term: "source:math", help: "the sample's source"},
	{term: "label:text", help: "the sample's label"},
	{term: "group:12", help: "the sample's group"},
	{term: "index:417", help: "the sample's index; 417 alone is the same"},
	{term: "tokens>1000", help: "the tokens that the sample completed"},
	{term: "worker:30001", help: "the worker that served most of it"},
	{term: "error:timeout", help: "an error's type or message; error: for " +
		"any error"},
	{term: "attr.finish_reason:length", help: "an attribute of a span; " +
		"attr.key>3 for numbers, attr.outer.key inside of one"},
	{term: "\"two words\"", help: "text in label, source, status, span " +
		"names or attributes"},
	{term: "-source:math", help: "without"},
];

const COMPARE = {
	":": (a, b) => a === b,
	"=": (a, b) => a === b,
	"<": (a, b) => a < b,
	"<=": (a, b) => a <= b,
	">": (a, b) => a > b,
	">=": (a, b) => a >= b,
};

const CLAUSE_ROWS = 256; /* between pauses */
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
const DURATION_UNITS = {us: 1, "µs": 1, ms: 1e3, s: 1e6, m: 60e6, h: 3600e6};

/* What is wrong with a filter, and where: at counts from 0. */
class FilterError extends Error {
	constructor(at, text)
	{
		super(`${text} (character ${at + 1})`);
		this.at = at;
	}
}

/* The next word from `at` up to a blank: {key, op, value, quoted, end}. Without
 * an op all of it is the value; quoted is one that begins with a quote. */
function readWord(text, at)
{
	const word = {key: "", op: "", value: "", quoted: text[at] === "\"",
		end: at};

	while (word.end < text.length && !/\s/.test(text[word.end])) {
		const rest = text.slice(word.end);
		const op = word.op || word.quoted ? null :
			rest.match(/^([<>]=?|[:=])/);
		const piece = rest.match(/^"([^"]*)("?)/) || rest.match(/^(.)/u);

		if (piece[2] === "")
			throw new FilterError(word.end, "the quote has no end");
		if (op)
			Object.assign(word, {key: word.value, op: op[0], value: ""});
		else
			word.value += piece[1];
		word.end += (op || piece)[0].length;
	}
	return word;
}

/* The terms of a filter's text: {at, negated, key, op, value, quoted}. */
function readTerms(text)
{
	const terms = [];

	for (let at = 0; at < text.length;) {
		if (/\s/.test(text[at])) {
			at++;
			continue;
		}
		const negated = text[at] === "-" && /\S/.test(text[at + 1] || "");
		const word = readWord(text, negated ? at + 1 : at);

		terms.push({...word, at, negated});
		at = word.end;
	}
	return terms;
}

/* A decoded value as text that people would type. */
function plainText(value)
{
	if (value === null || value === undefined)
		return "none";
	if (value instanceof Digits)
		return value.text;
	return typeof value === "object" ? JSON.stringify(value) :
		String(value);
}

function plainNumber(value)
{
	if (value instanceof Digits)
		return Number(value.text);
	return typeof value === "number" ? value : NaN;
}

/* A test of text: op ":" for a part, "=" for all, in any case. */
function textTest(term)
{
	const wanted = term.value.toLowerCase();

	if (term.op !== ":" && term.op !== "=")
		throw new FilterError(term.at,
			`${term.key} is text; use : or = with it`);
	if (wanted === "")
		throw new FilterError(term.at, `${term.key} needs a value`);
	return (value) => {
		const text = plainText(value).toLowerCase();

		return term.op === "=" ? text === wanted : text.includes(wanted);
	};
}

/* The number a term compares with; NaN when `:` or `=` has other text. */
function numberOf(term)
{
	if (NUMBER.test(term.value))
		return Number(term.value);
	if (term.value === "")
		throw new FilterError(term.at, `${term.key} needs a value`);
	if (term.op === ":" || term.op === "=")
		return NaN;
	throw new FilterError(term.at,
		`“${visible(term.value)}” is not a number`);
}

/* A test of numbers, or of equal text where there is no number. */
function valueTest(term)
{
	const number = numberOf(term);
	const wanted = term.value.toLowerCase();
	const compare = COMPARE[term.op];

	return (value) => {
		const own = plainNumber(value);

		if (Number.isNaN(own) || Number.isNaN(number))
			return (term.op === ":" || term.op === "=") &&
				plainText(value).toLowerCase() === wanted;
		return compare(own, number);
	};
}

/* As valueTest, and `:` finds a part of text; in a dict or a list any value
 * may hold. */
function attributeTest(term)
{
	const same = valueTest(term);
	const part = term.op === ":" ? textTest(term) : same;

	return function test(value) {
		if (value instanceof Digits || value === null ||
		    typeof value !== "object")
			return typeof value === "string" ? part(value) :
				same(value);
		return Object.values(value).some(test);
	};
}

function durationTest(term)
{
	const [, text, unit] = term.value.match(/^([-+.\deE]*)(\p{L}*)$/u) || [];
	const scale = unit === "" ? 1e6 : DURATION_UNITS[unit];

	if (!scale || !NUMBER.test(text))
		throw new FilterError(term.at, `“${visible(term.value)}” is not ` +
			"a duration; use 500us, 12ms, 30s, 2m or 1h");
	// To the nanosecond, so that 1.1s is what 1100000us is.
	const wanted = Math.round(Number(text) * scale * 1e3) / 1e3;

	if (term.op === ":" || term.op === "=") {
		const shown = formatDuration(wanted);

		return (us) => formatDuration(us) === shown;
	}
	return (us) => COMPARE[term.op](us, wanted);
}

/* The terms about samples: from a term to a test of a row. */
const ROW_TERMS = {
	status: (term) => fieldTest("status", textTest(term)),
	source: (term) => fieldTest("source", textTest(term)),
	label: (term) => fieldTest("label", textTest(term)),
	index: (term) => fieldTest("index", valueTest(term)),
	group: (term) => fieldTest("group", valueTest(term)),
	worker: (term) => fieldTest("worker", textTest(term)),
	tokens: (term) => {
		const test = valueTest(term);

		return (row) => test(tokensOf(row));
	},
	reward: (term) => fieldTest("reward", attributeTest(term)),
	dur: (term) => {
		const test = durationTest(term);

		return (row) => test(row.end - row.start);
	},
};

function fieldTest(field, test)
{
	return (row) => test(row[field]);
}

/* The terms about spans: from a term and the model to a test of an item. */
const SPAN_TERMS = {
	name: (term, model) => stringTest(model, "name", textTest(term)),
	attempt: (term, model) => {
		const test = valueTest(term);

		return stringTest(model, "attempt", (text) =>
			test(NUMBER.test(text) ? Number(text) : text));
	},
	dur: (term, {items}) => {
		const test = durationTest(term);

		return (i) => items.state[i] <= OPEN && !items.timeless[i] &&
			test(Math.max(0, items.end[i] - items.start[i]));
	},
};

/* A test of an item's string, asked once for each string. */
function stringTest({items, strings}, column, test)
{
	const known = new Uint8Array(strings.length); /* 1: no, 2: yes */
	const ids = items[column];

	return (i) => {
		const id = ids[i];

		if (known[id] === 0)
			known[id] = test(strings[id]) ? 2 : 1;
		return known[id] === 2;
	};
}

/*
 * Slices: a part of a filter that looks at items: {negated, terms, pending, items,
 * rows, adds}. items and rows are what the tests hit. The terms are about
 * attributes: pending is true until what was hit was narrowed to what they
 * hit, too; a clause that adds is widened instead.
 */
function* makeClause(model, negated, tests, attributeTerms)
{
	const {items, rows} = model;
	const clause = {negated, terms: attributeTerms,
		pending: attributeTerms.length > 0,
		items: new Uint8Array(items.name.length),
		rows: new Uint8Array(rows.length)};

	const holds = (i) => tests.every((test) => test(i));
	const test = tests.length === 1 ? tests[0] : holds;

	for (let r = 0; r < rows.length; r++) {
		const end = rows[r].first + rows[r].items;

		for (let i = rows[r].first; i < end; i++) {
			if (items.role[i] !== 0 || !test(i))
				continue;
			clause.items[i] = 1;
			clause.rows[r] = 1;
		}
		if (r % CLAUSE_ROWS === 0)
			yield;
	}
	return clause;
}

/* Slices: the clause of bare text: also about rows, and items by name. A number
 * is a sample's index and nothing else. */
function* textClause(model, term)
{
	const wanted = term.value.toLowerCase();
	const named = stringTest(model, "name",
		(name) => name.toLowerCase().includes(wanted));
	const numeric = NUMBER.test(wanted) && !term.quoted;
	const clause = yield* makeClause(model, term.negated,
		[numeric ? () => false : named], []);
	const fields = numeric ? ["index"] :
		["index", "label", "source", "status"];

	for (let r = 0; r < model.rows.length; r++) {
		const row = model.rows[r];

		clause.rows[r] ||= fields.some((field) => {
			const text = plainText(row[field]).toLowerCase();

			return row[field] !== null && (field === "index" ?
				text === wanted : text.includes(wanted));
		});
		if (r % CLAUSE_ROWS === 0)
			yield;
	}
	clause.terms = numeric ? [] : [textTerm(wanted)];
	clause.adds = true;
	return clause;
}

function isSpanTerm(term)
{
	return Object.hasOwn(SPAN_TERMS, term.key) || term.key === "error" ||
		term.key.startsWith("attr.");
}

/* Whether a term can be told of an item without its attributes. */
function isQuick(term)
{
	return Object.hasOwn(SPAN_TERMS, term.key) ||
		(term.key === "error" && term.value === "");
}

/* A test of items by a quick term. */
function quickTest(term, model)
{
	if (term.key === "error")
		return (i) => model.items.error[i] === 1;
	return SPAN_TERMS[term.key](term, model);
}

/* Slices: the clause of terms that must hold for one item; `apart` for a negated term
 * that hides the samples with such an item. */
function* spanClause(model, terms, apart)
{
	const negated = (term) => term.negated && !apart;
	const tests = terms.filter(isQuick).map((term) => {
		const test = quickTest(term, model);

		return (i) => test(i) !== negated(term);
	});
	const attributeTerms = terms.filter((term) => !isQuick(term))
		.map((term) => {
			const {hint, test} = term.key === "error" ?
				errorTerm(term) : attributeTerm(term);

			return negated(term) ? {hint: () => true,
				test: (attrs) => !test(attrs)} : {hint, test};
		});

	return yield* makeClause(model, apart, tests, attributeTerms);
}

function rowTest(term)
{
	const [key, ...path] = term.key.split(".");

	if (term.key === "")
		throw new FilterError(term.at,
			`${term.op} needs a key before it, e.g. dur>30s`);
	if (key === "reward" && path.length > 0) {
		const test = attributeTest(term);

		return (row) => {
			const value = lookUp(row.reward, path.join("."));

			return value !== undefined && test(value);
		};
	}
	if (!Object.hasOwn(ROW_TERMS, term.key))
		throw new FilterError(term.at, `“${visible(term.key)}” is not a key` +
			"; put text with : in quotes");
	return ROW_TERMS[term.key](term);
}

/* A filter's terms by what they ask of: the sample, one span, any span that
 * must not be there. */
function sortTerms(terms)
{
	const positive = terms.some((term) => isSpanTerm(term) &&
		!term.negated && term.key !== "dur");
	const aboutSpan = (term) => isSpanTerm(term) &&
		(positive || term.key !== "dur");
	const joins = (term) => positive &&
		!(term.negated && term.key === "name");

	return {
		text: terms.filter((term) => term.op === ""),
		row: terms.filter((term) => term.op !== "" && !aboutSpan(term)),
		span: terms.filter((term) => aboutSpan(term) && joins(term)),
		apart: terms.filter((term) => aboutSpan(term) && !joins(term)),
	};
}

/* Slices: {rowTests, span, clauses}: span, if any, is one of the clauses. */
function* readClauses(text, model)
{
	const terms = sortTerms(readTerms(text));
	const span = terms.span.length > 0 ?
		yield* spanClause(model, terms.span, false) : undefined;
	const rowTests = terms.row.map((term) => {
		const test = rowTest(term);

		return (row) => test(row) !== term.negated;
	});
	const clauses = span ? [span] : [];

	for (const term of terms.text)
		clauses.push(yield* textClause(model, term));
	for (const term of terms.apart)
		clauses.push(yield* spanClause(model, [term], true));
	return {rowTests, span, clauses};
}

/*
 * A filter from its text: {error, at, test, spanTest, needsAttrs, prepare}.
 *
 * error       "" or what is wrong, then nothing is hidden; at: where
 * test        (row, r): is this row shown
 * spanTest    (i): is this item one that was looked for; undefined when the
 *             filter says nothing of spans
 * needsAttrs  then test and spanTest are right only once prepare(bytes,
 *             signal) has resolved, to false when the signal aborted it;
 *             bytes are the attributes of the page. Before, terms about
 *             attributes hide nothing, and text is looked for elsewhere.
 */
function parseFilter(text, model)
{
	return finish(filterSteps(text, model));
}

function* filterSteps(text, model)
{
	try {
		return makeFilter(yield* readClauses(text, model), model);
	} catch (error) {
		if (!(error instanceof FilterError))
			throw error;
		return {error: error.message, at: error.at, test: () => true,
			needsAttrs: false};
	}
}

function makeFilter({rowTests, span, clauses}, model)
{
	const scans = clauses.filter((clause) => clause.terms.length > 0);
	const holds = (clause, r) => clause.pending ||
		Boolean(clause.rows[r]) !== clause.negated;

	return {
		error: "",
		test: (row, r) => rowTests.every((test) => test(row)) &&
			clauses.every((clause) => holds(clause, r)),
		spanTest: span && ((i) => span.items[i] === 1),
		needsAttrs: scans.length > 0,
		prepare: (bytes, signal) =>
			scanClauses(model, bytes, scans, signal),
	};
}

/* Make the clauses' hits those of the attributes too. */
async function scanClauses(model, bytes, clauses, signal)
{
	const found = clauses.map((clause) => ({
		items: clause.adds ? clause.items.slice() :
			new Uint8Array(clause.items.length),
		rows: clause.adds ? clause.rows.slice() :
			new Uint8Array(clause.rows.length),
	}));
	const scans = clauses.map((clause, c) => ({
		terms: clause.terms,
		wanted: clause.adds ? (i, r) => !found[c].rows[r] :
			(i) => clause.items[i] === 1,
		hit(i, r) {
			found[c].items[i] = 1;
			found[c].rows[r] = 1;
		},
	}));

	if (!await scanAttrs(model, bytes, scans, signal))
		return false;
	clauses.forEach((clause, c) =>
		Object.assign(clause, found[c], {pending: false}));
	return true;
}
