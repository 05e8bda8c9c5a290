// The tab of remedies, in headless Chromium.
//
// Usage: node remedies.mjs CHECK PAGE.html [HASH]
//
// The page is that of the dump in viewer-remedies.bats; prices.json beside it
// is what obs-perfsum --what-if says of the same dump.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import {look, settle} from "./browser.mjs";

/* global PRICE_COLUMNS, belowText, intervalText, priceRecord -- of the page */

const prices = JSON.parse(fs.readFileSync(path.join(
	path.dirname(process.argv[3]), "prices.json"), "utf8"));

// The tab's text, once it shows what is expected.
async function text(page, wanted)
{
	await page.locator("#tab-whatif").click();
	await page.waitForFunction((pattern) => new RegExp(pattern).test(
		document.getElementById("tab-panel").innerText), wanted);
	return page.evaluate(() =>
		document.getElementById("tab-panel").innerText);
}

// The pixels of the rows.
async function rows(page)
{
	await settle(page);
	return page.evaluate(() => document.getElementById("rows").toDataURL());
}

// In the page: words of the table that two lines share, and how wide its last
// column is.
function brokenWords()
{
	const broken = [];

	for (const one of document.querySelectorAll("#tab-panel tbody th .link")) {
		for (const {index, 0: word} of
			one.textContent.matchAll(/\S+/g)) {
			const range = document.createRange();

			range.setStart(one.firstChild, index);
			range.setEnd(one.firstChild, index + word.length);
			if (range.getClientRects().length > 1)
				broken.push(word);
		}
	}
	return {broken, last: document.querySelector(
		"#tab-panel td:last-child").clientWidth};
}

const checks = {
	// In a wide panel titles break between words, and what to change has
	// room.
	async wide(page)
	{
		await text(page, "Together");
		assert.ok(await page.locator("#tab-panel table.wide").count());
		const {broken, last} = await page.evaluate(brokenWords);

		assert.deepEqual(broken, []);
		assert.ok(last > 110, `${last} wide`);
	},

	// The page has the figures of obs-perfsum, and nothing else.
	async figures(page)
	{
		await text(page, "Together");
		const {whatIf} = await page.evaluate(() =>
			globalThis.timeline.model.about);

		assert.equal(whatIf.wall, prices.wall);
		assert.deepEqual(whatIf.remedies.map(
			({id, wall, low, high, refused}) =>
				[id, wall, low, high, refused]), prices.remedies.map(
			({id, wall, low, high, refused}) =>
				[id, wall, low, high, refused]));
		assert.deepEqual(Object.fromEntries(whatIf.bill.map(
			([key, , seconds]) => [key, seconds])),
		Object.fromEntries(Object.entries(prices.bill.seconds)
			.filter(([, seconds]) => seconds > 0)));
		assert.deepEqual(whatIf.slow.map(([name]) => name),
			prices.engines.filter(({slow}) => slow)
				.map(({name}) => name));
		assert.ok(whatIf.slow.length > 0 && whatIf.slow.every(
			([, times]) => times > 1.15));
		assert.deepEqual(whatIf.stalled, []);
		assert.deepEqual(whatIf.stack, prices.stack.map(
			({add, wall}) => [add, wall]));
	},

	async shows(page)
	{
		const shown = await text(page, "Together");
		const {bill: {seconds, sample}} = prices;

		assert.match(shown, new RegExp(`last sample, #${sample}, spent`));
		assert.match(shown, /engines equal/);
		assert.match(shown, /repair or replace 10\.0\.0\.1:30000/);
		assert.match(shown, /recorded/);
		assert.match(shown, /Not estimated: .*tools at the median \(no tool spans\)/);
		assert.match(shown, /no routing takes less than [\d.]+ s; engines equal does, since it changes them\. Random routing takes/);
		assert.doesNotMatch(shown, /–\s+–/);
		const parts = await page.evaluate(() =>
			[...document.querySelectorAll(".bill i")].map((part) =>
				part.getBoundingClientRect().width));
		const all = parts.reduce((a, b) => a + b);
		const slow = seconds.slow_engine / prices.wall;

		assert.equal(parts.length, Object.values(seconds)
			.filter((s) => s > 0).length);
		assert.ok(parts.some((width) =>
			Math.abs(width / all - slow) < 0.01));
	},

	// The verdict has the best remedy, which opens the tab; not of a part.
	async best(page)
	{
		const clause = page.locator("#verdict button",
			{hasText: "best remedy"});
		const [best] = prices.remedies.filter((one) => one.sure &&
			!one.refused && !one.recorded && !one.range_only)
			.sort((a, b) => a.wall - b.wall);
		const less = Math.round(100 * (1 - best.wall / prices.wall));

		await clause.waitFor();
		assert.match(await clause.innerText(), new RegExp(
			`^best remedy: engines equal, .* s \\(.* s\\), ` +
			`${less}% less: repair or replace 10\\.0\\.0\\.1:30000`));
		await clause.click();
		await settle(page);
		assert.deepEqual(await page.evaluate(() => {
			const {tab, panel, remedy} = globalThis.timeline.state;

			return [tab, panel, remedy];
		}), ["whatif", true, best.id]);
		await page.locator("#filter").fill("group:1");
		await clause.waitFor({state: "detached"});
	},

	// Engines that stalled, and slow ones with the figure of the remedies, come
	// before samples; a slow one is said once.
	async engines(page)
	{
		const said = (whatIf, slow) => page.evaluate((given) => {
			const {model} = globalThis.timeline;

			Object.assign(model.about, given);
			const slow = [...slowWorkers({...globalThis.timeline.stats,
				model}, model.rows)];

			return [...engineClauses({model}, model.rows).map(
				({text, patch}) => [text, patch.filter]), ...slow];
		}, {whatIf, slow});
		const found = {stalled: [["a", 4.14], ["b", 6.98]],
			slow: [["a", 1.66]]};

		assert.deepEqual(await said(found, []), [
			["worker b stalled for 6.98 s", "worker:b"],
			["worker a stalled for 4.14 s", "worker:a"],
			["worker a is slow: decode steps take 1.66 times as long",
				"worker:a"]]);
		assert.deepEqual(await said(found, ["a"]), await said(found, []));
		assert.deepEqual(await said({refused: "no engine is known"}), []);
		assert.deepEqual(await said(undefined), []);
	},

	async stalled(page)
	{
		const [{name, stalls: [[, seconds]]}] = prices.engines.filter(
			({stalls}) => stalls.length > 0);

		await page.locator("#verdict button", {hasText: "stalled"})
			.waitFor();
		assert.match((await page.locator("#verdict p").nth(1)
			.textContent()), new RegExp(`^worker ${name} stalled ` +
			`for ${seconds.toFixed(2)} s · #`));
	},

	// What a remedy costs in tokens belongs to it, and where none has a price the
	// verdict says so.
	async words(page)
	{
		const said = (whatIf) => page.evaluate((given) => {
			const {model} = globalThis.timeline;

			model.about.whatIf = {wall: 10, ...given};
			return remedyClauses({model}, model.rows).map(
				({text, help}) => [text, help]);
		}, whatIf);
		const cut = {id: "cut_p90", title: "cut at p90 (9 tokens)",
			wall: 9, low: 8, high: 9.5, range: false, sure: true,
			change: "vLLM max_tokens", lost: 4,
			cost: "loses 6.5% of the tokens"};

		assert.deepEqual(await said({remedies: [cut]}),
			[["best remedy: cut at p90 (9 tokens), 9.00 s (8.00 – 9.50 s), " +
			"10% less: vLLM max_tokens; loses 6.5% of the tokens",
			"all remedies; shade what this one would take away"]]);
		assert.deepEqual(await said({refused: "no engine is known"}),
			[["no remedy estimated", "no engine is known"]]);
		assert.deepEqual(await said({remedies: []}), []);
	},

	// A range is one in each column, in one form of time, and a remedy is below
	// what routing can do only if it changes answers or engines.
	async ranges(page)
	{
		const said = (expression) => page.evaluate(expression);
		const cells = await page.evaluate(() => {
			const [wall, saves] = PRICE_COLUMNS;
			const record = (one) => ({...priceRecord({state: {},
				model: {about: {whatIf: {wall: 100}}}}, {}, one,
			100).said});

			return [[61, 68], [87, 104], [null, 90], [95, 104]].map(
				([low, high]) => record({low, high, wall: low,
					range: true})).map((one) =>
				[wall, saves].map(({text, value}) =>
					text(value(one), one)));
		});

		assert.deepEqual(cells, [
			["1 m 01 s – 1 m 08 s", "32% – 39%"],
			["1 m 27 s – 1 m 44 s", "up to 13%"],
			["up to 1 m 30 s", "at least 10%"],
			["1 m 35 s – 1 m 44 s", "up to 5.0%"]]);
		assert.deepEqual(await said(() => [[2.83, 3.19], [0.9, 1.2],
			[43, 72]].map(([low, high]) => intervalText({low, high}))),
		["2.83 – 3.19 s", "900 ms – 1.20 s", "43.0 s – 1 m 12 s"]);
		const below = (remedies) => page.evaluate((given) => belowText({
			model: {about: {whatIf: {remedies: given}}}}, 5), remedies);

		assert.equal(await below([{title: "a", wall: 6},
			{title: "b", wall: 4, range: true}]), "");
		assert.equal(await below([{title: "a", wall: 4},
			{title: "b", wall: 3}]),
		"; b does, since it changes them");
	},

	// Queueing has its colour in the legend, though no span is named so.
	async legend(page)
	{
		await page.locator("#legend .chip").first().waitFor();
		const chips = await page.locator("#legend .chip").allInnerTexts();

		assert.equal(chips.filter((one) => one === "queue").length, 1);
		assert.ok(chips.indexOf("queue") < chips.indexOf("decode"));
	},

	// Choosing one shades rows, in the address as well; again: nothing.
	async chooses(page)
	{
		await text(page, "Together");
		const plain = await rows(page);
		const button = page.locator("#tab-panel tbody button",
			{hasText: "engines equal"});

		await button.click();
		await page.waitForFunction(() =>
			location.hash.includes("remedy=engines_equal"));
		await page.locator("#tab-panel [aria-pressed=\"true\"]",
			{hasText: "engines equal"}).waitFor();
		assert.notEqual(await rows(page), plain);
		const gone = await page.evaluate(() => {
			const {model} = globalThis.timeline;
			const {gone: list} = model.about.whatIf.remedies.find(
				({id}) => id === "engines_equal");

			return list.flatMap((row, i) => i % 3 ? [] : [{
				worker: model.rows[row].worker,
				within: list[i + 1] >= model.rows[row].start &&
					list[i + 2] <= model.rows[row].end + 1}]);
		});

		assert.ok(gone.length > 10);
		assert.ok(gone.every(({worker, within}) =>
			within && worker === "10.0.0.1:30000"));
		await button.click();
		await page.waitForFunction(() =>
			!location.hash.includes("remedy"));
		assert.equal(await rows(page), plain);
	},

	// A link to a remedy shades at once; one that there is not does nothing.
	async linked(page)
	{
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.remedy), "cut_p90");
		await text(page, "Together");
		assert.equal(await page.locator("#tab-panel tbody button",
			{hasText: "cut at p90"}).getAttribute("aria-pressed"),
		"true");
	},

	async none(page)
	{
		await text(page, "no estimates of remedies");
	},
};

await look(process.argv[3], process.argv[4] || "", checks[process.argv[2]]);
