// What a person sees and does on a timeline page, in headless Chromium.
//
// Usage: node page.mjs CHECK PAGE.html
//
// CHECK is the name of a function in `checks`. The page is opened from disk;
// besides its own check, it may neither ask for anything nor complain.
// playwright-core is found as scripts/install-deps leaves it.
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {pathToFileURL} from "node:url";

const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
const require = createRequire(path.join(cache, "obstools", "x"));
const {chromium} = require("playwright-core");

const browserFlags = ["--no-sandbox", "--disable-gpu", "--disable-quic",
	"--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

// Where the middle of item `name` of row r is drawn, on its lane of the
// expanded row or (lane -1) on the collapsed one, in the window's pixels.
async function placeOf(page, r, name, lane)
{
	await settle(page);
	const box = await page.locator("#rows").boundingBox();
	const place = await page.evaluate(([row, wanted, at]) => {
		const {model, window, tops, scroll} = globalThis.timeline;
		const {items, strings} = model;
		const {first} = model.rows[row];
		let i = first;

		while (strings[items.name[i]] !== wanted)
			i++;
		return {
			share: ((items.start[i] + items.end[i]) / 2 -
				window.start) / (window.end - window.start),
			y: tops[row] - scroll + (at < 0 ? 0 : laneTop(at)) + 8,
		};
	}, [r, name, lane]);

	return [box.x + place.share * box.width, box.y + place.y];
}

// The frame that was asked for has been drawn.
function settle(page)
{
	return page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(done))));
}

function windowOf(page)
{
	return page.evaluate(() => ({...globalThis.timeline.window}));
}

// The details as {term: description}; what is said of the span wins over what
// is said of its sample.
async function details(page)
{
	await page.evaluate(() => new Promise((done) => setTimeout(done)));
	await page.waitForFunction(() => !document.getElementById("details")
		.textContent.includes("Decoding"));
	return page.evaluate(() => {
		const panel = document.getElementById("details");
		const terms = [...panel.querySelectorAll("dt")].reverse();

		return {
			title: panel.querySelector("h2")?.textContent,
			text: panel.innerText,
			...Object.fromEntries(terms.map((term) => [
				term.textContent,
				term.nextElementSibling.textContent])),
		};
	});
}

// The colour drawn at a place, as [r, g, b].
async function colourAt(page, [x, y])
{
	const box = await page.locator("#rows").boundingBox();

	return page.evaluate(([left, top]) => {
		const copy = new OffscreenCanvas(1, 1).getContext("2d",
			{willReadFrequently: true});

		copy.drawImage(document.getElementById("rows"),
			-left * devicePixelRatio, -top * devicePixelRatio);
		return [...copy.getImageData(0, 0, 1, 1).data.slice(0, 3)];
	}, [x - box.x, y - box.y]);
}

const checks = {
	async rows(page)
	{
		const labels = await page.locator("#labels .label")
			.allInnerTexts();

		assert.equal(labels.length, 2);
		assert.match(labels[0].replace(/\s+/g, " "),
			/#40 math r 0.25 300 ●/);
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
		assert.match(shown.text, /Inside\s+generate\s/);
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
		await page.mouse.wheel(0, -300);
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
		assert.equal(await page.locator("img, svg, b:not(#tip b)").count(),
			0);
	},

	async accessible(page)
	{
		const labels = await page.locator(".label").evaluateAll((all) =>
			all.map((label) => label.getAttribute("aria-label")));

		assert.match(labels[1], /^sample 41, group 5, source code, /);
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

async function main([name, file])
{
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: browserFlags,
	});
	const page = await browser.newPage({
		viewport: {width: 1440, height: 900}, colorScheme: "light"});
	const complaints = [];
	const url = pathToFileURL(path.resolve(file)).href;

	page.on("console", (message) => complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("dialog", (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (request.url() !== url)
			complaints.push(`request: ${request.url()}`);
	});
	try {
		await page.goto(url);
		await page.waitForFunction(() =>
			document.documentElement.dataset.ready);
		await settle(page);
		await checks[name](page);
		assert.deepEqual(complaints, []);
	} finally {
		await browser.close();
	}
}

await main(process.argv.slice(2));
