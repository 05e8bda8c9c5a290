// Whether axe-core finds anything serious in the timeline page: for people who
// hear it, who see little, or who have no mouse.
//
// Usage: node axe.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import {look, settle} from "./browser.mjs";

const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
const axe = fs.readFileSync(path.join(cache,
	"obstools/axe/node_modules/axe-core/axe.min.js"), "utf8");
const PHONE = {width: 390, height: 844};

const checks = {
	// All tabs, with a span that is selected.
	async tabs(page)
	{
		await page.evaluate(() => document.getElementById("expand")
			.click());
		await page.locator(".label").nth(2).click();
		for (const id of await page.locator("[role=tab]")
			.evaluateAll((tabs) => tabs.map((tab) => tab.id))) {
			await page.locator(`#${id}`).click();
			await inOrder(page, id);
		}
	},

	// The menu, the help and what a filter that is wrong says.
	async windows(page)
	{
		await page.locator("#filter").fill("reward<x");
		await page.locator("#filter-error").waitFor();
		await inOrder(page, "a wrong filter");
		await page.locator("#filter").fill("status:nothing");
		await page.locator("#none").waitFor();
		await inOrder(page, "nothing found");
		await page.locator("#filter").fill("");
		await page.locator("#view > summary").click();
		await inOrder(page, "menu");
		await page.locator("#view > summary").click();
		await page.locator("#help").click();
		await inOrder(page, "help");
	},

	async phone(page)
	{
		await page.setViewportSize(PHONE);
		await page.reload();
		await counted(page);
		await inOrder(page, "phone");
		await page.locator(".label").first().click();
		await settle(page);
		await inOrder(page, "sheet");
	},

	// What scrolls though nothing in it is a control can be scrolled by keys.
	async low(page)
	{
		await page.setViewportSize({width: 1200, height: 420});
		await counted(page);
		await settle(page);
		assert.ok(await page.locator("#details").evaluate((panel) =>
			panel.scrollHeight > panel.clientHeight + 10));
		await inOrder(page, "low");
	},

	async compared(page)
	{
		await page.locator("#dumps").getByRole("button",
			{name: "Compare"}).click();
		await page.getByRole("dialog").getByRole("row").first().waitFor();
		await inOrder(page, "comparison");
	},

	// What does keep people out is found.
	async finds(page)
	{
		await page.evaluate(() => document.body.append(
			document.createElement("button")));
		assert.deepEqual((await serious(page)).map(([id]) => id),
			["button-name"]);
	},

	// As a hash has it.
	async shown(page)
	{
		await inOrder(page, "shown");
	},
};

function counted(page)
{
	return page.waitForFunction(() =>
		document.getElementById("verdict").textContent !== "" &&
		globalThis.timeline.overview);
}

// [[rule, places], ...]
async function serious(page)
{
	const found = await page.evaluate(async () =>
		(await globalThis.axe.run(document, {
			resultTypes: ["violations"]})).violations);

	return found.filter(({impact}) =>
		["serious", "critical"].includes(impact)).map(({id, nodes}) =>
		[id, nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)
		}: ${node.failureSummary.slice(0, 200)}`)]);
}

// In either theme nothing serious is found.
async function inOrder(page, what)
{
	for (const theme of ["light", "dark"]) {
		await page.evaluate((wanted) => {
			const box = document.getElementById("theme");

			box.value = wanted;
			box.dispatchEvent(new Event("change"));
		}, theme);
		await settle(page);
		assert.deepEqual(await serious(page), [],
			`${what}, ${theme}`);
	}
}

const [check, file, hash = ""] = process.argv.slice(2);

await look(file, hash, async (page) => {
	await page.addInitScript(axe);
	await page.evaluate(axe);
	await counted(page);
	await checks[check](page);
});
