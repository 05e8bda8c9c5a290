// Whether everything on a timeline page has room and can be read, in headless
// Chromium.
//
// Usage: node room.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";

// In the page: parts that lie over one another, texts that do not fit their
// place without an ellipsis that says so, and what is outside of the window.
function crowded()
{
	const found = [];
	const said = (element) => element.id || element.innerText;
	const box = (element) => element.getBoundingClientRect();
	const apart = (a, b) => a.right <= b.left + 1 ||
		b.right <= a.left + 1 || a.bottom <= b.top + 1 ||
		b.bottom <= a.top + 1;
	const visible = (selector) => [...document.querySelectorAll(selector)]
		.filter((element) => element.getClientRects().length > 0);

	for (const group of ["#bar > *", ".tools > *", "#legend > *",
		"#line > *", "#over, #line, #main", "#corner > *",
		"#plot, #side", "#details, #panel", ".label > *"]) {
		const all = visible(group);

		all.forEach((a, n) => all.slice(n + 1).forEach((b) => {
			if (a.parentNode === b.parentNode &&
			    !apart(box(a), box(b)))
				found.push(`${said(a)} over ${said(b)}`);
		}));
	}
	for (const element of visible("#bar *, #line *, #corner *, #side *")) {
		const {overflowX, textOverflow} = getComputedStyle(element);

		if (overflowX === "hidden" && textOverflow !== "ellipsis" &&
		    element.scrollWidth > element.clientWidth + 1)
			found.push(`${said(element)} is clipped`);
	}
	for (const element of visible("#bar *, #tail, .chip")) {
		const {left, right} = box(element);

		if (left < 0 || right > innerWidth)
			found.push(`${said(element)} is outside`);
	}
	if (document.documentElement.scrollWidth > innerWidth)
		found.push("the page scrolls sideways");
	return found;
}

// In the page: texts whose contrast to what is behind them is below what
// WCAG 2 asks for (AA: 4.5, for large texts 3).
function faint()
{
	const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map(Number);
	const luminance = (rgb) => rgb.slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.04045 ? c / 12.92 :
			((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, n) => sum + c * [0.2126, 0.7152, 0.0722][n], 0);
	const ground = (element) => {
		for (let e = element; e; e = e.parentElement) {
			const rgba = numbers(getComputedStyle(e)
				.backgroundColor);

			if (rgba.length === 3 || rgba[3] === 1)
				return rgba;
		}
		return [255, 255, 255];
	};
	const opacity = (element) => {
		let product = 1;

		for (let e = element; e; e = e.parentElement)
			product *= Number(getComputedStyle(e).opacity);
		return product;
	};
	const found = new Set();

	for (const element of document.querySelectorAll("body *")) {
		const text = [...element.childNodes].filter((node) =>
			node.nodeType === Node.TEXT_NODE &&
			node.nodeValue.trim() !== "");

		if (text.length === 0 || element.getClientRects().length === 0)
			continue;
		const style = getComputedStyle(element);
		const behind = ground(element);
		const ink = numbers(element.ownerSVGElement ?
			style.fill : style.color).map((c, n) => behind[n] +
			(c - behind[n]) * opacity(element));
		const [a, b] = [luminance(ink), luminance(behind)].sort(
			(x, y) => y - x);
		const contrast = (a + 0.05) / (b + 0.05);
		const large = parseFloat(style.fontSize) >= 24;

		if (contrast < (large ? 3 : 4.5) && !element.disabled) {
			found.add(`${contrast.toFixed(1)} of ` +
				text[0].nodeValue.trim().slice(0, 30));
		}
	}
	return [...found];
}

const SIZES = [[1440, 900], [820, 1180]];

async function each(page, check)
{
	await page.locator(".label").nth(3).click();
	for (const [width, height] of SIZES) {
		await page.setViewportSize({width, height});
		for (const dock of ["right", "bottom"]) {
			await page.locator("#view > summary").click();
			await page.locator("#dock").selectOption(dock);
			await check(`${width}x${height}, view open, ${dock}`);
			await page.locator("#view > summary").click();
			await settle(page);
			await check(`${width}x${height}, ${dock}`);
		}
	}
}

const checks = {
	// In a low window what all samples did is seen without scrolling, and a
	// filter that shortens the verdict moves nothing.
	async low(page)
	{
		await page.setViewportSize({width: 1280, height: 720});
		await page.locator("#verdict p").first().waitFor();
		await page.locator("#details .plain li").first().waitFor();
		const {bottom, ends} = await page.evaluate(() => ({
			bottom: document.getElementById("details")
				.getBoundingClientRect().bottom,
			ends: [...document.querySelectorAll("#details .plain li")]
				.map((li) => li.getBoundingClientRect().bottom),
		}));

		assert.ok(ends.length > 2);
		assert.ok(Math.max(...ends.slice(0, 6)) <= bottom);
		const top = () => page.evaluate(() => document
			.getElementById("plot").getBoundingClientRect().top);
		const verdict = page.locator("#verdict");
		const before = [await top(), await verdict.innerText()];

		await page.locator("#filter").fill("index:3");
		await page.waitForFunction((text) => document
			.getElementById("verdict").innerText !== text, before[1]);
		await settle(page);
		assert.equal(await top(), before[0]);
	},

	async room(page)
	{
		await each(page, async (where) => assert.deepEqual(
			await page.evaluate(crowded), [], where));
	},

	async contrast(page)
	{
		for (const theme of ["light", "dark"]) {
			await page.locator("#view > summary").click();
			await page.locator("#theme").selectOption(theme);
			await page.locator("#view > summary").click();
			for (const tab of ["names", "stragglers", "errors",
				"open"]) {
				await page.locator(`#tab-${tab}`).click();
				await settle(page);
				assert.deepEqual(await page.evaluate(faint), [],
					`${theme}, ${tab}`);
			}
			await page.keyboard.press("?");
			assert.deepEqual(await page.evaluate(faint), [],
				`${theme}, help`);
			await page.keyboard.press("Escape");
		}
	},

	// So does that of every tab, of charts, lanes, flags and a comparison.
	async contrastOfParts(page)
	{
		await page.waitForFunction(() => globalThis.timeline?.charts &&
			document.getElementById("compare") &&
			document.querySelector("[data-chart=engine-running]") &&
			document.querySelectorAll(".flag").length === 2);
		for (const theme of ["light", "dark"]) {
			while ((await page.evaluate(() =>
				globalThis.timeline.theme)) !== theme)
				await page.keyboard.press("t");
			const check = async (where) => assert.deepEqual(
				await page.evaluate(faint), [], `${theme}, ${where}`);

			for (const tab of await page.locator("[role=tab]").all()) {
				await tab.click();
				await settle(page);
				await page.waitForFunction((id) =>
					document.getElementById("tab-panel")
						.getAttribute("aria-labelledby") === id &&
					!document.querySelector(
						"#tab-panel[aria-busy=true]"),
				await tab.getAttribute("id"));
				await settle(page);
				await check(await tab.innerText());
			}
			await page.keyboard.press("b");
			await page.waitForFunction(() =>
				document.querySelector(".label.lane"));
			await check("lanes");
			await page.keyboard.press("b");
			await page.locator("#compare").click();
			await page.waitForFunction(() => document.querySelector(
				"#comparison [aria-busy=false]"));
			await page.waitForFunction(() => document.querySelector(
				"#comparison .changes"));
			await check("comparison");
			await page.getByRole("button", {name: "Close"}).last()
				.click();
		}
	},

	// The details of all samples are whole, and the tabs have room below.
	async details(page)
	{
		await page.setViewportSize({width: 1440, height: 820});
		await page.waitForFunction(() => document.querySelector(
			"#details li"));
		await settle(page);
		const [cut, rest] = await page.evaluate(() => {
			const {scrollHeight, clientHeight} =
				document.getElementById("details");

			return [scrollHeight - clientHeight, document
				.getElementById("panel").clientHeight];
		});

		assert.equal(cut, 0);
		assert.ok(rest > 200, `${rest}`);
	},

	// Who asked for no motion gets none.
	async still(page)
	{
		await page.emulateMedia({reducedMotion: "reduce"});
		const moving = await page.evaluate(() =>
			[...document.querySelectorAll("*")].filter((element) => {
				const {transitionDuration, animationName,
					scrollBehavior} = getComputedStyle(element);

				return /[1-9]/.test(transitionDuration) ||
					animationName !== "none" ||
					scrollBehavior === "smooth";
			}).length);

		assert.equal(moving, 0);
	},

	// Whoever walks by Tab sees where they are, and comes to every control.
	async focus(page)
	{
		const seen = new Set();

		for (let n = 0; n < 80; n++) {
			await page.keyboard.press("Tab");
			const [name, shown] = await page.evaluate(() => {
				const at = document.activeElement;
				const {outlineStyle, boxShadow} =
					getComputedStyle(at);

				return [at.id || at.dataset.chip || at.innerText,
					at === document.body || outlineStyle !==
					"none" || boxShadow !== "none"];
			});

			assert.ok(shown, `the focus is seen on ${name}`);
			seen.add(name);
		}
		for (const id of ["filter", "expand", "zoom-in", "zoom-out", "fit",
			"panels", "cycle", "help", "sort", "down", "scroller",
			"splitter", "decode", "tab-stragglers"])
			assert.ok(seen.has(id), `Tab comes to ${id}`);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
