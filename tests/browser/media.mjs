// A timeline page on narrow windows, for fingers, with colours that a person
// forces, and with times that make no sense, in headless Chromium.
//
// Usage: node media.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {details, shown, windowOf} from "./plot.mjs";

const PHONE = {width: 390, height: 844};

function counted(page)
{
	return page.waitForFunction(() => globalThis.timeline.overview);
}

async function fingers(page)
{
	const session = await page.context().newCDPSession(page);

	await session.send("Emulation.setTouchEmulationEnabled",
		{enabled: true});
	await page.setViewportSize(PHONE);
	await settle(page);
}

// The charts have their height, the heads follow them, and the rows take what
// is left and no more.
async function rowsBelowCharts(page)
{
	const {charts, tall, heads, rows, bottom} = await page.evaluate(() => {
		const place = (id) => document.getElementById(id)
			.getBoundingClientRect();

		return {charts: place("charts"), heads: place("heads"),
			tall: [...document.getElementById("charts").children]
				.reduce((sum, one) => sum + one.offsetHeight, 0),
			rows: place("scroller"),
			bottom: innerHeight};
	});

	assert.ok(tall > 0 && charts.height >= Math.min(tall, 108),
		`${charts.height} of ${tall}`);
	assert.ok(Math.abs(heads.top - charts.bottom) < 1, "no gap");
	assert.ok(rows.height > 100 && rows.bottom <= bottom + 1,
		`${rows.bottom} of ${bottom}`);
}

// In the page: what can be pressed and is smaller than a finger's tip (24 px,
// as WCAG 2.2 has it), or outside of the window.
function outOfReach()
{
	const found = [];

	for (const one of document.querySelectorAll("button, select, summary, " +
		"input:not([type=checkbox])")) {
		const {width, height, left, right} = one.getBoundingClientRect();
		const scrolls = one.closest("#legend, .tools");

		if (width === 0 || one.classList.contains("link"))
			continue;
		if (width < 24 || height < 24)
			found.push(`${one.id || one.textContent}: ${width} x ` +
				height);
		else if (!scrolls && (left < 0 || right > innerWidth))
			found.push(`${one.id || one.textContent}: outside`);
	}
	return found;
}

// In the page: what has more text than room.
function cutOff()
{
	const sort = document.getElementById("sort");
	const free = sort.cloneNode(true);

	free.style.cssText = "position: absolute; flex: none; width: auto";
	document.getElementById("corner").append(free);
	const wanted = free.getBoundingClientRect().width;

	free.remove();
	return [
		...sort.getBoundingClientRect().width < wanted ? ["order"] : [],
		...[...document.querySelectorAll(".label > span:not(.source)")]
			.filter((one) => one.scrollWidth > one.clientWidth + 1)
			.map((one) => one.textContent),
	];
}

const checks = {
	// The menu opens within a narrow window, and the rows have room.
	async phone(page)
	{
		await page.setViewportSize(PHONE);
		await counted(page);
		await page.locator("#view > summary").click();
		const menu = await page.locator("#menu").boundingBox();

		assert.ok(menu.x >= 0 && menu.x + menu.width <= PHONE.width,
			`the menu is at ${menu.x}, ${menu.width} wide`);
		await page.locator("#view > summary").click();
		const rows = await page.locator("#rows").boundingBox();

		assert.ok(rows.width > 0.6 * PHONE.width, `${rows.width} wide`);
		assert.ok(rows.height > 0.4 * PHONE.height, `${rows.height}`);
		assert.equal(await page.evaluate(() =>
			document.documentElement.scrollWidth), PHONE.width);
	},

	// On a phone the order's name is whole, and so are the labels; charts are
	// there and the rows scroll, for a mouse and for fingers.
	async narrow(page)
	{
		const whole = async () => {
			await settle(page);
			assert.deepEqual(await page.evaluate(cutOff), []);
			assert.ok((await page.locator("#charts .chart canvas")
				.first().boundingBox()).height > 20);
			assert.ok(await page.evaluate(() => {
				const {scrollHeight, clientHeight} =
					document.getElementById("scroller");

				return clientHeight > 100 &&
					clientHeight < innerHeight &&
					scrollHeight > clientHeight + 100;
			}));
		};

		await page.setViewportSize(PHONE);
		await counted(page);
		await page.locator("#charts .chart").first().waitFor();
		await whole();
		await fingers(page);
		await page.setViewportSize({...PHONE, width: 400});
		await page.setViewportSize(PHONE);
		await whole();
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.rowHeight), 24);
	},

	// Without tokens a row still has its duration below its head.
	async durations(page)
	{
		await page.setViewportSize(PHONE);
		await counted(page);
		await settle(page);
		assert.equal(await page.locator("#plot.no-tokens").count(), 1);
		const places = await page.evaluate(() => [
			"#heads .duration", ".label .duration"].map((one) => {
			const {left, right} = document.querySelector(one)
				.getBoundingClientRect();

			return [left, right];
		}));

		assert.ok(places.every(([left, right]) => right - left > 20),
			String(places));
		assert.ok(Math.abs(places[0][1] - places[1][1]) < 1);
		const label = await page.locator(".label").first().boundingBox();

		assert.ok(places[1][1] <= label.x + label.width);
	},

	// Buttons show all of their words.
	async words(page)
	{
		await fingers(page);
		await counted(page);
		assert.deepEqual(await page.evaluate(() =>
			[...document.querySelectorAll(".tools > button")].filter(
				(one) => one.scrollWidth > one.clientWidth).map(
				(one) => one.id)), []);
		// The menu's word is in the middle, the filter as wide as all.
		const [off, left] = await page.evaluate(() => {
			const summary = document.querySelector("#view > summary");
			const text = document.createRange();
			const middle = ({top, bottom}) => (top + bottom) / 2;

			text.selectNodeContents(summary);
			return [middle(text.getBoundingClientRect()) -
				middle(summary.getBoundingClientRect()),
			innerWidth - document.getElementById("filter")
				.getBoundingClientRect().right];
		});

		assert.ok(Math.abs(off) <= 1.5, `${off} from the middle`);
		assert.ok(left < 12, `${left} beside the filter`);
	},

	// The details are a sheet, which a tap on a sample opens.
	async sheet(page)
	{
		const side = page.locator("#side");

		await page.setViewportSize(PHONE);
		await page.reload();
		await counted(page);
		await settle(page);
		assert.ok(!await side.isVisible());
		await page.locator(".label").first().click();
		assert.ok(await side.isVisible());
		const {y, height} = await side.boundingBox();

		assert.ok(Math.abs(y + height - PHONE.height) < 1);
		assert.ok(y > PHONE.height / 3, "rows are left above it");
		assert.match((await details(page)).title, /Sample/);
		await page.locator("#close").click();
		assert.ok(!await side.isVisible());
	},

	// All that can be pressed is as large as a finger's tip.
	async targets(page)
	{
		await fingers(page);
		await counted(page);
		assert.equal(await page.evaluate(() =>
			matchMedia("(pointer: coarse)").matches), true);
		await page.setViewportSize({width: 820, height: 1180});
		await settle(page);
		await rowsBelowCharts(page);
		await page.setViewportSize(PHONE);
		await settle(page);
		await rowsBelowCharts(page);
		await page.locator("#view > summary").click();
		assert.deepEqual(await page.evaluate(outOfReach), []);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.rowHeight), 24);
	},

	// The legend keeps its colours, and what is written follows the forced
	// ones.
	async forced(page)
	{
		await page.emulateMedia({forcedColors: "active"});
		await counted(page);
		await settle(page);
		const swatches = await page.evaluate(() =>
			[...document.querySelectorAll("#legend .swatch")].map(
				(one) => getComputedStyle(one).backgroundColor));

		assert.ok(new Set(swatches).size > 2, String(swatches));
		const [ink, text] = await page.evaluate(() => [
			globalThis.timeline.ink.text,
			getComputedStyle(document.body).color]);

		assert.equal(ink, "#" + text.match(/\d+/g).map((c) =>
			Number(c).toString(16).padStart(2, "0")).join(""));
	},

	// The splitter says where it stands.
	async splitter(page)
	{
		const edge = page.locator("#splitter");
		const said = async () => Number(
			await edge.getAttribute("aria-valuenow"));
		const real = async () => Math.round(
			(await page.locator("#side").boundingBox()).width);

		assert.equal(await said(), await real());
		await edge.focus();
		await page.keyboard.press("ArrowLeft");
		assert.equal(await said(), await real());
		assert.ok(await said() <= Number(
			await edge.getAttribute("aria-valuemax")));
		assert.ok(await said() >= Number(
			await edge.getAttribute("aria-valuemin")));
	},

	// Where nothing matches, the page says so, and how to go on.
	async nothing(page)
	{
		const none = page.locator("#none");

		assert.ok(!await none.isVisible());
		await page.locator("#filter").fill("swede");
		await none.waitFor();
		assert.match(await none.innerText(), /No sample matches “swede”/);
		await none.locator("button").click();
		assert.ok(!await none.isVisible());
		assert.ok((await shown(page)).length > 0);
	},

	// A sample whose clock is off by a year does not hide the others.
	async far(page)
	{
		const span = async () => {
			const {start, end} = await windowOf(page);

			return (end - start) / 1e6;
		};

		await counted(page);
		assert.ok(await span() < 30, `${await span()} s are shown`);
		assert.match(await page.locator("#far").innerText(),
			/^1 sample off by 365 d/);
		const others = await page.evaluate(() => {
			const {model, order} = globalThis.timeline;

			return [...order].map((r) => model.rows[r].start / 1e6)
				.filter((start) => Math.abs(start) < 30).length;
		});

		assert.equal(others, 4, "time counts from the others");
		await page.locator("#far button").click();
		assert.ok(await span() > 364 * 86400);
		await page.waitForFunction(() => /far=1/.test(location.hash));
		await page.locator("#far button").click();
		assert.ok(await span() < 30);
	},

	// A sample that took long is none whose clock jumped.
	async long(page)
	{
		await counted(page);
		const {start, end} = await windowOf(page);

		assert.ok(end - start > 1790e6);
		assert.ok(!await page.locator("#far").isVisible());
	},

	// The header and the panel agree on how long it took.
	async wall(page)
	{
		await counted(page);
		const {"wall time": wall} = await details(page);

		assert.ok((await page.locator("#facts").innerText())
			.includes(wall), `${await page.locator("#facts")
			.innerText()}, and ${wall}`);
	},

	// Joined emoji are one, a name of nothing has words, and tricks show.
	async names(page)
	{
		await counted(page);
		const text = await page.locator("#legend").innerText();

		assert.ok(text.includes("👩‍🔬"), text);
		assert.ok(text.includes("می‌خواهم"), text);
		assert.ok(text.includes("(no name)"), text);
		assert.ok(text.includes("a\\u200db"), text);
		assert.ok(text.includes("\\u202e"), text);
	},

	// Who speaks to the page can say what is written on a button.
	async spoken(page)
	{
		await counted(page);
		const other = await page.evaluate(() => {
			const text = (node) => node.nodeType === Node.TEXT_NODE ?
				node.nodeValue : node.ariaHidden === "true" ?
					"" : [...node.childNodes].map(text)
						.join("");

			const words = (one) => text(one).replace(/[^ -~]/g, "")
				.replace(/ +/g, " ").trim();

			return [...document.querySelectorAll("button")].filter(
				(one) => /[a-z0-9]/i.test(words(one)) &&
				one.ariaLabel && !one.ariaLabel.includes(
					words(one))).map((one) => one.ariaLabel);
		});

		assert.deepEqual(other, []);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
