// What the panel of a timeline page counts: within a measured range, and
// without what the legend hides, in headless Chromium.
//
// Usage: node scope.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {details} from "./plot.mjs";

async function counted(page)
{
	await page.waitForFunction(() => globalThis.timeline.overview);
	await settle(page);
	await page.waitForFunction(() => !document.getElementById("panel")
		.innerText.includes("counting"));
}

async function tabText(page, tab)
{
	await page.locator(`#tab-${tab}`).click();
	await settle(page);
	return page.locator("#tab-panel").innerText();
}

const checks = {
	// The first of two samples, each with an error and an open span, is the
	// one within the range.
	async measured(page)
	{
		await counted(page);
		const said = await details(page);

		assert.equal(said.samples, "1");
		assert.equal(said["wall time"], "2.00 s");
		assert.equal(said["sample time"], "2.00 s");
		for (const tab of ["stragglers", "errors", "open"]) {
			const text = await tabText(page, tab);

			assert.ok(text.includes("#0"), `${tab}: ${text}`);
			assert.ok(!text.includes("#1"), `${tab}: ${text}`);
		}
		assert.match(await page.locator("#tab-errors").innerText(),
			/Errors 1$/);
	},

	// What is hidden leaves the sums.
	async hidden(page)
	{
		await counted(page);
		const activities = async () => (await details(page)).text;

		assert.match(await activities(), /decode/);
		assert.match(await tabText(page, "names"), /sglang_generate/);
		await page.locator("[data-chip=decode]").click();
		await page.waitForFunction(() => !document.getElementById(
			"details").innerText.includes("decode"));
		await page.waitForFunction(() => !document.getElementById(
			"panel").innerText.includes("sglang_generate"));
		await page.locator("[data-chip=decode]").click();
		await page.waitForFunction(() => document.getElementById(
			"details").innerText.includes("decode"));
	},

	// The comparison writes names whole.
	async compared(page)
	{
		await page.locator("#compare").click();
		await page.locator("#comparison tbody tr").first().waitFor();
		const cut = await page.evaluate(() => [...document
			.querySelectorAll("#comparison th[scope=row]")].filter(
			(one) => one.scrollWidth > one.clientWidth + 1)
			.map((one) => one.textContent));

		assert.deepEqual(cut, []);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
