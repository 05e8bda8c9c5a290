// What is drawn on a timeline page, pixel by pixel, in headless Chromium.
//
// Usage: node drawn.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {colourAt, details, placeOf} from "./plot.mjs";

/* global CanvasRenderingContext2D, STATUS_SHAPES, laneTop, xAt -- of the page, in it */

// Colours of the light theme.
const [TOOL, REWARD, QUEUE, TRANSFER, PREFILL, DECODE] = ["8a63c9", "cc5f92",
	"98a2b0", "e3a008", "2f78c4", "16997a"].map((colour) => [0, 2, 4].map(
	(at) => parseInt(colour.slice(at, at + 2), 16)));

// In the page: the columns of a canvas's line of pixels that have the colour
// of lines; y from the top, or below 0 from the bottom, in CSS pixels.
function lined([id, y])
{
	const canvas = document.getElementById(id);
	const at = (y < 0 ? canvas.clientHeight + y : y) * devicePixelRatio;
	const copy = new OffscreenCanvas(canvas.width, 1)
		.getContext("2d", {willReadFrequently: true});

	copy.drawImage(canvas, 0, -Math.round(at));
	const {data} = copy.getImageData(0, 0, canvas.width, 1);
	const colour = globalThis.timeline.ink.line.match(/[0-9a-f]{2}/g)
		.map((hex) => parseInt(hex, 16));

	return [...Array(canvas.width).keys()].filter((x) =>
		colour.every((c, n) => data[4 * x + n] === c) &&
		data[4 * x + 3] === 255);
}

// The seconds that the clock at the pointer says, and those at a place of the
// plot.
async function clockAt(page, place)
{
	await settle(page);
	return page.evaluate((x) => {
		const {start, end} = globalThis.timeline.window;
		const {left, width} = document.getElementById("rows")
			.getBoundingClientRect();
		const clock = document.getElementById("clock");

		return [parseFloat(clock.textContent),
			(start + (x - left) / width * (end - start)) / 1e6];
	}, place);
}

// In the page: how many lines of the overview's pixels below its times have a
// bar.
function inkHeight()
{
	const canvas = document.getElementById("overview");
	const copy = new OffscreenCanvas(canvas.width, canvas.height)
		.getContext("2d", {willReadFrequently: true});

	copy.drawImage(canvas, 0, 0);
	const {data} = copy.getImageData(0, 15, canvas.width,
		canvas.height - 15);
	const line = JSON.stringify(globalThis.timeline.ink.line
		.match(/[0-9a-f]{2}/g).map((hex) => parseInt(hex, 16)));
	const filled = (y) => [...Array(canvas.width).keys()].some((x) => {
		const at = 4 * (y * canvas.width + x);

		return data[at + 3] === 255 && JSON.stringify(
			[...data.slice(at, at + 3)]) !== line;
	});

	return [...Array(canvas.height - 15).keys()].filter(filled).length;
}

// In the page: the colours of a column of the overview.
function inkColours(x)
{
	const canvas = document.getElementById("overview");
	const copy = new OffscreenCanvas(1, canvas.height)
		.getContext("2d", {willReadFrequently: true});

	copy.drawImage(canvas, -x, 0);
	const {data} = copy.getImageData(0, 0, 1, canvas.height);

	return [...new Set([...Array(canvas.height).keys()].map((y) =>
		String([...data.slice(4 * y, 4 * y + 3)])))];
}

// In the page: note of each text on a canvas what its contrast is to what was
// drawn there before, as WCAG 2 has it.
function watchTexts()
{
	const {prototype} = CanvasRenderingContext2D;
	const draw = prototype.fillText;
	const copy = new OffscreenCanvas(1, 1).getContext("2d",
		{willReadFrequently: true});
	const linear = (c) => c / 255 <= 0.04045 ? c / 255 / 12.92 :
		((c / 255 + 0.055) / 1.055) ** 2.4;
	const luminance = ([r, g, b]) => 0.2126 * linear(r) +
		0.7152 * linear(g) + 0.0722 * linear(b);
	const pixel = () => [...copy.getImageData(0, 0, 1, 1).data];
	const filled = (colour) => {
		copy.fillStyle = colour;
		copy.fillRect(0, 0, 1, 1);
		return pixel();
	};

	globalThis.texts = [];
	prototype.fillText = function fillText(text, x, y) {
		const ground = filled(getComputedStyle(this.canvas)
			.getPropertyValue("--ground"));

		copy.drawImage(this.canvas, -Math.round(x - 2), -Math.round(y));
		const behind = luminance(pixel());
		const ink = luminance(filled(this.fillStyle).map((c, n) =>
			c * this.globalAlpha + ground[n] *
			(1 - this.globalAlpha)));
		const contrast = (Math.max(behind, ink) + 0.05) /
			(Math.min(behind, ink) + 0.05);

		globalThis.texts.push({text, contrast});
		draw.call(this, text, x, y);
	};
}

async function counted(page)
{
	await page.waitForFunction(() => globalThis.timeline.overview);
	await settle(page);
}

const checks = {
	// A time has the same x in overview, axis and rows.
	async oneScale(page)
	{
		await counted(page);
		for (const [width, height] of [[1440, 900], [820, 700],
			[390, 844]]) {
			await page.setViewportSize({width, height});
			await counted(page);
			const boxes = await page.evaluate(() =>
				["overview", "axis", "rows"].map((id) => {
					const {left, width} = document
						.getElementById(id)
						.getBoundingClientRect();

					return [left, width];
				}));

			assert.deepEqual(boxes[0], boxes[2], `${width} px`);
			assert.deepEqual(boxes[1], boxes[2], `${width} px`);
			const grid = await page.evaluate(lined, ["rows", 0]);

			assert.ok(grid.length > 1, "the rows have a grid");
			assert.deepEqual(await page.evaluate(lined,
				["axis", -1]), grid, "axis and rows");
			assert.deepEqual(await page.evaluate(lined,
				["overview", 0]), grid, "overview and rows");
		}
	},

	// A link to a sample brings its row into view, whole.
	async revealed(page)
	{
		await page.locator("#sort").selectOption("row");
		await page.locator("#down").click();
		for (const n of [0, 5]) {
			await page.locator("#scroller").evaluate((one) =>
				one.scrollTop = 0);
			await page.locator("#tab-panel tbody .link").nth(n)
				.click();
			await settle(page);
			const row = await page.locator("#labels .chosen")
				.boundingBox();
			const plot = await page.locator("#scroller")
				.boundingBox();

			assert.ok(row.y >= plot.y - 0.5 && row.y + row.height <=
				plot.y + plot.height + 0.5,
			`${row.y} of ${plot.y} + ${plot.height}`);
		}
		assert.ok(await page.evaluate(() =>
			globalThis.timeline.scroll) > 0);
	},

	// What the signs of a status say is in the help, too.
	async signs(page)
	{
		const help = await page.locator("#keys").textContent();
		const shapes = await page.evaluate(() =>
			Object.entries(STATUS_SHAPES));

		assert.ok(shapes.length > 4);
		for (const pair of shapes)
			pair.forEach((text) => assert.ok(help.includes(text)));
	},

	// The clock is right after each motion, though the pointer stays.
	async clock(page)
	{
		const box = await page.locator("#rows").boundingBox();
		const x = Math.round(box.x + box.width / 3);
		const right = async (motion) => {
			const [said, time] = await clockAt(page, x);

			assert.ok(Math.abs(said - time) < 1e-5,
				`${motion}: ${said} for ${time}`);
		};

		await page.mouse.move(x, box.y + 40);
		await right("move");
		for (const key of ["w", "w", "d", "s", "a", "0"]) {
			await page.keyboard.press(key);
			await right(key);
		}
		await page.keyboard.press("w");
		await page.mouse.wheel(200, 0);
		await right("sideways wheel");
		await page.setViewportSize({width: 1600, height: 900});
		const other = await page.locator("#rows").boundingBox();

		assert.notEqual(other.width, box.width);
		await right("another width");
	},

	// One line through overview, axis and rows is at one moment.
	async hair(page)
	{
		await counted(page);
		const box = await page.locator("#overview").boundingBox();
		const hairs = () => page.evaluate(() =>
			[...document.querySelectorAll(".hair")].map((line) =>
				line.hidden ? null : Math.round(
					line.getBoundingClientRect().x)));

		await page.mouse.move(Math.round(box.x + 300), box.y + 30);
		await settle(page);
		const [first, ...others] = await hairs();

		assert.equal(first, Math.round(box.x + 300));
		assert.ok(others.length > 0);
		others.forEach((x) => assert.equal(x, first));
		await page.mouse.move(box.x + 300, 10);
		await settle(page);
		assert.ok((await hairs()).every((x) => x === null));
	},

	// Spans that run at once do not hide each other: a tool call from 0 to
	// 9 s, a reward from 0.5 to 9.5 s, another tool call from 9 s on.
	async siblings(page)
	{
		await page.keyboard.press("e");
		await settle(page);
		const lanes = await page.evaluate(() => {
			const {items, strings} = globalThis.timeline.model;

			return [...items.lane].map((lane, i) =>
				[strings[items.name[i]], lane]);
		});

		assert.deepEqual(lanes, [["root", 0], ["tool_a", 1],
			["reward_b", 2], ["tool_c", 1], ["inner", 3],
			["root", 0], ["tool_d", 1]]);
		for (const [what, lane, colour] of [["tool_a", 1, TOOL],
			["reward_b", 2, REWARD], ["tool_c", 1, TOOL]]) {
			assert.deepEqual(await colourAt(page,
				await placeOf(page, 0, what, lane)), colour,
			what);
		}
		await page.mouse.click(...await placeOf(page, 0, "tool_a", 1));
		assert.equal((await details(page)).title, "tool_a");
		assert.deepEqual(await colourAt(page,
			await placeOf(page, 1, "tool_d", 1)), TOOL,
		"the lanes of other samples stay");
	},

	// Prefill of 0.2 s in a request of 10 s: 0.1 s queued, 0.1 s of work.
	// Decode: 0.5 s of transfer, then 9 s.
	async halves(page)
	{
		await page.keyboard.press("e");
		await settle(page);
		const box = await page.locator("#rows").boundingBox();
		const at = async (seconds, lane) => {
			const [x, y] = await page.evaluate(([s, l]) => {
				const {timeline: scene} = globalThis;

				return [xAt(scene.plot, s * 1e6),
					laneTop(scene, l) + 4];
			}, [seconds, lane]);

			return colourAt(page, [box.x + x, box.y + y]);
		};

		assert.deepEqual(await at(0.05, 1), QUEUE);
		assert.deepEqual(await at(0.15, 1), PREFILL);
		assert.notDeepEqual(await at(5, 1), PREFILL);
		assert.deepEqual(await at(0.45, 2), TRANSFER);
		assert.deepEqual(await at(5, 2), DECODE);
		assert.notDeepEqual(await at(9.9, 2), DECODE);
		await page.mouse.move(...await placeOf(page, 0,
			"sglang_generate [D]", 2));
		assert.match(await page.locator("#tip").innerText(),
			/forward 9\.00 s/);
	},

	// Few rows are high, many low; labels are as high as their rows.
	async heights(page)
	{
		const {length} = await page.evaluate(() =>
			globalThis.timeline.model.rows);
		const height = length < 10 ? 24 : 16;
		const tops = await page.evaluate(() =>
			[...globalThis.timeline.tops]);
		const label = await page.locator(".label").first()
			.boundingBox();

		assert.equal(tops[1] - tops[0], height);
		assert.equal(label.height, height);
	},

	// The overview is as high as what is shown of it: under a filter, and
	// without what the legend hides.
	async rescale(page)
	{
		const height = async () => {
			await counted(page);
			return page.evaluate(inkHeight);
		};
		const all = await height();
		const search = async (text) => {
			await page.locator("#filter").fill(text);
			await page.waitForFunction((filter) =>
				globalThis.timeline.state.filter === filter,
			text);
		};

		await search("index:0");
		assert.ok(Math.abs(await height() - all) <= 1, "one sample");
		await search("");
		await page.locator("[data-chip=decode]").click();
		assert.ok(Math.abs(await height() - all) <= 1, "no decode");
	},

	// A name that tells no activity has one colour, in rows and overview.
	async other(page)
	{
		await counted(page);
		for (const [name, r] of [["alpha", 0], ["beta", 1]]) {
			const [x, y] = await placeOf(page, r, name, -1);
			const box = await page.locator("#overview")
				.boundingBox();
			const colour = await colourAt(page, [x + 60, y]);
			const above = await page.evaluate(inkColours,
				Math.round(x - box.x));

			assert.ok(above.includes(String(colour)),
				`${colour} of ${name} is not in ${above}`);
		}
	},

	// What is written on bars, axes and heads can be read.
	async textContrast(page)
	{
		await counted(page);
		await page.evaluate(watchTexts);
		for (const theme of ["light", "dark"]) {
			while ((await page.evaluate(() =>
				globalThis.timeline.theme)) !== theme)
				await page.keyboard.press("t");
			await page.evaluate(() => globalThis.texts.length = 0);
			await page.keyboard.press("e");
			await page.keyboard.press("e");
			await page.setViewportSize({width: 1200, height: 800});
			await counted(page);
			await page.setViewportSize({width: 1440, height: 900});
			await counted(page);
			const texts = await page.evaluate(() => globalThis.texts);

			assert.ok(texts.length > 20, `${texts.length} texts`);
			assert.deepEqual(texts.filter(({contrast}) =>
				contrast < 4.5), [], theme);
		}
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
