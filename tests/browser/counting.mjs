// What a timeline page counts once its rows are drawn, in headless Chromium.
//
// Usage: node counting.mjs CHECK PAGE.html
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";

/* global figureSteps, keepEntry, overviewOf, verdictSteps -- of the page, in it */

const checks = {
	// However long it takes to count figures, the overview is counted after
	// them, and once; the labels have changed by then for the last time.
	async countedOnce(page)
	{
		await page.evaluate(() => {
			const [figures, overview, keep] = [figureSteps,
				overviewOf, keepEntry];

			globalThis.figureSteps = function* slow(scene) {
				const due = performance.now() + 200;

				document.getElementById("scroller")
					.dispatchEvent(new Event("scroll"));
				while (performance.now() < due)
					yield;
				yield* figures(scene);
			};
			globalThis.counted = 0;
			globalThis.overviewOf = (...all) => {
				globalThis.counted++;
				globalThis.kept = 0;
				return overview(...all);
			};
			globalThis.keepEntry = (...all) => {
				globalThis.kept++;
				keep(...all);
			};
			globalThis.timeline.overview = undefined;
			location.hash = "#sort=row&down=1";
		});
		await page.waitForFunction(() => globalThis.timeline.overview &&
			globalThis.timeline.charts);
		await settle(page);
		assert.equal(await page.evaluate(() => globalThis.counted), 1);
		assert.equal(await page.evaluate(() => globalThis.kept), 0);
	},

	// Rows have as much room as the verdict leaves, however late it comes.
	async roomOfVerdict(page)
	{
		const roomOf = () => page.evaluate(() => ["scroller", "stage"].map(
			(id) => document.getElementById(id).clientHeight));
		const [before] = await roomOf();

		await page.evaluate(() => {
			const steps = verdictSteps;

			document.getElementById("verdict").replaceChildren();
			globalThis.verdictSteps = function* late(...all) {
				const due = performance.now() + 300;

				while (performance.now() < due)
					yield;
				const {wall, lines} = yield* steps(...all);

				return {wall, lines: [...lines, ...lines]};
			};
			location.hash = "#sort=row&down=1";
		});
		await page.locator("#verdict p").nth(3).waitFor();
		await settle(page);
		const [scroller, stage] = await roomOf();

		assert.ok(scroller < before - 40, `${before} to ${scroller} px`);
		assert.equal(stage, scroller);
	},
};

const [check, file] = process.argv.slice(2);

await look(file, "#sort=row&down=0", async (page) => {
	await page.waitForFunction(() => globalThis.timeline.overview);
	await checks[check](page);
});
