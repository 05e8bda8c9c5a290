// What the timeline page answers, of the dump that tests/viewer_helper.bash
// makes: #1 decodes for 16 s and keeps #0 and #2 waiting.
//
// Usage: node answers.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {shown, stateOf} from "./plot.mjs";

const verdict = (page) => page.locator("#verdict");

// The order is set at once, the verdict when the samples were counted.
async function saysVerdict(page, pattern)
{
	await page.waitForFunction((source) => new RegExp(source).test(
		document.getElementById("verdict").innerText), pattern.source);
}

async function click(page, text)
{
	await verdict(page).getByRole("button", {name: text}).click();
	await settle(page);
	const {sort, down, filter, selected} = await stateOf(page);

	return {sort, down, filter, row: selected.row};
}

function head(page, name)
{
	return page.locator(`#heads [data-head=${name}]`);
}

// Of each chart, what is said beside it.
async function values(page)
{
	await page.waitForFunction(() => globalThis.timeline.charts);
	return page.locator(".chart-name").evaluateAll((names) =>
		names.map((name) => name.innerText.replace(/\s+/g, " ")));
}

// The place on a chart of a moment in seconds.
async function placeOn(page, key, seconds)
{
	await page.waitForFunction(() => globalThis.timeline.charts);
	const box = await page.locator(
		`[data-chart=${key}] canvas`).boundingBox();
	const x = await page.evaluate((at) => xAt(plotScale(globalThis.timeline),
		at * 1e6), seconds);

	return [box.x + x, box.y + box.height / 2];
}

const checks = {
	async order(page)
	{
		assert.deepEqual(await shown(page), [1, 2, 0]);
		const {sort, down} = await stateOf(page);

		assert.deepEqual([sort, down], ["end", true]);
	},

	async verdict(page)
	{
		await saysVerdict(page, /in flight/);
		const [what, who] = await verdict(page).locator("p")
			.allTextContents();

		assert.equal(what, "20.0 s: 33% of sample time waiting for " +
			"groups · 10% in the client queue (3 in flight at " +
			"most, full 15% of the time) · 10% in rewards");
		assert.equal(who, "#1 kept 2 others waiting 20.0 s in all: long " +
			"answer, 400 tokens at 25.0 tokens/s (median 20.0 tokens/s) on " +
			"10.0.0.2:30000 · worker 10.0.0.1:30000 is slow: " +
			"17.1 tokens/s per request, others 25.0 · no remedy " +
			"estimated");
		assert.equal(await verdict(page).evaluate((element) =>
			getComputedStyle(element).fontSize), "16px");
	},

	async clauses(page)
	{
		await saysVerdict(page, /in flight/);
		assert.deepEqual(await click(page, "waiting for groups"),
			{sort: "wait", down: true, filter: "", row: -1});
		assert.deepEqual(await shown(page), [0, 2, 1]);
		assert.deepEqual(await click(page, "client queue"),
			{sort: "client", down: true, filter: "", row: -1});
		assert.deepEqual(await shown(page), [2, 1, 0]);
		assert.deepEqual(await click(page, "#1 kept"),
			{sort: "end", down: true, filter: "group:4", row: 1});
		assert.match(await page.locator("#details h2").innerText(),
			/^Sample 1$/);
		// It has no label, which takes no line.
		assert.doesNotMatch(await page.locator("#details").innerText(),
			/label|–/);
		assert.doesNotMatch(await page.locator(".label").first()
			.getAttribute("aria-label"), /–/);
	},

	// The answer is shown, also where the panel was closed.
	async closed(page)
	{
		const side = page.locator("#side");

		for (const [text, seen] of [["in rewards", /All samples/],
			["#1 kept", /Sample 1/], ["is slow", /The samples shown/]]) {
			await page.keyboard.press("Escape");
			await page.locator("#filter").fill("");
			await saysVerdict(page, /#1 kept/);
			await page.evaluate(() => document.activeElement.blur());
			await page.keyboard.press("p");
			await side.waitFor({state: "hidden"});
			await click(page, text);
			await side.waitFor({state: "visible"});
			await page.waitForFunction((source) => RegExp(source).test(
				document.getElementById("details").innerText),
			seen.source);
		}
	},

	// A separator stands between two clauses of one line, or is clipped.
	async separators(page)
	{
		await saysVerdict(page, /in flight/);
		for (const width of [1440, 900, 390]) {
			await page.setViewportSize({width, height: 844});
			await settle(page);
			const shown = await verdict(page).evaluate((root) =>
				[...root.querySelectorAll(".clause")].map((one) => {
					const dot = one.querySelector(".separator")
						?.getBoundingClientRect();
					const before = one.previousElementSibling
						?.querySelector("button")
						.getBoundingClientRect();
					const {left} = one.parentNode
						.getBoundingClientRect();
					const size = parseFloat(getComputedStyle(
						root).fontSize);

					return dot && {
						clipped: (dot.left + dot.right) / 2 <
							left + size,
						between: before.right <= dot.left &&
							before.top < dot.bottom &&
							before.bottom > dot.top,
					};
				}).filter(Boolean));

			assert.equal(shown.length, 4);
			for (const {clipped, between} of shown)
				assert.notEqual(clipped, between, `${width}`);
			assert.equal(shown.some(({between}) => between),
				width > 390);
		}
	},

	async filtered(page)
	{
		await saysVerdict(page, /#1 kept/);
		await page.locator("#filter").fill("-index:1");
		await saysVerdict(page, /#2 ended last/);
		assert.match(await verdict(page).innerText(),
			/^20\.0 s: 50% of sample time waiting for groups/);
		// The speed that is usual is that of all samples, and says so.
		assert.match(await verdict(page).innerText(),
			/14\.3 tokens\/s \(median of all samples 20\.0 tokens\/s\)/);
	},

	async heads(page)
	{
		await head(page, "tokens").click();
		assert.deepEqual(await shown(page), [1, 0, 2]);
		assert.equal(await head(page, "tokens").innerText(), "tok↓");
		assert.equal(await head(page, "tokens").getAttribute(
			"aria-label"), "tok: sort by tokens, descending");
		await head(page, "tokens").click();
		assert.deepEqual(await shown(page), [0, 2, 1]);
		assert.equal(await head(page, "tokens").innerText(), "tok↑");
		assert.equal(await page.locator("#down").innerText(), "↑");
		await head(page, "rate").click();
		assert.deepEqual(await shown(page), [1, 0, 2]);
		await head(page, "index").click();
		assert.deepEqual(await shown(page), [0, 1, 2]);
		assert.equal(await head(page, "rate").innerText(), "tok/s");
		await head(page, "duration").click();
		assert.deepEqual(await shown(page), [1, 2, 0]);
	},

	// Each value stands below its head.
	async labels(page)
	{
		await saysVerdict(page, /in flight/);
		const cells = await page.locator(".label").first().locator("span")
			.allInnerTexts();

		assert.deepEqual(cells, ["▸", "#1", "math", "16.0 s", "400", "25.0",
			"1", "●"]);
		for (const key of ["duration", "tokens", "rate", "reward"]) {
			const [a, b] = await Promise.all([head(page, key),
				page.locator(`.label .${key}`).first()].map(
				(one) => one.boundingBox()));

			assert.ok(Math.abs(a.x + a.width - b.x - b.width) < 1, key);
		}
	},

	// A name is written once where its bars follow one another.
	async names(page)
	{
		await saysVerdict(page, /in flight/);
		const texts = await page.evaluate(() => new Promise((done) => {
			const {prototype} = document.getElementById("rows")
				.getContext("2d").constructor;
			const {fillText} = prototype;
			const drawn = [];

			prototype.fillText = function record(text, ...place) {
				if (this.canvas.id === "rows")
					drawn.push(text);
				fillText.call(this, text, ...place);
			};
			document.getElementById("fit").click();
			requestAnimationFrame(() => requestAnimationFrame(() => {
				prototype.fillText = fillText;
				done(drawn);
			}));
		}));
		const named = texts.filter((text) =>
			text.startsWith("sglang_generate"));

		assert.deepEqual(named,
			["sglang_generate · 400 tok · 25.0 tok/s"]);
		assert.ok(texts.includes("100 tok · 14.3 tok/s"), texts.join());
	},

	// Header and panel give one figure, of the samples shown.
	async bubble(page)
	{
		const both = () => page.evaluate(() => [/bubble (\S+)/.exec(
			document.getElementById("facts").innerText)?.[1],
		/bubble\s+(\S+)/.exec(document.getElementById("details")
			.innerText)?.[1]]);

		await saysVerdict(page, /in flight/);
		const [header, panel] = await both();

		assert.equal(header, panel);
		await page.locator("#filter").fill("-index:1");
		await saysVerdict(page, /#2 ended last/);
		await page.waitForFunction((text) =>
			!document.getElementById("facts").innerText.includes(text),
		header);
		await settle(page);
		const [now, there] = await both();

		assert.equal(now, there);
	},

	async charts(page)
	{
		assert.deepEqual(await values(page), ["in flight peak 3 in total",
			"tokens/s peak 59 in total"]);
		await page.mouse.move(...await placeOn(page, "flight", 2.5));
		assert.deepEqual(await values(page), ["in flight 2 in total",
			"tokens/s 45 in total"]);
		await page.mouse.move(...await placeOn(page, "flight", 12));
		assert.deepEqual(await values(page), ["in flight 1 in total",
			"tokens/s 25 in total"]);
		// What is drawn there is as high as the value says.
		const tall = await page.locator("[data-chart=flight] canvas")
			.evaluate((canvas) => {
				const x = Math.round(xAt(plotScale(
					globalThis.timeline), 12e6));
				const {data} = canvas.getContext("2d").getImageData(x,
					0, 1, canvas.height);

				return [...data].filter((_, n) => n % 4 === 3)
					.slice(4).filter((alpha) => alpha > 0)
					.length / (canvas.height - 3);
			});

		assert.ok(Math.abs(tall - 1 / 3) < 0.05, `${tall}`);
		await page.mouse.move(5, 5);
		assert.deepEqual(await values(page), ["in flight peak 3 in total",
			"tokens/s peak 59 in total"]);
	},

	async cursor(page)
	{
		const [x, y] = await placeOn(page, "tokens", 4);

		await page.mouse.click(x, y);
		await page.mouse.move(5, 5);
		await settle(page);
		assert.deepEqual(await values(page), ["in flight 3 in total",
			"tokens/s 59 in total"]);
		assert.match(await page.locator("#cursor").innerText(),
			/^[34]\.\d\d s: 3 decode\s+note\s+unpin$/);
		const lines = await page.locator(".pin").evaluateAll((all) =>
			all.filter((pin) => !pin.closest("#strip")).map((pin) =>
				pin.getBoundingClientRect().x));

		assert.equal(lines.length, 3);
		assert.ok(lines.every((at) => Math.abs(at - x) < 1.5),
			`${lines} and ${x}`);
		await page.keyboard.press("Escape");
		assert.equal((await stateOf(page)).cursor, null);
		assert.equal(await page.locator("#cursor").innerText(), "");
		await page.mouse.click(x, y);
		await page.mouse.click(x + 1, y);
		assert.equal((await stateOf(page)).cursor, null);
		await page.locator(".label").first().click();
		await page.keyboard.press("c");
		assert.equal((await stateOf(page)).cursor, 0);
	},

	async address(page)
	{
		await saysVerdict(page, /in flight/);
		assert.equal(await page.locator(".chart").count(), 0);
		assert.match(await page.locator("#cursor").innerText(),
			/^4\.00 s: 3 decode/);
		await page.locator("#view > summary").click();
		await page.locator("#charts-shown").check();
		assert.deepEqual(await values(page), ["in flight 3 in total",
			"tokens/s 59 in total"]);
	},

	async filter(page)
	{
		for (const [text, rows] of [["worker:10.0.0.1", [2, 0]],
			["-worker:10.0.0.1", [1]], ["tokens>100", [1]],
			["tokens:100", [2, 0]]]) {
			await page.locator("#filter").fill(text);
			await page.waitForFunction((n) =>
				globalThis.timeline.order.length === n, rows.length);
			assert.deepEqual(await shown(page), rows, text);
		}
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
