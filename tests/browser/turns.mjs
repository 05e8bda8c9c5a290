// Charts of a timeline page that share frames while it zooms.
//
// Usage: node turns.mjs CHECK PAGE.html
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";

/* global CHART_COST, CHART_POINTS, chartsInView, paintChart -- of the page, in
 * it */

async function waitForCharts(page)
{
	await page.waitForFunction(() => globalThis.timeline.charts);
	await settle(page);
}

// Zoom, and return how many charts whose keys begin so each frame drew until
// all of them showed the new window: a Map.
async function framesOfZoom(page, begin)
{
	const before = await page.evaluate((wanted) => {
		const paint = paintChart;

		globalThis.frames = [];
		globalThis.paintChart = (scene, chart, canvas) => {
			if (chart.key.startsWith(wanted)) {
				globalThis.frames.push(
					document.timeline.currentTime);
			}
			paint(scene, chart, canvas);
		};
		return globalThis.timeline.plot.scale;
	}, begin);
	await page.keyboard.press("w");
	await page.waitForFunction((was) => {
		const {charts, plot} = globalThis.timeline;

		return plot.scale !== was && [...chartsInView(
			globalThis.timeline, charts)].every(([{painted}]) =>
			painted?.[4] === plot.scale);
	}, before);
	const counted = new Map();

	for (const time of await page.evaluate(() => globalThis.frames))
		counted.set(time, (counted.get(time) || 0) + 1);
	return counted;
}

const checks = {
	// Many charts share frames, however few points they have.
	async many(page)
	{
		await waitForCharts(page);
		const frames = [...(await framesOfZoom(page, "")).values()];
		const most = await page.evaluate(() => CHART_POINTS / CHART_COST);

		assert.ok(frames.length > 1 && Math.max(...frames) <= most,
			`${frames}`);
	},

	// Charts of very many points share frames, and in the end all show what
	// the axis does.
	async points(page)
	{
		await waitForCharts(page);
		await page.evaluate(() => {
			const {timeline} = globalThis;
			const many = 2 * CHART_POINTS;
			const at = Float64Array.from({length: many},
				(_, k) => k * 1e7 / many);

			timeline.charts = timeline.charts.map((chart) =>
				chart.overlaid ? {...chart, lines: [{
					...chart.lines[0], at,
					value: new Float64Array(many)}]} : chart);
		});
		const frames = [...(await framesOfZoom(page, "engine-")).values()];

		assert.ok(frames.length > 2);
		assert.equal(Math.max(...frames), 1, `${frames}`);
	},
};

const [check, file] = process.argv.slice(2);

await look(file, "", checks[check]);
