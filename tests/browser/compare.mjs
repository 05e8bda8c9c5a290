// Two dumps of one page next to each other: compare.js, pairs.js, overlaid.js,
// requests.js, significance.js and the strip of steps.
//
// Usage: node compare.mjs CHECK PAGE.html HASH [CHANGES.json]
// CHANGES.json is what obs-perfsum --compare -f json says of the same dumps.
import assert from "node:assert/strict";
import fs from "node:fs";

import {look, settle} from "./browser.mjs";
import {stateOf} from "./plot.mjs";

const [name, file, hash = "", changes] = process.argv.slice(2);

function dialogOf(page)
{
	return page.getByRole("dialog", {name: "comparison of two dumps"});
}

// Once all sections are there.
async function counted(page)
{
	await page.waitForFunction(() => document.querySelector(
		"#comparison [aria-busy=false]"));
}

async function openDialog(page)
{
	await page.getByRole("button", {name: "Compare"}).click();
	await counted(page);
}

function rowsOf(page, table)
{
	return page.evaluate((which) => [...document.querySelectorAll(
		`#comparison ${which} tbody tr`)].map((row) =>
		[...row.cells].map((cell) => cell.innerText)), table);
}

// Those of requests: the wall time is in the table of sums.
function wantedChanges()
{
	return JSON.parse(fs.readFileSync(changes, "utf8")).changes.filter(
		({key}) => key !== "perf/wall");
}

// Equal but for the rounding of a sum in another order.
function near(a, b)
{
	return Object.is(a, b) ||
		Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

const checks = {
	// Every figure, interval, verdict and the order of obs-perfsum.
	async parity(page)
	{
		const wanted = wantedChanges();
		const got = await page.evaluate(async () => {
			const requests = [];
			let model;

			for (const n of [0, 1]) {
				model = await openModel(n);
				requests.push(finish(requestSteps(model,
					await openAttrs(n, model), model.rows.keys())));
			}
			return finish(changesSteps(model.about.perf, ...requests));
		});
		const number = (value) => Number.isFinite(value) ? value : null;

		assert.ok(wanted.length > 2);
		assert.deepEqual(got.map(({metric, statistic}) => ["perf",
			metric[0], ...statistic ? [statistic] : []].join("/")),
		wanted.map(({key}) => key));
		assert.deepEqual(got.map(({verdict}) => verdict),
			wanted.map(({verdict}) => verdict));
		wanted.forEach((one, k) => {
			const {from, to, relative, low, high} = got[k];

			for (const [is, said] of [[from, one.from], [to, one.to],
				[relative, one.change], [low, one.low],
				[high, one.high]])
				assert.ok(near(number(is), said),
					`${one.key}: ${is} is not ${said}`);
		});
	},

	// The table of the dialog has the verdicts, too.
	async verdicts(page)
	{
		await openDialog(page);
		await page.locator("#comparison .changes").waitFor();
		await page.locator("#comparison").getByText("counting…")
			.waitFor({state: "hidden"});
		const wanted = wantedChanges();
		const rows = await rowsOf(page, ".changes");

		assert.deepEqual(rows.map((row) => [row[0].split(" ")[0],
			row.at(-1)]), wanted.map(({key, verdict}) =>
			[key.slice("perf/".length), verdict]));
	},

	// Sample 1 takes 4 s longer, sample 2 is in neither group; see
	// tests/viewer-compare.bats.
	async pairs(page)
	{
		await openDialog(page);
		const dialog = dialogOf(page);

		assert.match(await dialog.innerText(),
			/2 pairs with the same index and group: 1 took longer in B, 1 less; median change of own work \+1\.50 s\. 1 of A and 1 of B have no counterpart\./);
		assert.deepEqual((await rowsOf(page, ".pairs")).map((row) =>
			row.slice(0, 7)), [
			["#1 A B", "2.00 s", "6.00 s", "+4.00 s", "100", "300",
				"+200"],
			["#0 A B", "4.00 s", "3.00 s", "−1.00 s", "100", "100",
				"same"]]);
		// One goes to the sample in its dump.
		await dialog.getByRole("button", {name: "#1 in B"}).click();
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 1);
		await settle(page);
		const {selected, compared} = await stateOf(page);

		assert.equal(selected.row, 1);
		assert.equal(compared, null);
		assert.equal(await dialog.count(), 0);
	},

	// Sums and curves are of the filter and of the range.
	async scope(page)
	{
		await openDialog(page);
		const sums = async () => Object.fromEntries((await rowsOf(page,
			".sums")).map(([head, ...cells]) => [head, cells]));
		let said = await sums();

		assert.deepEqual(said.samples, ["3", "3", "same"]);
		assert.deepEqual(said.wall, ["5.00 s", "6.00 s",
			"+1.00 s (+20%)"]);
		assert.match(await page.locator("#comparison .overlaid")
			.innerText(), /own work of samples\s+A p50 4\.00 s, p95 4\.90 s · B p50 3\.00 s/);
		// Curves are where their values are: A's last sample is done
		// after 5 of 6 s.
		const ends = await page.evaluate(() => [...document
			.querySelectorAll("#comparison figure:first-child .curve")]
			.map((one) => Number(/([\d.]+),[\d.]+$/.exec(
				one.getAttribute("d"))[1])));

		assert.ok(Math.abs((ends[0] - 34) / (ends[1] - 34) - 5 / 6) <
			0.001, `${ends}`);
		await page.keyboard.press("Escape");
		await page.evaluate(() => {
			location.hash = "#filter=index%3C2&measured=0,3000000" +
				"&compared=0,1";
		});
		await page.waitForFunction(() =>
			globalThis.timeline.state.measured);
		await counted(page);
		said = await sums();
		assert.deepEqual(said.samples, ["2", "2", "same"]);
		assert.deepEqual(said["sample time"], ["5.00 s", "6.00 s",
			"+1.00 s (+20%)"]);
		assert.match(await dialogOf(page).innerText(),
			/2 of 3 samples of A, 2 of 3 samples of B match index<2; totals and span names are of 3\.00 s from 0 s of each/);
	},

	// What is compared is in the address, and comes back with it.
	async kept(page)
	{
		await openDialog(page);
		await page.getByRole("button", {name: "Swap"}).click();
		await counted(page);
		await page.waitForFunction(() =>
			location.hash.includes("compared=1%2C0"));
		await page.reload();
		await counted(page);
		assert.equal(await page.getByLabel("first dump").inputValue(),
			"1");
		await page.keyboard.press("Escape");
		await page.waitForFunction(() =>
			!location.hash.includes("compared"));
	},

	// A bar a dump: its wall time, tail and verdict; a click goes there.
	async strip(page)
	{
		const strip = page.getByRole("navigation",
			{name: "dumps of this page"});

		await page.waitForFunction(() => document.querySelector(
			"#steps[aria-busy=false]"));
		const steps = strip.getByRole("button");

		assert.equal(await steps.count(), 2);
		assert.match(await steps.nth(0).innerText(), /rollout 1 5\.00 s/);
		assert.match(await steps.nth(1).innerText(), /rollout 2 6\.00 s/);
		assert.equal(await steps.nth(0).getAttribute("aria-current"),
			"step");
		const verdict = await page.locator("#verdict p").first()
			.innerText();
		const words = (await steps.nth(0).locator(".faint").innerText());

		assert.ok(verdict.includes(words), `${verdict}: ${words}`);
		const heights = await strip.locator(".bar i").evaluateAll(
			(all) => all.map((one) => one.style.height));

		assert.deepEqual(heights.map(Number.parseFloat).map(Math.round),
			[83, 100]);
		// Words are not cut.
		assert.deepEqual(await steps.nth(0).evaluate((step) => {
			const all = step.lastElementChild;

			step.querySelector(".faint").textContent = "42% of sample " +
				"time in the client queue (24 in flight at " +
				"most, full 55% of the time)";
			const place = [all, step].map((one) =>
				one.getBoundingClientRect());

			return [all.scrollWidth > all.clientWidth + 1,
				all.scrollHeight > all.clientHeight + 1,
				place[0].bottom > place[1].bottom];
		}), [false, false, false]);
		await steps.nth(1).focus();
		await page.keyboard.press("Enter");
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 1);
		await settle(page);
		assert.equal(await steps.nth(1).getAttribute("aria-current"),
			"step");
	},

	// Nothing is wider than a phone, and words are text in both themes.
	async narrow(page)
	{
		await page.setViewportSize({width: 390, height: 800});
		await openDialog(page);
		for (const colorScheme of ["light", "dark"]) {
			await page.emulateMedia({colorScheme});
			await settle(page);
			const wide = await page.evaluate(() => {
				const dialog = document.getElementById(
					"comparison");

				return [dialog.scrollWidth - dialog.clientWidth,
					document.body.scrollWidth - innerWidth];
			});

			assert.deepEqual(wide, [0, 0], colorScheme);
		}
		await page.emulateMedia({forcedColors: "active"});
		await settle(page);
		const strokes = await page.evaluate(() => [...document
			.querySelectorAll("#comparison figure:first-child path")]
			.map((one) => [getComputedStyle(one).stroke,
				getComputedStyle(one).strokeDasharray]));

		assert.ok(strokes.every(([stroke]) => stroke !== "none"));
		assert.notEqual(strokes[1][1], strokes[2][1]);
	},
};

await look(file, hash, checks[name]);
