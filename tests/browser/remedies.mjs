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

const checks = {
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
		assert.match(shown, /Not priced: .*tool_median \(no tool spans\)/);
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
			[["no remedy has a price", "no engine is known"]]);
		assert.deepEqual(await said({remedies: []}), []);
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
		assert.equal(await button.getAttribute("aria-pressed"), "true");
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
		await text(page, "no prices of remedies");
	},
};

await look(process.argv[3], process.argv[4] || "", checks[process.argv[2]]);
