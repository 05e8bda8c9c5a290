// How the page shows what samples wait for, in headless Chromium.
//
// Usage: node waiting.mjs CHECK PAGE.html [HASH]
//
// CHECK is the name of a function in `checks`; the page is that of the dump in
// viewer-waiting.bats.
import assert from "node:assert/strict";

import {inDumpOrder, look, settle} from "./browser.mjs";
import {details, shown, stateOf} from "./plot.mjs";

// The colours drawn for row r at a time in seconds, over some pixels of it, so
// that stripes and what is between them are seen: a Set of "r,g,b".
async function coloursAt(page, r, seconds)
{
	await settle(page);
	return new Set(await page.evaluate(([row, at]) => {
		const {window, tops, lines, scroll} = globalThis.timeline;
		const canvas = document.getElementById("rows");
		const x = (at * 1e6 - window.start) /
			(window.end - window.start) * canvas.clientWidth;
		const y = tops[lines.lineOf[row]] - scroll + 4;
		const copy = new OffscreenCanvas(8, 8).getContext("2d",
			{willReadFrequently: true});

		copy.drawImage(canvas, -x * devicePixelRatio,
			-y * devicePixelRatio);
		const {data} = copy.getImageData(0, 0, 8, 8);

		return Array.from({length: 64}, (_, i) =>
			[...data.slice(4 * i, 4 * i + 3)].join());
	}, [r, seconds]));
}

function chip(page, text)
{
	return page.locator(".chip", {hasText: text});
}

async function pointAt(page, r, seconds)
{
	const box = await page.locator("#rows").boundingBox();
	const [x, y] = await page.evaluate(([row, at]) => {
		const {window, tops, lines, scroll} = globalThis.timeline;

		return [(at * 1e6 - window.start) / (window.end - window.start),
			tops[lines.lineOf[row]] - scroll + 8];
	}, [r, seconds]);

	await page.mouse.move(box.x + x * box.width, box.y + y);
}

const checks = {
	// Each wait has a pale colour and stripes, work has neither.
	async colours(page)
	{
		for (const [theme, client, group, decode] of [
			["light", "219,230,242", "247,232,207", "22,153,122"],
			["dark", "37,48,63", "56,48,35", "31,167,135"]]) {
			await page.evaluate((wanted) => {
				document.getElementById("theme").value = wanted;
				document.getElementById("theme").dispatchEvent(
					new Event("change"));
			}, theme);
			const queued = await coloursAt(page, 2, 1);
			const waited = await coloursAt(page, 0, 12);
			const worked = await coloursAt(page, 1, 17);

			assert.ok(queued.has(client), `${theme}: client queue`);
			assert.ok(queued.size > 1, "striped");
			assert.ok(waited.has(group), `${theme}: group wait`);
			assert.ok(waited.size > 1, "striped");
			assert.deepEqual([...worked], [decode]);
		}
	},

	// The legend names both, hides and isolates them; the address keeps it.
	async legend(page)
	{
		const drawn = () => page.evaluate(() =>
			[...globalThis.timeline.shapes.flat(0).wait].filter(
				(wait) => wait > 0).map((wait) =>
				ACTIVITY_NAMES[wait]));

		assert.deepEqual(await drawn(), ["client queue", "group wait"]);
		assert.match(await chip(page, "group wait").getAttribute("title"),
			/slowest sample of its group/);
		await chip(page, "group wait").click();
		assert.deepEqual(await drawn(), ["client queue"]);
		assert.equal(await chip(page, "group wait").getAttribute(
			"aria-pressed"), "false");
		await page.waitForFunction(() => decodeURIComponent(
			location.hash).includes("[[\"group+wait\"]]"));
		await chip(page, "group wait").click();
		await chip(page, "client queue").click({modifiers: ["Alt"]});
		assert.deepEqual(await drawn(), ["client queue"]);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.shapes.flat(0).item.length), 1);
	},

	async hash(page)
	{
		assert.equal(await chip(page, "group wait").getAttribute(
			"aria-pressed"), "false");
		assert.equal(await chip(page, "client queue").getAttribute(
			"aria-pressed"), "true");
	},

	async tip(page)
	{
		await pointAt(page, 0, 12);
		assert.match(await page.locator("#tip").innerText(),
			/^group wait\s+done, .*\s+12\.0 s at 6\.000000 s/);
		await pointAt(page, 2, 1);
		assert.match(await page.locator("#tip").innerText(),
			/^client queue\s+.*\s+3\.00 s at 0\.000000 s/);
		await pointAt(page, 1, 17);
		assert.match(await page.locator("#tip").innerText(),
			/^sglang_generate\s+16\.0 s at 2\.0/);
	},

	// Who waited is folded under whom it waited for.
	async stragglers(page)
	{
		await page.locator("#tab-stragglers").click();
		const first = page.locator("#tab-panel tbody").first();

		await first.locator("summary").waitFor();
		assert.match((await first.innerText()).replace(/\s+/g, " ").trim(),
			new RegExp("^#1 math 18.0 s 16.0 s long answer · on " +
				"10.0.0.2:30000 · 400 tokens · 25.0 tokens/s · " +
				"16.0 s in sglang_generate · 100% decode " +
				"2 others waited 20.0 s for it$"));
		assert.ok(!await first.getByRole("button", {name: "#0"})
			.isVisible());
		await first.locator("summary").click();
		assert.deepEqual((await first.locator("li").allInnerTexts()),
			["#0 12.0 s", "#2 8.00 s"]);
		// What is open stays so when the panel is made anew.
		for (const filter of ["-index:2", ""]) {
			await first.evaluate((old) => old.classList.add("old"));
			await page.locator("#filter").fill(filter);
			await page.waitForFunction(() =>
				!document.querySelector("#tab-panel .old"));
		}
		assert.ok(await first.getByRole("button", {name: "#0"})
			.isVisible());
		await first.getByRole("button", {name: "#0"}).click();
		assert.equal((await stateOf(page)).selected.row, 0);
		assert.match(await page.locator("#tab-panel").innerText(),
			/waited 20\.0 s \(33%\) for the slowest in their group, 6\.00 s \(10%\) in the client queue, 6\.00 s \(10%\) for rewards/);
	},

	async details(page)
	{
		const all = await details(page);

		assert.equal(all["own work"], "28.0 s · 47%");
		assert.equal(all["group wait"], "20.0 s · 33%");
		assert.equal(all["client queue"], "6.00 s · 10%");
		assert.equal(all["peak concurrency"], "3");
		assert.equal(all.bubble, "53%");
		assert.match(all.text, /group wait 20\.0 s · 33%/);
		await page.locator(".label").nth(0).click();
		const victim = await details(page);

		assert.equal(victim["own work"], "5.00 s");
		assert.equal(victim["client queue"], "1.00 s");
		assert.equal(victim["group wait"], "12.0 s for #1");
		assert.equal(victim.worker, "10.0.0.1:30000");
		assert.equal(victim.tokens, "100");
		await page.locator("#details").getByRole("button",
			{name: "#1"}).click();
		const culprit = await details(page);

		assert.equal(culprit.title, "Sample 1");
		assert.equal(culprit["held up"], "2 others waited 20.0 s for it");
		assert.equal(culprit["group wait"], undefined);
	},

	async order(page)
	{
		await page.locator("#sort").selectOption("end");
		await page.locator("#down").click();
		assert.deepEqual(await shown(page), [1, 2, 0]);
		await page.locator("#sort").selectOption("wait");
		assert.deepEqual(await shown(page), [0, 2, 1]);
		// Who is filtered away still made the others wait.
		await page.locator("#filter").fill("-index:1");
		await page.waitForFunction(() =>
			globalThis.timeline.order.length === 2);
		await page.locator("#details dt:has-text(\"group wait\") + dd",
			{hasText: /^20\.0 s · 50%$/}).waitFor();
	},

	async help(page)
	{
		await page.keyboard.press("?");
		const help = page.locator("#keys");

		assert.match(await help.innerText(),
			/client queue\s+waiting for the client to send/);
		assert.match(await help.innerText(),
			/group wait\s+done, and waiting for the slowest/);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, inDumpOrder(hash), checks[name]);
