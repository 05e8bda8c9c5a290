// The details and the panel of what matters beside the plot, in headless
// Chromium.
//
// Usage: node panel.mjs CHECK PAGE.html
//
// CHECK is the name of a function in `checks`; the page is that of the dump in
// viewer-panel.bats.
import assert from "node:assert/strict";
import {inDumpOrder, look} from "./browser.mjs";

/* global TABS -- of the page, in it */

// The tab's table as lines of words, once it shows what is expected.
async function lines(page, wanted)
{
	await page.waitForFunction((pattern) => new RegExp(pattern).test(
		document.getElementById("tab-panel").innerText), wanted.source);
	// At once: what is drawn anew meanwhile has no layout any more.
	return page.evaluate(() => [...document.querySelectorAll(
		"#tab-panel tbody")].map((body) =>
		body.innerText.replace(/\s+/g, " ").trim()));
}

async function openTab(page, name, wanted)
{
	await page.locator(`#tab-${name}`).click();
	return lines(page, wanted);
}

// The index of the selected sample and the name of the selected item.
function selected(page)
{
	return page.evaluate(() => {
		const {model, state: {selected: {row, item}}} =
			globalThis.timeline;

		return [model.rows[row]?.index ?? null, item < 0 ? null :
			model.strings[model.items.name[item]]];
	});
}

// Wait until the details match.
function detailsShow(page, wanted)
{
	return page.waitForFunction((pattern) => new RegExp(pattern).test(
		document.getElementById("details").innerText), wanted.source);
}

// The buttons of the table's record of a name.
function tab(page, name)
{
	return page.locator("#tab-panel tbody", {hasText: name})
		.getByRole("button");
}

// What is copied, instead of the clipboard.
function catchCopies(page)
{
	return page.evaluate(() => {
		globalThis.copies = [];
		navigator.clipboard.writeText = async (text) => {
			globalThis.copies.push(text);
		};
	});
}

async function copied(page, name)
{
	await page.getByRole("button", {name: `copy ${name}`, exact: true})
		.first().click();
	return page.evaluate(() => globalThis.copies.at(-1));
}

// Select the item of a name, by way of the panel.
async function select(page, name)
{
	await lines(page, /sglang_generate/);
	await tab(page, name).first().click();
	await page.waitForFunction((wanted) => {
		const panel = document.getElementById("details");

		return panel.querySelector("h2").textContent === wanted &&
			!panel.textContent.includes("Decoding");
	}, name);
	return page.locator("#details").innerText();
}

const checks = {
	async names(page)
	{
		const self = await lines(page, /sglang_generate/);

		assert.deepEqual(self, [
			"sglang_generate show samples · isolate 28.0 s 28.0 s 3 18.5 s",
			"tool_call show samples · isolate 6.00 s 6.00 s 2 4.80 s",
			"generate show samples · isolate 2.00 s 10.0 s 1 10.0 s",
			"stuck show samples · isolate 2.00 s 2.00 s 1 2.00 s"]);
		const count = page.getByRole("columnheader", {name: "count"});

		await count.getByRole("button").click();
		assert.equal(await count.getAttribute("aria-sort"),
			"descending");
		await count.getByRole("button").click();
		assert.equal(await count.getAttribute("aria-sort"), "ascending");
		assert.match((await lines(page, /sglang/)).at(-1), /^sglang_gen/);
		await tab(page, "tool_call").nth(0).click();
		assert.deepEqual(await selected(page), [10, "tool_call"]);
		await tab(page, "tool_call").nth(0).click();
		assert.deepEqual(await selected(page), [12, "tool_call"]);
		await tab(page, "tool_call").nth(1).click();
		assert.deepEqual(await lines(page, /2 of 3 samples/), [
			"generate show samples · isolate 2.00 s 10.0 s 1 10.0 s",
			"sglang_generate show samples · isolate 8.00 s 8.00 s 2 4.90 s",
			"tool_call show samples · isolate 6.00 s 6.00 s 2 4.80 s"]);
		assert.equal(await page.locator("#filter").inputValue(),
			"name=tool_call");
		await tab(page, "tool_call").nth(2).click();
		assert.equal(await page.evaluate(() => {
			const {model, state} = globalThis.timeline;

			return [...state.hidden].map((name) =>
				model.strings[name]).includes("tool_call");
		}), false);
	},

	async range(page)
	{
		assert.deepEqual(await lines(page, /within 3\.00 s from 2\.00 s/), [
			"sglang_generate show samples · isolate 8.00 s 8.00 s 3 3.00 s",
			"tool_call show samples · isolate 1.00 s 1.00 s 1 1.00 s",
			"generate show samples · isolate 0 µs 3.00 s 1 3.00 s"]);
	},

	async stragglers(page)
	{
		const all = await openTab(page, "stragglers", /ended last/);

		assert.equal(all[0], "#11 code 22.0 s 22.0 s mostly decode · " +
			"20.0 s in sglang_generate · 91% decode · still open " +
			"at the end");
		assert.match(all[1], /^#10 math .* tools · .* · 50% tool$/);
		await page.getByRole("button", {name: "#10", exact: true})
			.click();
		assert.deepEqual(await selected(page), [10, null]);
		await detailsShow(page, /Time by activity\s+tool 5\.00 s · 50%/);
	},

	async errors(page)
	{
		const all = await openTab(page, "errors", /TimeoutError/);

		assert.equal(await page.locator("#tab-errors").innerText(),
			"Errors 2");
		assert.deepEqual(all, [
			"#10 tool_call 4.00 s TimeoutError: <b>took</b> too long",
			"#11 22.0 s the sample's status is failed"]);
		await page.getByRole("button", {name: "#10 tool_call"}).click();
		assert.deepEqual(await selected(page), [10, "tool_call"]);
		await detailsShow(page, /TimeoutError\s+<b>took<\/b> too long/);
	},

	async open(page)
	{
		const all = await openTab(page, "open", /until the last event/);

		assert.match(all[0], /^#11 stuck 20\.0 s open span: it has no end/);
		assert.match(all[1], /^#11 lost 22\.0 s orphan: .*span id nope/);
		assert.equal(all.length, 2);
	},

	// Left and right walk tabs, and leave the plot alone.
	async keyboard(page)
	{
		await lines(page, /sglang_generate/);
		await page.locator("#tab-names").focus();
		await page.keyboard.press("ArrowLeft");
		await lines(page, /ended last/);
		await page.keyboard.press("End");
		await page.getByText("samples as CSV").waitFor();
		assert.equal(await page.evaluate(() => document.activeElement.id),
			"tab-export");
		await page.keyboard.press("ArrowRight");
		await lines(page, /ended last/);
		await page.keyboard.press("ArrowRight");
		await lines(page, /show samples · isolate/);
		assert.deepEqual(await selected(page), [null, null]);
		await page.keyboard.press("Tab");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		assert.equal(await page.getByRole("columnheader", {name: "self"})
			.getAttribute("aria-sort"), "ascending");
		assert.match(await page.evaluate(() =>
			document.activeElement.textContent), /^self/);
	},

	// Keys reach the tab that has the focus while it is counted anew, too.
	async focusStays(page)
	{
		await lines(page, /sglang_generate/);
		await page.evaluate(() => {
			const list = document.querySelector("#panel [role=tablist]");
			const {steps} = TABS.names;

			globalThis.focused = [];
			new MutationObserver(() => globalThis.focused.push(
				document.activeElement.id)).observe(list,
				{childList: true});
			TABS.names.steps = function* slow(scene) {
				const due = performance.now() + 200;

				while (performance.now() < due)
					yield;
				return steps ? yield* steps(scene) : undefined;
			};
		});
		await page.locator("#tab-names").focus();
		await page.evaluate(() => {
			document.getElementById("panel").style.minWidth = "700px";
		});
		await page.waitForFunction(() => globalThis.focused.length > 0);
		assert.deepEqual(await page.evaluate(() => globalThis.focused),
			["tab-names"]);
		await page.keyboard.press("End");
		await page.getByText("samples as CSV").waitFor();
	},

	async wide(page)
	{
		assert.deepEqual((await page.locator("#tab-panel thead")
			.innerText()).trim().split(/\s+(?!once)/), ["span", "self", "↓",
			"share", "total", "count", "concurrency", "p50", "p95", "max"]);
		assert.match((await lines(page, /sglang/))[0],
			/^sglang_generate show samples · isolate 28\.0 s 74% 28\.0 s 3 /);
	},

	async details(page)
	{
		const text = await select(page, "sglang_generate");

		assert.match(text, /20\.0 s 91% of its sample/);
		await page.keyboard.press("Escape");
		const tool = await select(page, "tool_call");

		assert.match(tool, /duration\s+5\.000000 s/);
		assert.match(tool, /self time\s+5\.00 s/);
		assert.match(tool, /clock\s+2025-12-18 23:36:44\.000000 UTC/);
		assert.match(tool, /accuracy 0\.5/);
		assert.match(tool, /sample id\s+s-10/);
		assert.match(tool, /here: the longest of the 2 in the samples/);
		assert.match(tool, /total 6\.00 s · p50 3\.00 s · p95 4\.80 s/);
		await page.locator("#details").getByRole("button",
			{name: "generate", exact: true}).click();
		await detailsShow(page, /Children\s+sglang_generate 3\.00 s/);
		await page.locator("#details").getByRole("button",
			{name: "sglang_generate"}).click();
		await detailsShow(page, /queued\s+500 ms before it started/);
	},

	async attributes(page)
	{
		await catchCopies(page);
		await page.locator("#filter").fill("index:12");
		await lines(page, /1 of 3 samples/);
		await select(page, "sglang_generate");
		const details = page.locator("#details");

		assert.doesNotMatch(await details.innerText(), /sample id/);
		assert.match(await details.innerText(),
			/big 12345678901234567890 /);
		assert.equal(await copied(page, "big"), "12345678901234567890");
		assert.equal(await copied(page, "note"), "two\nlines");
		assert.match(await copied(page, "all of it"),
			/^\{\n  "big": 12345678901234567890,\n/);
		assert.equal(await details.locator("li", {hasText: /^149 / })
			.count(), 0);
		await details.locator("summary", {hasText: "list"}).click();
		await details.getByRole("button", {name: "50 more"}).click();
		assert.equal(await details.locator("li", {hasText: /^149 149/})
			.count(), 1);
		await details.getByRole("button", {name: /all 3,000 characters/})
			.click();
		assert.ok((await details.innerText()).includes("x".repeat(3000)));
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, inDumpOrder(hash), checks[name]);
