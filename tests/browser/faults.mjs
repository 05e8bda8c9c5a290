// What made other viewers hard to use or blank, on a timeline page in headless
// Chromium.
//
// Usage: node faults.mjs CHECK PAGE.html [HASH]
//
// The dumps are made by viewer-faults.bats.
import assert from "node:assert/strict";

import {inDumpOrder, look, settle} from "./browser.mjs";
import {colourAt, details, placeOf, shown, stateOf, windowOf, zoomBy}
	from "./plot.mjs";

/* global afterFrame, plural -- of the page, in it */

async function drag(page, [x, y], [dx, dy])
{
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x + dx / 2, y + dy / 2);
	await page.mouse.move(x + dx, y + dy);
	await page.mouse.up();
	await settle(page);
}

// How many pixels of a line through the rows are drawn on.
async function inked(page, y)
{
	await settle(page);
	return page.evaluate((top) => {
		const rows = document.getElementById("rows");
		const copy = new OffscreenCanvas(rows.width, 1)
			.getContext("2d", {willReadFrequently: true});

		copy.drawImage(rows, 0, -top);
		const line = copy.getImageData(0, 0, rows.width, 1).data;
		let count = 0;

		for (let x = 0; x < line.length; x += 4)
			count += line[x + 3] > 0 ? 1 : 0;
		return count;
	}, y);
}

async function width(page)
{
	return (await page.locator("#rows").boundingBox()).width;
}

async function filter(page, text, count)
{
	await page.locator("#filter").fill(text);
	await page.waitForFunction(([wanted, rows]) =>
		globalThis.timeline.state.filter === wanted &&
		globalThis.timeline.order.length === rows, [text, count]);
	return shown(page);
}

const checks = {
	// Rows are called what the format has as such.
	async threads(page)
	{
		await page.waitForFunction(() => globalThis.timeline.stats);
		await page.locator("#verdict button").first().waitFor();
		assert.match(await page.locator("#facts").innerText(),
			/^2 threads · 9\.00 s/);
		const panel = page.locator("#details");

		assert.match(await panel.innerText(),
			/^All threads\s+Click a bar or a thread for details\.\s+threads\s+2\s/);
		assert.match(await page.locator("#tab-panel").innerText(),
			/^2 threads/);
		await page.locator(".label").first().click();
		await settle(page);
		assert.match(await panel.innerText(), /^Thread /);
		await page.locator("#filter").fill("no such");
		await page.locator("#none").waitFor();
		assert.match(await page.locator("#none").innerText(),
			/^No thread matches/);
		await page.locator("#filter").fill("");
		for (const [tab, said] of [["names", /show threads/],
			["flame", /all threads: total .* · 2 threads · .* of thread time/s],
			["errors", /among the threads shown/],
			["notes", /Select a span or a thread/],
			["critical", /All threads count/]]) {
			await page.locator(`#tab-${tab}`).click();
			await page.locator("#tab-panel", {hasText: said}).waitFor();
		}
		assert.deepEqual(await page.evaluate(() => [1, 2].map((n) =>
			plural(n, "process"))), ["1 process", "2 processes"]);
	},

	async still(page)
	{
		const before = await placeOf(page, 30, "sglang_generate", -1);

		await page.mouse.click(...before);
		assert.equal((await details(page)).title, "sglang_generate");
		assert.deepEqual(await placeOf(page, 30, "sglang_generate", -1),
			before);
	},

	async drag(page)
	{
		const [x, y] = await placeOf(page, 20, "sglang_generate", -1);

		await page.mouse.move(x, y);
		await zoomBy(page, -300);
		await settle(page);
		await drag(page, [x, y], [-60, -80]);
		const [nowX, nowY] = await placeOf(page, 20, "sglang_generate",
			-1);

		assert.ok(Math.abs(nowX - x + 60) < 2, "sideways");
		assert.ok(Math.abs(nowY - y + 80) < 2, "up");
		assert.equal((await stateOf(page)).selected.row, -1);
		assert.ok(await page.locator("#tip").isHidden());
	},

	// Names, errors, attributes, and "1" no more than what has it.
	async filter(page)
	{
		assert.deepEqual(await filter(page, "lost", 1), [5]);
		assert.equal((await filter(page, "error:exit", 9)).length, 9);
		assert.deepEqual(await filter(page, "attr.tokens_out>998", 2),
			[0, 1]);
		assert.deepEqual(await filter(page, "attempt:1", 1), [3]);
		assert.deepEqual(await filter(page, "1", 1), [1]);
		assert.deepEqual(await filter(page, "reward.a:0.5 index>50", 1),
			[59]);
		assert.deepEqual(await filter(page,
			"status:truncated source:math group<3 -index:4", 1), [10]);
	},

	async rewards(page)
	{
		const label = page.locator(".label", {hasText: "#9 "}).first();

		await filter(page, "index:9", 1);
		assert.match(await label.getAttribute("aria-label"),
			/reward \{"a":0\.5,"b":0\.09\}/);
		assert.ok(!(await page.locator("body").innerText())
			.includes("[object"));
	},

	// Each second's points are seen apart, as near as one likes to look.
	async points(page)
	{
		assert.ok(await inked(page, 12) > 0.95 * await width(page),
			"all along the row");
		const [x, y] = await placeOf(page, 0, "tick", -1);

		await page.mouse.move(x + 300, y);
		for (let n = 0; n < 12; n++)
			await zoomBy(page, -500);
		await settle(page);
		const {start, end} = await windowOf(page);

		assert.ok(end - start < 60e3, `${end - start}`);
		const points = (end - start) / 1000;
		const ink = await inked(page, 12);

		assert.ok(ink > points && ink < 12 * points,
			`${ink} pixels of ${points} points`);
	},

	async many(page)
	{
		assert.equal(await page.locator("#message").innerText(), "");
		assert.ok(await inked(page, 12) > 0.95 * await width(page));
		await page.locator("#expand").click();
		await settle(page);
		const rows = await page.locator("#rows").boundingBox();

		await page.mouse.click(rows.x + 400, rows.y + 24);
		assert.match((await details(page)).title, /^turn/);
		await page.keyboard.press("ArrowRight");
		assert.match((await details(page)).title, /^step/);
	},

	async nan(page)
	{
		assert.deepEqual(await shown(page), [0, 1]);
		await page.mouse.click(...await placeOf(page, 0, "good", -1));
		assert.equal((await details(page)).title, "good");
		await page.locator(".label").nth(1).click();
		assert.match((await details(page)).text, /bad/);
	},

	// An hour with a span of a microsecond, and one that has no end.
	async slivers(page)
	{
		const blink = async () => colourAt(page,
			await placeOf(page, 0, "tool_call", -1));
		const [r, g, b] = await blink();

		assert.ok(b > g && r < 200, `a violet sliver: ${r} ${g} ${b}`);
		const [x, y] = await placeOf(page, 0, "tool_call", -1);

		await page.mouse.click(x, y);
		assert.equal((await details(page)).title, "tool_call");
		assert.equal((await details(page)).duration, "0.000001 s");
		await page.keyboard.press("f");
		await settle(page);
		const {start, end} = await windowOf(page);

		assert.ok(end - start <= 10.01, `${end - start} µs`);
		const [middle, row] = await placeOf(page, 0, "tool_call", -1);

		assert.deepEqual(await colourAt(page, [middle + 30, row]),
			[0x8a, 0x63, 0xc9]);
	},

	// Stripes: along an open span there is more than one colour.
	async hatching(page)
	{
		const colours = async (name) => {
			const [x, y] = await placeOf(page, 1, name, -1);
			const seen = new Set();

			for (let dx = 0; dx < 12; dx++) {
				seen.add(String(await colourAt(page,
					[x + dx, y - 4])));
			}
			return seen.size;
		};

		assert.ok(await colours("stuck") > 1);
		assert.equal(await colours("generate"), 1);
	},

	// After two minutes there are labels, and the axis begins at 0.
	async axis(page)
	{
		const labels = await page.evaluate(() => ticks(
			globalThis.timeline.window.start,
			globalThis.timeline.window.end, 1000)
			.map(({text}) => text));

		assert.equal(labels[0], "0");
		assert.ok(labels.includes("30 m 00 s"), labels.join());
		assert.match(await page.locator("#verdict").innerText(),
			/^1 h 00 m: /);
	},

	async leftOut(page)
	{
		assert.match(await page.locator("#facts").innerText(),
			/ · of 60, the 5 that end last$/);
		assert.equal(await page.locator(".label").count(), 5);
	},

	// Of several dumps one is shown; the filter stays from one to another.
	async dumps(page)
	{
		// What was counted of one dump is not shown with another.
		await page.waitForFunction(() => globalThis.timeline.stats &&
			document.querySelector("#panel table"));
		await page.evaluate(() => {
			const pauseAsEver = pause;

			globalThis.pause = () => globalThis.go ? pauseAsEver() :
				new Promise((go) => globalThis.go = go);
		});
		await page.locator("#tab-names").click();
		await page.waitForFunction(() => globalThis.go);
		await page.locator("#dumps select").selectOption("1");
		await page.waitForFunction(() =>
			globalThis.timeline.model.rows.length === 2);
		await page.evaluate(() => globalThis.go());
		await settle(page);
		await page.locator("#dumps select").selectOption("0");
		await page.waitForFunction(() =>
			globalThis.timeline.model.rows.length !== 2);
		await filter(page, "source:math", 30);
		await page.locator("#dumps select").selectOption("1");
		await page.waitForFunction(() =>
			globalThis.timeline.model.rows.length === 2);
		assert.deepEqual(await shown(page), [40]);
		assert.equal(await page.locator("#name").innerText(),
			"timeline.json");
		await page.waitForFunction(() => ["dump=1", "math"].every((text) =>
			location.hash.includes(text)));
		await page.reload();
		await page.waitForFunction(() =>
			document.documentElement.dataset.ready);
		assert.deepEqual(await shown(page), [40]);
		await page.locator("#dumps").getByRole("button",
			{name: "Compare"}).click();
		await page.getByRole("dialog").getByRole("row",
			{name: /^tool_call /}).waitFor();
	},

	// What was to be counted of one dump in the next frame is not counted once
	// another is open.
	async switched(page)
	{
		await page.waitForFunction(() => globalThis.timeline.overview);
		await page.evaluate(() => {
			const asEver = afterFrame;
			const held = [];

			globalThis.afterFrame = (action) => held.push(action);
			globalThis.release = () => {
				globalThis.afterFrame = asEver;
				held.forEach((action) => action());
				return held.length;
			};
		});
		await filter(page, "source:math", 30);
		await page.locator("#dumps select").selectOption("1");
		await page.waitForFunction(() =>
			globalThis.timeline.model.rows.length === 2);
		assert.ok(await page.evaluate(() => globalThis.release()) > 2);
		await page.waitForFunction(() => globalThis.timeline.overview);
		assert.equal(await page.locator("#name").innerText(),
			"timeline.json");
	},

	// What cannot be opened says so instead of staying blank.
	async broken(page)
	{
		await page.addInitScript(() => {
			delete globalThis.DecompressionStream;
		});
		await page.reload();
		assert.match(await page.locator("#message").innerText(),
			/too old .* lacks DecompressionStream/);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, inDumpOrder(hash), checks[name]);
