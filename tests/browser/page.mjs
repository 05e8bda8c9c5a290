// What a person sees and does on a timeline page, in headless Chromium.
//
// Usage: node page.mjs CHECK PAGE.html
//
// CHECK is the name of a function in `checks`.
import assert from "node:assert/strict";

import {inDumpOrder, look, settle} from "./browser.mjs";
import {colourAt, details, placeOf, windowOf, zoomBy} from "./plot.mjs";

const checks = {
	async rows(page)
	{
		const labels = await page.locator("#labels .label")
			.allInnerTexts();

		assert.equal(labels.length, 2);
		assert.match(labels[0].replace(/\s+/g, " "),
			/#40 math 10.0 s 300 0.25 ●/);
		assert.match(await page.locator("#facts").innerText(),
			/^rollout 7 · 2 samples · 10\.0 s · /);
		assert.match(await page.title(), /^timeline\.json · timeline$/);
	},

	async click(page)
	{
		await page.mouse.click(...await placeOf(page, 0, "tool_call", -1));
		const shown = await details(page);

		assert.equal(shown.title, "tool_call");
		assert.equal(shown.start, "2.000000 s");
		assert.equal(shown.end, "3.250001 s");
		assert.equal(shown.duration, "1.250001 s");
		assert.equal(shown.clock, "2025-12-18 23:36:42.500000 UTC");
		assert.match(shown.text, /Parents\s+generate\s/);
		assert.match(shown.text, /tool bash/);
		assert.match(shown.text, /big 12345678901234567890/);
	},

	// The parents are a way to walk: the click selects the outer span.
	async parents(page)
	{
		await page.mouse.click(...await placeOf(page, 0, "tool_call", -1));
		await details(page);
		await page.locator("#details").getByRole("button",
			{name: "generate", exact: true}).click();
		assert.equal((await details(page)).title, "generate");
	},

	async lanes(page)
	{
		await page.locator(".label .fold").nth(1).click();
		await page.mouse.click(...await placeOf(page, 1,
			"sglang_generate [P]", 1));
		assert.equal((await details(page)).title, "sglang_generate [P]");
		await page.mouse.click(...await placeOf(page, 1,
			"sglang_generate [D]", 2));
		const shown = await details(page);

		assert.equal(shown.title, "sglang_generate [D]");
		assert.match(shown.text, /pd_decode_forward_duration 6/);
	},

	async marks(page)
	{
		await page.locator(".label .fold").first().click();
		await page.mouse.click(...await placeOf(page, 0,
			"sandbox_assign", 1));
		assert.match((await details(page)).text, /point event/);
		await page.keyboard.press("Escape");
		const stuck = await placeOf(page, 0, "stuck", 1);

		await page.mouse.click(...stuck);
		assert.match((await details(page)).text,
			/open span: it has no end/);
		await page.mouse.click(...await placeOf(page, 0, "lost", 2));
		const lost = await details(page);

		assert.match(lost.text, /orphan/);
		assert.match(lost.text, /span id nope/);
	},

	async zoom(page)
	{
		const whole = await windowOf(page);
		const [x, y] = await placeOf(page, 0, "tool_call", -1);

		await page.mouse.move(x, y);
		await zoomBy(page, -300);
		await settle(page);
		const near = await windowOf(page);
		const [after] = await placeOf(page, 0, "tool_call", -1);

		assert.ok(near.end - near.start < whole.end - whole.start);
		assert.ok(Math.abs(after - x) < 2, "it stays at the pointer");
		await page.mouse.down();
		await page.mouse.move(x + 100, y, {steps: 3});
		await page.mouse.up();
		const [dragged] = await placeOf(page, 0, "tool_call", -1);

		assert.ok(Math.abs(dragged - x - 100) < 2, "a drag pans");
		assert.notEqual((await details(page)).title, "tool_call",
			"a drag selects nothing");
		await page.locator("#fit").click();
		assert.deepEqual(await windowOf(page), whole);
	},

	async keys(page)
	{
		const spans = [];
		const press = async (key) => {
			await page.keyboard.press(key);
			const {start, end} = await windowOf(page);

			spans.push(end - start);
			return start;
		};
		const before = await press("w");
		const right = await press("d");

		assert.ok(right > before);
		assert.ok(await press("a") < right);
		await press("-");
		assert.ok(spans[3] > spans[0]);
		for (let i = 0; i < 80; i++)
			await page.keyboard.press("+");
		await press("w");
		assert.ok(Math.abs(spans[4] - 10) < 1e-6, "the floor is 10 µs");
		await press("0");
		await page.keyboard.press("?");
		assert.ok(await page.locator("#keys").isVisible());
		await page.keyboard.press("Escape");
		assert.ok(!await page.locator("#keys").isVisible());
	},

	// Light, dark by the system's wish, and by the button; bars have their
	// colours.
	async themes(page)
	{
		const ground = () => page.evaluate(() =>
			getComputedStyle(document.body).backgroundColor);
		const bar = async () => {
			const [x, y] = await placeOf(page, 1,
				"sglang_generate", -1);

			return colourAt(page, [x, y - 5]);
		};

		assert.equal(await ground(), "rgb(255, 255, 255)");
		assert.deepEqual(await bar(), [0x16, 0x99, 0x7a]);
		await page.emulateMedia({colorScheme: "dark"});
		await settle(page);
		assert.equal(await ground(), "rgb(20, 24, 31)");
		assert.deepEqual(await bar(), [0x1f, 0xa7, 0x87]);
		await page.locator("#cycle").click();
		assert.equal(await ground(), "rgb(255, 255, 255)");
	},

	async hostile(page)
	{
		const [x, y] = await placeOf(page, 0,
			"</script><img src=x onerror=alert(1)>", -1);

		await page.mouse.click(x, y);
		const shown = await details(page);

		assert.equal(shown.title, "</script><img src=x onerror=alert(1)>");
		assert.equal(shown.source, '"><svg onload=alert(1)>');
		assert.equal(shown.label, "<!-- <script> x");
		assert.match(shown.text, /lone \\ud800/);
		assert.match(shown.text, /nul a\\u0000b/);
		assert.match(shown.text, /nan null/);
		assert.match(shown.text, /line x\\u2028y/);
		assert.match(await page.title(), /^a'"><b>\.json · timeline$/);
		assert.equal(await page.locator("img, svg, b:not(#tip b, .chart b, #verdict b)").count(),
			0);
	},

	async accessible(page)
	{
		const labels = await page.locator(".label").evaluateAll((all) =>
			all.map((label) => label.getAttribute("aria-label")));

		assert.match(labels[1], /^#41 code .*, sample 41, group 5, source code, /);
		assert.match(labels[1], /status truncated/);
		const nameless = await page.locator("button").evaluateAll((all) =>
			all.filter((button) => !button.innerText.trim() &&
				!button.getAttribute("aria-label")).length);

		assert.equal(nameless, 0);
	},

	async empty(page)
	{
		assert.match(await page.locator("#message").innerText(),
			/No sample of this dump has a trace/);
	},
};

const [name, file] = process.argv.slice(2);

await look(file, inDumpOrder(""), checks[name]);
