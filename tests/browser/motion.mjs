// Wheel, fingers and keys on a timeline page: what moves, and what must not,
// in headless Chromium.
//
// Usage: node motion.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {placeOf, stateOf, windowOf} from "./plot.mjs";

/* global POINT -- of the page, in it */

function scrollOf(page)
{
	return page.evaluate(() => globalThis.timeline.scroll);
}

async function middleOf(page, selector)
{
	const box = await page.locator(selector).boundingBox();

	return [box.x + box.width / 2, box.y + box.height / 2];
}

// Fingers that go through places in steps: [[x, y], ...] a step, one place a
// finger; as many fingers throughout.
async function touch(page, ...steps)
{
	const session = await page.context().newCDPSession(page);
	const send = (type, places) => session.send("Input.dispatchTouchEvent",
		{type, touchPoints: places.map(([x, y], id) => ({x, y, id}))});

	await send("touchStart", steps[0]);
	for (const places of steps.slice(1))
		await send("touchMove", places);
	await send("touchEnd", []);
	await settle(page);
}

const checks = {
	// All was drawn some times before anyone moves it.
	async warm(page)
	{
		await page.waitForFunction(() => {
			const {charts, turns} = globalThis.timeline;

			return charts?.length > 0 && turns >= 3 * charts.length;
		});
	},

	// The wheel scrolls over all of the plot; with Ctrl it zooms.
	async wheel(page)
	{
		const whole = await windowOf(page);

		for (const part of ["#rows", "#axis", "#overview"]) {
			await page.keyboard.press("Home");
			await settle(page);
			assert.equal(await scrollOf(page), 0);
			await page.mouse.move(...await middleOf(page, part));
			await page.mouse.wheel(0, 90);
			await page.waitForFunction(() =>
				globalThis.timeline.scroll > 0);
			assert.deepEqual(await windowOf(page), whole, part);
		}
		const scroll = await scrollOf(page);

		await page.keyboard.down("Control");
		await page.mouse.wheel(0, -90);
		await page.keyboard.up("Control");
		await settle(page);
		const near = await windowOf(page);

		assert.ok(near.end - near.start < whole.end - whole.start);
		assert.equal(await scrollOf(page), scroll);
		assert.equal(await page.evaluate(() => devicePixelRatio), 1);
	},

	// Nothing but what was asked to zoom does: keys that walk, a press, a
	// tab.
	async keysDoNotZoom(page)
	{
		const {start, end} = await windowOf(page);

		await page.evaluate(() => {
			const {model: {rows, items}} = globalThis.timeline;
			const row = rows.findIndex(({first, items: many}) =>
				items.state.subarray(first, first + many)
					.includes(POINT));

			document.querySelector(`[data-row="${row}"]`).click();
		});
		const seen = new Set();

		for (const key of [...Array(14).fill("ArrowRight"),
			...Array(14).fill("ArrowLeft"), "Shift+ArrowUp",
			"Shift+ArrowDown", "ArrowDown", "ArrowUp", "f"]) {
			await page.keyboard.press(key);
			seen.add((await stateOf(page)).selected.item);
			if (key !== "f") {
				assert.deepEqual(await windowOf(page),
					{start, end}, key);
			}
		}
		assert.ok(seen.size > 5, "the keys walk");
	},

	// F on what takes no time has nothing to zoom to.
	async fitPoint(page)
	{
		const whole = await windowOf(page);

		await page.mouse.click(...await placeOf(page, 5,
			"sandbox_assign", -1));
		await page.keyboard.press("f");
		const {start, end} = await windowOf(page);

		assert.ok(Math.abs(end - start - whole.end + whole.start) < 1);
	},

	// There is nothing outside of the time of all samples.
	async noVoid(page)
	{
		const whole = await windowOf(page);

		await page.keyboard.press("w");
		for (const key of ["d", "a"]) {
			for (let n = 0; n < 12; n++)
				await page.keyboard.press(key);
			const {start, end} = await windowOf(page);

			assert.ok(start >= whole.start - 1e-6, `${key} ${start}`);
			assert.ok(end <= whole.end + 1e-6, `${key} ${end}`);
		}
	},

	// A range that is dragged past an end stops there.
	async measureEnds(page)
	{
		const box = await page.locator("#rows").boundingBox();

		await page.keyboard.down("Shift");
		await page.mouse.move(box.x + 200, box.y + 30);
		await page.mouse.down();
		await page.mouse.move(box.x - 80, box.y + 30, {steps: 4});
		await page.mouse.up();
		await page.keyboard.up("Shift");
		const {measured} = await stateOf(page);

		assert.equal(measured.start, 0);
		assert.ok(measured.end > 0);
	},

	// A drag along the axis measures.
	async measureOnAxis(page)
	{
		const box = await page.locator("#axis").boundingBox();
		const whole = await windowOf(page);

		await page.mouse.move(box.x + 200, box.y + 10);
		await page.mouse.down();
		await page.mouse.move(box.x + 300, box.y + 10, {steps: 4});
		await page.mouse.up();
		const {measured} = await stateOf(page);
		const us = (whole.end - whole.start) * 100 / box.width;

		assert.ok(Math.abs(measured.end - measured.start - us) < 2);
		assert.deepEqual(await windowOf(page), whole);
	},

	// Two fingers that part zoom in, and what was between them stays.
	async pinch(page)
	{
		const whole = await windowOf(page);
		const [x, y] = await middleOf(page, "#rows");

		await touch(page, [[x - 40, y], [x + 40, y]],
			[[x - 60, y], [x + 60, y]], [[x - 80, y], [x + 80, y]]);
		const {start, end} = await windowOf(page);
		const span = whole.end - whole.start;

		assert.ok(Math.abs((end - start) / span - 0.5) < 0.02,
			`${(end - start) / span} of it is shown`);
		assert.ok(Math.abs((start + end - whole.start - whole.end) / 2)
			< span / 100, "the middle stays");
		assert.equal((await stateOf(page)).selected.row, -1,
			"nothing is selected");
	},

	// A finger that is held measures; one that moves pans and scrolls.
	async hold(page)
	{
		const [x, y] = await middleOf(page, "#rows");
		const session = await page.context().newCDPSession(page);
		const send = (type, ...places) => session.send(
			"Input.dispatchTouchEvent", {type, touchPoints:
				places.map(([px, py]) => ({x: px, y: py}))});

		await send("touchStart", [x, y]);
		await page.waitForFunction(() => /measure/.test(
			document.getElementById("announce").textContent));
		await send("touchMove", [x + 50, y]);
		await send("touchMove", [x + 100, y]);
		await send("touchEnd");
		const {measured} = await stateOf(page);

		assert.ok(measured.end > measured.start);
		assert.equal(await scrollOf(page), 0);
		await page.keyboard.press("Escape");
		await touch(page, [[x, y]], [[x, y - 50]], [[x, y - 100]]);
		assert.equal((await stateOf(page)).measured, null);
		assert.ok(await scrollOf(page) > 50, "a drag scrolls");
	},

	// A finger held on the legend leaves one activity.
	async holdLegend(page)
	{
		const session = await page.context().newCDPSession(page);
		const [x, y] = await middleOf(page, "[data-chip=decode]");

		await session.send("Input.dispatchTouchEvent",
			{type: "touchStart", touchPoints: [{x, y}]});
		await page.waitForFunction(() =>
			globalThis.timeline.state.hidden.size > 0);
		await session.send("Input.dispatchTouchEvent",
			{type: "touchEnd", touchPoints: []});
		await settle(page);
		const pressed = await page.evaluate(() =>
			[...document.querySelectorAll(".chip")].filter((chip) =>
				chip.getAttribute("aria-pressed") === "true")
				.map((chip) => chip.dataset.chip));

		assert.deepEqual(pressed, ["decode"]);
	},

	// An address made on a large screen leaves room for the rows on a small
	// one, and a window from elsewhere shows something.
	async address(page)
	{
		for (const [width, height] of [[1440, 900], [820, 600],
			[390, 844]]) {
			await page.setViewportSize({width, height});
			await page.waitForFunction((wide) =>
				innerWidth === wide, width);
			await settle(page);
			await settle(page);
			const rows = await page.locator("#rows").boundingBox();

			assert.ok(rows.width > 120, `${width}: ${rows.width}`);
			assert.ok(rows.height > 120, `${width}: ${rows.height}`);
		}
		const {start, end} = await windowOf(page);
		const {whole} = await page.evaluate(() => ({
			whole: globalThis.timeline.whole}));

		assert.ok(start >= whole.start && end <= whole.end + 1e-6,
			`${start} to ${end}`);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
