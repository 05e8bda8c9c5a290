// A timeline page on paper, in headless Chromium.
//
// Usage: node paper.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {shown} from "./plot.mjs";

/* global SHADES, shadeColour -- of the page, in it */

function counted(page)
{
	return page.waitForFunction(() => globalThis.timeline.overview);
}

// In the page: colours in the middle of the overview that the light theme does
// not have.
function darkOverview()
{
	const light = new Set(SHADES.map((shade) => shadeColour(shade).light));
	const canvas = document.getElementById("overview");
	const copy = new OffscreenCanvas(canvas.width, canvas.height)
		.getContext("2d", {willReadFrequently: true});

	copy.drawImage(canvas, 0, 0);
	const {data} = copy.getImageData(canvas.width >> 1, canvas.height - 8,
		1, 8);
	const hex = (n) => "#" + [...data.slice(4 * n, 4 * n + 3)].map((c) =>
		c.toString(16).padStart(2, "0")).join("");

	return [...Array(8).keys()].map(hex).filter((one) => !light.has(one));
}

const checks = {
	// All rows come to paper, in light colours, and the page is as before
	// afterwards.
	async print(page)
	{
		await counted(page);
		await page.emulateMedia({colorScheme: "dark"});
		await page.evaluate(`globalThis.darkOverview = ${darkOverview}`);
		await page.waitForFunction(() =>
			globalThis.darkOverview().length > 0);
		const {length} = await shown(page);
		const before = await page.locator("#rows").boundingBox();

		assert.deepEqual(await page.evaluate(() => {
			window.dispatchEvent(new Event("beforeprint"));
			return globalThis.darkOverview();
		}), [], "the overview is light at once");
		const paper = await page.evaluate(() => {
			const count = (query) => document.querySelectorAll(query)
				.length;

			return {labels: count("#paper .label"),
				pieces: count("#paper .paper-rows"),
				heads: count("#paper .paper-rows > .heads > .index"),
				tallest: Math.max(...[...document.querySelectorAll(
					"#paper .paper-rows")].map((one) =>
					one.offsetHeight))};
		});

		// Each piece of the rows has heads, and a page has room for it.
		assert.equal(paper.labels, length);
		assert.ok(paper.pieces > 4 && paper.tallest < 250,
			JSON.stringify(paper));
		assert.equal(paper.heads, paper.pieces);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.theme), "light");
		await page.evaluate(() => window.dispatchEvent(
			new Event("afterprint")));
		await settle(page);
		assert.deepEqual(await page.locator("#rows").boundingBox(),
			before);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.theme), "dark");
		assert.equal(await page.locator("#paper").count(), 0);
		const pdf = String(await page.pdf({format: "A5",
			landscape: true}));

		assert.ok(pdf.match(/\/Type \/Page\b/g).length > 1,
			"the rows take more than a page");
	},

	// What prints a page from a command line does so once it has loaded, in
	// a low window: charts, verdict and the tab are there, and the remedies.
	async printed(page)
	{
		await page.setViewportSize({width: 800, height: 600});
		await page.emulateMedia({colorScheme: "dark"});
		await page.reload({waitUntil: "load"});
		const seen = await page.evaluate(() => {
			window.dispatchEvent(new Event("beforeprint"));
			const words = (query) => document.querySelector(query)
				?.innerText;
			const blank = [...document.querySelectorAll(
				"#charts canvas, #overview, #paper canvas")]
				.filter((canvas) => {
					const copy = new OffscreenCanvas(canvas.width,
						canvas.height).getContext("2d");

					copy.drawImage(canvas, 0, 0);
					return !copy.getImageData(0, 4, canvas.width,
						canvas.height - 4).data.some(
						(byte) => byte > 0);
				});

			return {verdict: words("#verdict"), blank: blank.length,
				charts: document.querySelectorAll("#charts canvas")
					.length, tab: words("#tab-panel"),
				remedies: words("#paper-remedies")};
		});

		assert.match(seen.verdict, /of sample time/);
		assert.ok(seen.charts > 0);
		assert.equal(seen.blank, 0);
		assert.match(seen.tab, /ended last/);
		assert.match(seen.remedies, /What if[^]*stop at 95% of groups/);
	},

	// Paper has the verdict, the drawn view, the tables and the notes, without
	// controls; what stands over the rows is at its time on a page of any
	// width.
	async paper(page)
	{
		await page.evaluate(() => {
			location.hash = "#tab=critical&cursor=4000000&notes=" +
				encodeURIComponent(JSON.stringify(
					[["why", 0, 0, -1], ["then", 0, 4e6]]));
		});
		await counted(page);
		await page.waitForFunction(() =>
			document.querySelector("#tab-panel table"));
		await page.evaluate(() => window.dispatchEvent(
			new Event("beforeprint")));
		await page.emulateMedia({media: "print"});
		// Without a redraw, as when a browser lays out paper.
		await page.evaluate(() => document.body.style.width = "700px");
		const seen = await page.evaluate(() => {
			const there = (one) => one.getClientRects().length > 0 &&
				getComputedStyle(one).visibility !== "hidden";
			const share = (query, within) => {
				const one = document.querySelector(query)
					.getBoundingClientRect();
				const all = document.querySelector(within)
					.getBoundingClientRect();

				return (one.left - all.left) / all.width;
			};
			const scene = globalThis.timeline;
			const tab = document.getElementById("tab-panel");

			return {
				controls: [...document.querySelectorAll("button, " +
					"select, input, summary")].filter((one) =>
					there(one) && !one.closest("#verdict, #legend, " +
					"#paper, .tab-panel, #details, .flag"))
					.map((one) => one.id || one.textContent),
				verdict: there(document.getElementById("verdict")),
				notes: document.getElementById("paper-notes").innerText,
				tall: tab.scrollHeight <= tab.clientHeight + 1,
				wanted: xAt(scene.plot, 4e6) / scene.plot.width,
				moment: share("#moments .flag", "#axis"),
				pin: share("#paper .pin", "#paper div:has(> .pin)"),
				flag: share("#paper .flag", "#paper div:has(> .pin)"),
				width: document.querySelector("#paper .pin")
					.parentElement.clientWidth,
			};
		});

		assert.deepEqual(seen.controls, ["tab-critical"]);
		assert.ok(seen.verdict && seen.tall);
		assert.match(seen.notes, /1 #0: why\s+2 at 4.00 s: then/);
		assert.ok(seen.width < 600, `${seen.width}`);
		assert.ok(Math.abs(seen.moment - seen.wanted) < 0.005,
			`${seen.moment} ${seen.wanted}`);
		assert.ok(Math.abs(seen.pin - seen.wanted) < 0.005, `${seen.pin}`);
		await page.evaluate(() => window.dispatchEvent(
			new Event("afterprint")));
		assert.equal(await page.locator("#paper-notes").count(), 0);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
