// Rows by engine or attribute on the page. The dump is that of
// tests/viewer_helper.bash: engine 10.0.0.1:30000 served #0 from 1 s to 6 s and
// #2 from 3 s to 10 s, 10.0.0.2:30000 served #1 from 2 s to 18 s.
//
// Usage: node lanes.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {stateOf} from "./plot.mjs";

async function laid(page)
{
	await page.waitForFunction(() => globalThis.timeline.lines.lanes &&
		globalThis.timeline.stats);
	await settle(page);
}

// [value, [[sample, from, to] of each span] of each lane] of each group, in
// seconds
function groups(page)
{
	return page.evaluate(() => {
		const {model, lines} = globalThis.timeline;

		return lines.groups.map(({value, lanes}) => [value,
			lanes.map(({item, start, end}) => [...item].map((i, k) => [
				model.rows[rowOfItem(model, i)].index,
				start[k] / 1e6, end[k] / 1e6]))]);
	});
}

const engines = [
	["10.0.0.1:30000", [[[0, 1, 6]], [[2, 3, 10]]]],
	["10.0.0.2:30000", [[[1, 2, 18]]]]];

// The place of a moment on a line.
async function placeOn(page, line, seconds)
{
	const box = await page.locator("#rows").boundingBox();
	const [x, y] = await page.evaluate(([n, at]) => {
		const scene = globalThis.timeline;

		return [xAt(scene.plot, at * 1e6), (scene.tops[n] +
			scene.tops[n + 1]) / 2 - scene.scroll];
	}, [line, seconds]);

	return [box.x + x, box.y + y];
}

async function selected(page)
{
	const {row, item} = (await stateOf(page)).selected;

	return [row, item < 0 ? "" : await page.evaluate((i) => itemName(
		globalThis.timeline.model, i), item)];
}

const checks = {
	async engines(page)
	{
		await page.locator("#scroller").focus();
		await page.keyboard.press("b");
		await laid(page);
		assert.deepEqual(await groups(page), engines);
		await page.waitForFunction(() =>
			location.hash.includes("by=engine"));
		const labels = (await page.locator("#labels li").allInnerTexts())
			.map((text) => text.replace(/\s+/g, " ").trim());

		assert.deepEqual(labels, ["engine 10.0.0.1:30000 · 2 slots",
			"slot 1 5.00 s 1", "slot 2 7.00 s 1",
			"engine 10.0.0.2:30000 · 1 slot", "slot 1 16.0 s 1"]);
		// 9 s of the 17 s in which some engine ran; 50 and 70 ms a token.
		assert.match(await page.locator("#labels .head").first()
			.getAttribute("title"), /2 requests · median 16\.7 tok\/s · slow: 1\.50 times the other's time per token · peak 2 · mean 0\.7 \(35% full\) · idle 8\.00 s · last end 10\.0 s$/);
		const names = await page.locator("#labels button").evaluateAll(
			(all) => all.map((one) => one.getAttribute("aria-label")));

		assert.equal(names[1], "slot 2 of engine 10.0.0.1:30000 · 2 " +
			"slots, 1 request, busy for 7.00 s");
		// And back.
		await page.keyboard.press("b");
		await settle(page);
		assert.equal(await page.locator("#labels li").count(), 3);
		assert.equal(await page.locator("#heads button").count(), 6);
	},

	async slots(page)
	{
		await laid(page);
		assert.deepEqual(await groups(page),
			[["a:1", [[[0, 0.4, 3.6], [1, 4, 8.1]]]]]);
		assert.match(await page.locator("#labels .head").first()
			.innerText(), /engine a:1 · 1 slot$/);
	},

	// The bar is where the pointer finds it, painted in decode's colour;
	// where nothing runs is the ground.
	async hits(page)
	{
		await laid(page);
		await page.mouse.click(...await placeOn(page, 2, 9.5));
		assert.deepEqual(await selected(page), [2, "sglang_generate"]);
		await settle(page);
		assert.match(await page.locator("#details h2").first()
			.innerText(), /sglang_generate/);
		assert.equal(await page.locator("#labels .chosen").count(), 1);
		await page.mouse.click(...await placeOn(page, 1, 9.5));
		assert.deepEqual(await selected(page), [-1, ""]);
		await page.mouse.click(...await placeOn(page, 0, 4));
		assert.deepEqual(await selected(page), [-1, ""], "a head");
		const colour = (line, at) => page.evaluate(([n, seconds]) => {
			const scene = globalThis.timeline;
			const canvas = document.getElementById("rows");
			const ratio = canvas.width / canvas.clientWidth;
			const probe = new OffscreenCanvas(1, 1).getContext("2d");

			probe.drawImage(canvas,
				-Math.round(xAt(scene.plot, seconds * 1e6) * ratio),
				-Math.round((scene.tops[n] - scene.scroll + 4) *
					ratio));
			return [...probe.getImageData(0, 0, 1, 1).data];
		}, [line, at]);

		assert.deepEqual(await colour(4, 5.5), [0x16, 0x99, 0x7a, 255]);
		assert.deepEqual(await colour(4, 17), [0x16, 0x99, 0x7a, 255]);
		assert.deepEqual(await colour(1, 9), [0, 0, 0, 0]);
		// A label's click selects its first span in view.
		await page.locator("#labels button").nth(2).click();
		assert.deepEqual(await selected(page), [1, "sglang_generate"]);
	},

	async keys(page)
	{
		await laid(page);
		await page.locator("#scroller").focus();
		await page.keyboard.press("ArrowDown");
		assert.deepEqual(await selected(page), [0, "sglang_generate"]);
		await page.keyboard.press("ArrowDown");
		assert.deepEqual(await selected(page), [2, "sglang_generate"]);
		await page.keyboard.press("ArrowDown");
		assert.deepEqual(await selected(page), [1, "sglang_generate"],
			"past the head");
		await page.keyboard.press("ArrowDown");
		assert.deepEqual(await selected(page), [1, "sglang_generate"]);
		await page.keyboard.press("ArrowUp");
		assert.deepEqual(await selected(page), [2, "sglang_generate"]);
		await page.keyboard.press("Shift+ArrowUp");
		assert.deepEqual(await selected(page), [2, "generate_and_rm"]);
		// Its sample's request stands for it.
		assert.equal(await page.evaluate(() => chosenUnits(
			globalThis.timeline).units.length), 1);
		await page.keyboard.press("ArrowUp");
		await page.keyboard.press("Enter");
		await settle(page);
		const {by} = await stateOf(page);

		assert.equal(by, "");
		assert.equal(await page.locator("#labels li").count(), 3);
	},

	// Left and right go along a lane; a request of another engine is there.
	async walks(page)
	{
		await laid(page);
		assert.deepEqual(await groups(page), [
			["a:1", [[[0, 0, 4], [1, 5, 7]]]], ["b:1", [[[0, 4, 9]]]],
			[null, [[[1, 8, 9]]]]]);
		assert.match(await page.locator("#labels .head").last()
			.innerText(), /^no known engine · 1 slot/);
		await page.locator("#scroller").focus();
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("ArrowRight");
		assert.deepEqual(await selected(page), [1, "sglang_generate"]);
		await page.keyboard.press("ArrowRight");
		assert.deepEqual(await selected(page), [1, "sglang_generate"]);
		await page.keyboard.press("ArrowLeft");
		assert.deepEqual(await selected(page), [0, "sglang_generate"]);
	},

	async filter(page)
	{
		await laid(page);
		await page.locator("#filter").fill("index:1");
		await page.waitForFunction(() => globalThis.timeline.lines.groups
			.length === 1);
		assert.deepEqual(await groups(page), [engines[1]]);
		await page.locator("#filter").fill("");
		await page.waitForFunction(() => globalThis.timeline.lines.groups
			.length === 2);
		await page.getByRole("button", {name: "decode", exact: true})
			.first().click();
		await page.waitForFunction(() => globalThis.timeline.lines.groups
			.length === 0);
		await page.locator("#none").getByRole("button",
			{name: "Rows by sample"}).click();
		await settle(page);
		assert.equal(await page.locator("#labels li").count(), 3);
	},

	// By fields from the menu, by an attribute by its name.
	async choose(page)
	{
		await page.locator("#view summary").click();
		await page.locator("#by").selectOption("status");
		await laid(page);
		assert.deepEqual(await groups(page), [["completed",
			[[[0, 1, 6]], [[1, 2, 18]], [[2, 3, 10]]]]]);
		await page.locator("#by").selectOption("attr");
		await page.locator("#by-key").fill("completion_tokens");
		await page.keyboard.press("Enter");
		await page.waitForFunction(() => globalThis.timeline.lines.by ===
			"attr:completion_tokens");
		assert.deepEqual(await groups(page), [
			[100, [[[0, 1, 6]], [[2, 3, 10]]]], [400, [[[1, 2, 18]]]]]);
		await page.waitForFunction(() => new URLSearchParams(
			location.hash.slice(1)).get("by") === "attr:completion_tokens");
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
