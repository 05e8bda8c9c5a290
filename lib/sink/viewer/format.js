/*
 * Times, numbers and hostile text as people read them. Times are
 * microseconds.
 */

const MINUTE = 60e6;
const HOUR = 60 * MINUTE;

/* Three significant digits: 950 µs, 12.4 ms, 3.21 s, 1 m 05 s, 1 h 02 m. */
function formatDuration(us)
{
	if (Number.isNaN(us))
		return "–";
	if (us < 0)
		return "−" + formatDuration(-us);
	if (us < 999.5)
		return `${Math.round(us)} µs`;
	if (us < 999.5e3)
		return `${threeDigits(us / 1e3)} ms`;
	if (us < 59.95e6)
		return `${threeDigits(us / 1e6)} s`;
	if (us < HOUR)
		return twoUnits(us / 1e6, "m", "s");
	return twoUnits(us / MINUTE, "h", "m");
}

function threeDigits(value)
{
	const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	return value.toFixed(decimals);
}

function twoUnits(small, largeUnit, smallUnit)
{
	const whole = Math.round(small);
	const rest = String(whole % 60).padStart(2, "0");

	return `${formatCount(Math.floor(whole / 60))} ${largeUnit} ` +
		`${rest} ${smallUnit}`;
}

/* "1 sample", "1,234 samples", "2 processes" */
function plural(count, noun)
{
	return `${formatCount(count)} ${count === 1 ? noun : manyOf(noun)}`;
}

function manyOf(noun)
{
	return noun + (noun.endsWith("s") ? "es" : "s");
}

/* "samples", "threads" */
function rowNouns(model)
{
	return manyOf(rowNoun(model));
}

function capital(word)
{
	return word[0].toUpperCase() + word.slice(1);
}

/* What the rows of a dump are: "sample", or what its format has instead, as
 * "thread". */
function rowNoun({about})
{
	return about.row ?? "sample";
}

/* All digits: 61.234567 s. */
function formatExact(us)
{
	return Number.isNaN(us) ? "–" : `${(us / 1e6).toFixed(6)} s`;
}

/* UTC wall clock of Unix µs, with six decimals. */
function formatClock(us)
{
	const second = Math.floor(us / 1e6);
	const date = new Date(second * 1e3);
	const micro = String(Math.round(us - second * 1e6)).padStart(6, "0");

	if (Number.isNaN(date.getTime()))
		return `${us / 1e6} s since 1970`;
	return date.toISOString().replace("T", " ").slice(0, -5) +
		`.${micro} UTC`;
}

/* 8,192 */
function formatCount(n)
{
	return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

/* A reward, an index, an id: short, whatever it is. */
function formatValue(value)
{
	if (value === null || value === undefined)
		return "–";
	if (typeof value === "number" && !Number.isInteger(value))
		return String(Number(value.toPrecision(4)));
	if (value instanceof Digits)
		return value.text;
	if (typeof value === "object")
		return visible(JSON.stringify(value));
	return visible(String(value));
}

/* Controls but tab and newline, what is invisible or turns text around, and
 * halves of surrogate pairs. */
const UNSAFE = new RegExp("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f" +
	"\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff\\ufeff]", "gu");

/* Whether a joiner at a place joins what is one sign with it: emoji, or
 * letters of scripts that are written with joiners. */
function joins(text, at)
{
	const before = text.slice(Math.max(0, at - 4), at);
	const after = text.slice(at + 1, at + 3);
	const letter = /[^\P{L}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

	if (text[at] === "\u200d" && /^\p{Extended_Pictographic}/u.test(after) &&
	    /\p{Extended_Pictographic}[\ufe0f\p{EMod}]?$/u.test(before))
		return true;
	return "\u200c\u200d".includes(text[at]) &&
		RegExp(`(${letter.source}|\\p{M})$`, "u").test(before) &&
		RegExp(`^${letter.source}`, "u").test(after);
}

/* Text in which those can be seen and do nothing. */
function visible(text)
{
	return text.replace(UNSAFE, (c, at) => joins(text, at) ? c :
		"\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/* What a span is called. */
function nameText(text)
{
	return /\S/u.test(text) ? visible(text) : "(no name)";
}

/* Steps of the axis past ten seconds, in µs; below it is 1, 2, 5 times 10^n. */
const LONG_STEPS = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800,
	21600, 43200, 86400].map((seconds) => seconds * 1e6);

/* The smallest round step that is at least `least` µs. */
function roundStep(least)
{
	if (least > 10e6) {
		const step = LONG_STEPS.find((s) => s >= least);

		return step || Math.ceil(least / 86400e6) * 86400e6;
	}
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));

	return [1, 2, 5, 10].map((n) => n * power).find((s) => s >= least);
}

/* The axis of a window: times of its ticks and their labels. */
function ticks(start, end, width)
{
	const step = roundStep((end - start) * 96 / Math.max(width, 96));
	const found = [];

	for (let n = Math.max(0, Math.ceil(start / step)); n * step <= end; n++)
		found.push({at: n * step, text: formatTick(n * step, step)});
	return found;
}

/* As many decimals as the step needs, in the unit that suits the size. */
function formatTick(us, step)
{
	const size = Math.abs(us);

	if (size === 0)
		return "0";
	if (size < 1e3)
		return `${us} µs`;
	if (size < 1e6)
		return `${inUnit(us, step, 1e3)} ms`;
	if (step >= 15e6 && size >= MINUTE)
		return formatDuration(us);
	return `${inUnit(us, step, 1e6)} s`;
}

/* "322 ms from 1.509 s": a range, its start as exactly as its length needs. */
function formatRange({start, end})
{
	const step = 10 ** Math.floor(Math.log10(Math.max(end - start, 100) /
		100));

	const from = Math.round(start / step) * step;

	return `${formatDuration(end - start)} from ` +
		(from === 0 ? "0 s" : formatTick(from, step));
}

function inUnit(us, step, unit)
{
	const decimals = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));

	return (us / unit).toFixed(decimals);
}
