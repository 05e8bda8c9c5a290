// Every key of the page, in headless Chromium.
//
// Usage: node keys.mjs CHECK PAGE.html
//
// CHECK is the name of a function in `checks`; the page is that of
// tests/data/view.json.
import assert from "node:assert/strict";

import {inDumpOrder, look, settle} from "./browser.mjs";
import {placeOf, shown, stateOf, windowOf} from "./plot.mjs";

// The name of the selected item, or the index of the selected sample.
function selected(page)
{
	return page.evaluate(() => {
		const {model, state: {selected: {row, item}}} =
			globalThis.timeline;

		return item < 0 ? model.rows[row]?.index :
			model.strings[model.items.name[item]];
	});
}

const checks = {
	async window(page)
	{
		const after = async (key) => {
			await page.keyboard.press(key);
			const {start, end} = await windowOf(page);

			return {start, span: end - start};
		};
		const whole = await after("0");

		for (const [nearer, farther] of [["w", "s"], ["+", "-"],
			["=", "-"], ["W", "S"]]) {
			const near = await after(nearer);

			assert.ok(near.span < whole.span, nearer);
			assert.ok((await after(farther)).span > near.span);
			await after("0");
		}
		const near = await after("w");

		assert.ok((await after("a")).start < near.start);
		assert.ok((await after("d")).start >= near.start - 1e-6);
		assert.deepEqual(await after("0"), whole);
	},

	async walk(page)
	{
		const press = async (key) => {
			await page.keyboard.press(key);
			return selected(page);
		};

		assert.equal(await press("ArrowDown"), 0);
		assert.equal(await press("ArrowDown"), 1);
		assert.equal(await press("ArrowUp"), 0);
		assert.equal(await press("ArrowRight"), "generate_and_rm");
		assert.equal(await press("ArrowRight"), "sglang_generate");
		assert.equal(await press("ArrowRight"), "reward_model");
		assert.equal(await press("ArrowRight"), "reward_model");
		assert.equal(await press("ArrowLeft"), "sglang_generate");
		assert.equal(await press("Shift+ArrowUp"), "generate_and_rm");
		assert.equal(await press("Shift+ArrowDown"), "sglang_generate");
		assert.equal(await press("ArrowDown"), "sglang_generate");
		assert.equal((await stateOf(page)).selected.row, 1);
		assert.equal(await press("Escape"), undefined);
	},

	// F, M and Enter are about the selection.
	async selection(page)
	{
		const whole = await windowOf(page);

		await page.mouse.click(...await placeOf(page, 2, "tool_call",
			-1));
		await page.keyboard.press("f");
		const {start, end} = await windowOf(page);

		assert.ok(start < 8e6 && end > 9e6 && end - start < 2e6);
		await page.keyboard.press("m");
		assert.deepEqual((await stateOf(page)).measured,
			{start: 8e6, end: 9e6});
		await page.keyboard.press("Escape");
		assert.equal((await stateOf(page)).measured, null);
		assert.equal(await selected(page), "tool_call");
		await page.keyboard.press("Enter");
		assert.deepEqual((await stateOf(page)).expanded, [0, 0, 1, 0]);
		await page.keyboard.press("Escape");
		assert.equal(await selected(page), undefined);
		await page.keyboard.press("f");
		assert.deepEqual(await windowOf(page), whole);
	},

	async rest(page)
	{
		const {theme} = await stateOf(page);

		await page.keyboard.press("e");
		assert.deepEqual((await stateOf(page)).expanded, [1, 1, 1, 1]);
		await page.keyboard.press("e");
		await page.keyboard.press("g");
		await settle(page);
		assert.equal(await page.locator("#labels .head").count(), 2);
		await page.keyboard.press("p");
		assert.ok(!await page.locator("#side").isVisible());
		await page.keyboard.press("t");
		assert.notEqual((await stateOf(page)).theme, theme);
		await page.keyboard.press("?");
		assert.ok(await page.locator("#keys").isVisible());
		assert.match(await page.locator("#filter-help").innerText(),
			/reward<0\.5/);
		await page.keyboard.press("Escape");
		assert.ok(!await page.locator("#keys").isVisible());
	},

	// In the search box keys write; Escape empties it, then leaves it.
	async search(page)
	{
		await page.keyboard.press("/");
		await page.keyboard.type("swede");
		await page.waitForFunction(() =>
			globalThis.timeline.state.filter === "swede");
		assert.deepEqual(await shown(page), []);
		await page.keyboard.press("Escape");
		assert.equal((await shown(page)).length, 4);
		await page.keyboard.press("Escape");
		assert.equal(await page.evaluate(() =>
			document.activeElement.id), "scroller");
	},

	async scroll(page)
	{
		const top = async (key) => {
			await page.keyboard.press(key);
			await settle(page);
			return page.evaluate(() => globalThis.timeline.scroll);
		};

		await page.setViewportSize({width: 1440, height: 240});
		await page.keyboard.press("e");
		const end = await top("End");

		assert.ok(end > 0);
		assert.ok(await top("PageUp") < end);
		assert.equal(await top("Home"), 0);
		assert.ok(await top("PageDown") > 0);
	},

	// The focus walks with the selection when it is on a label.
	async focus(page)
	{
		await page.locator(".label").first().click();
		await page.keyboard.press("ArrowDown");
		await settle(page);
		assert.equal(await page.evaluate(() =>
			document.activeElement.dataset.row), "1");
		assert.match(await page.locator("#announce").innerText(),
			/^sample 1, group 0, .*; line 2 of 4$/);
	},
};

const [name, file] = process.argv.slice(2);

await look(file, inDumpOrder(""), checks[name]);
