// A timeline page on screens and with zooms of which a CSS pixel is not always
// a whole number of pixels, as it is seen, in headless Chromium.
//
// Usage: node pixels.mjs CHECK PAGE.html
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";

/* global createImageBitmap, hit -- of the page, in it */

const RATIOS = [1, 1.25, 1.5, 1.75, 2];
const VIEW = {width: 1280, height: 720};

// The pixels of a line through an element, y CSS pixels below its top: a list
// of [r, g, b].
async function lineAt(page, query, y)
{
	const box = await page.locator(query).boundingBox();
	const shot = (await page.screenshot({type: "png"})).toString("base64");

	return page.evaluate(async ([data, {x, width}, down]) => {
		const bytes = Uint8Array.from(atob(data), (c) =>
			c.charCodeAt(0));
		const image = await createImageBitmap(new Blob([bytes]));
		const copy = new OffscreenCanvas(image.width, 1)
			.getContext("2d", {willReadFrequently: true});
		const ratio = devicePixelRatio;

		copy.drawImage(image, 0, -Math.floor(down * ratio));
		const left = Math.round(x * ratio);
		const pixels = copy.getImageData(left, 0,
			Math.round((x + width) * ratio) - left, 1).data;

		return [...Array(pixels.length / 4).keys()].map((k) =>
			[...pixels.slice(4 * k, 4 * k + 3)]);
	}, [shot, box, box.y + y]);
}

// In the page: the middle of a row, below the top of all.
function middleOf(line)
{
	const {tops, rowHeight} = globalThis.timeline;

	return tops[line] + rowHeight / 2;
}

// Runs of the same colour: [[colour, pixels], ...].
function runs(pixels)
{
	const found = [];

	for (const colour of pixels.map(String)) {
		if (found.at(-1)?.[0] === colour)
			found.at(-1)[1]++;
		else
			found.push([colour, 1]);
	}
	return found;
}

const checks = {
	// Spans of one name that follow each other are one colour all along,
	// however narrow they are: no seams, no pattern.
	async dense(page, ratio)
	{
		for (let line = 0; line < 3; line++) {
			const pixels = await lineAt(page, "#rows",
				await page.evaluate(middleOf, line));
			const found = runs(pixels).filter(([, many]) =>
				many > pixels.length / 2);

			assert.equal(found.length, 1, `${ratio}, row ${line}: ` +
				JSON.stringify(runs(pixels).slice(0, 20)));
			assert.ok(found[0][1] > 0.95 * pixels.length,
				`${ratio}, row ${line}`);
		}
	},

	// Lines are of whole pixels, each as wide as the others.
	async lines(page, ratio)
	{
		const {height} = await page.locator("#axis").boundingBox();
		const pixels = await lineAt(page, "#axis", height - 3);
		const [ground, ...others] = runs(pixels).toSorted((a, b) =>
			b[1] - a[1]).map(([colour]) => colour);
		const ticks = runs(pixels).filter(([colour]) =>
			colour !== ground);

		assert.equal(new Set(others.filter((colour) =>
			colour !== ground)).size, 1, `${ratio}: ${ticks}`);
		assert.ok(ticks.length > 3);
		ticks.forEach(([, many]) => assert.equal(many,
			Math.max(1, Math.round(ratio)), `${ratio}`));
	},

	// What is hit is what is seen there.
	async hits(page, ratio)
	{
		const y = await page.evaluate(middleOf, 3);
		const pixels = await lineAt(page, "#rows", y);
		const names = await page.evaluate(([many, down]) => {
			const scene = globalThis.timeline;
			const {items, strings} = scene.model;

			return Array.from({length: many}, (_, k) => {
				const {item} = hit(scene, scene.plot.width,
					(k + 0.5) / devicePixelRatio,
					down + scene.scroll);

				return item < 0 ? "" : strings[items.name[item]];
			});
		}, [pixels.length, y]);
		const colours = new Map();

		// Not at the edges, near to which either span is hit.
		const edge = Math.ceil(2 * ratio) + 1;

		names.forEach((name, k) => {
			if (name === "" || names[k - edge] !== name ||
			    names[k + edge] !== name)
				return;
			if (!colours.has(name))
				colours.set(name, String(pixels[k]));
			assert.equal(String(pixels[k]), colours.get(name),
				`${ratio}: ${name} at ${k}`);
		});
		assert.equal(colours.size, 2);
		assert.equal(new Set(colours.values()).size, 2);
	},
};

const [check, file] = process.argv.slice(2);

await look(file, "", async (page) => {
	for (const deviceScaleFactor of RATIOS) {
		const context = await page.context().browser().newContext({
			viewport: VIEW, deviceScaleFactor, colorScheme: "light"});
		const other = await context.newPage();

		await other.goto(`${page.url()}#sort=row&down=0`);
		await other.waitForFunction(() => globalThis.timeline?.overview);
		await settle(other);
		await checks[check](other, deviceScaleFactor);
		await context.close();
	}
});
