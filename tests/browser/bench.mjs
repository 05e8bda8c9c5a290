// The figures of a timeline page: see scripts/bench-viewer.
// Usage: node bench.mjs PAGE.html
import fs from "node:fs";

import {look} from "./browser.mjs";

const FRAMES = 120;

// Steps of the motions, called once a frame in the page with its number.
const motions = {
	zoom: (n) => turn({deltaY: n % 60 < 30 ? -60 : 60}),
	pan: (n) => turn({deltaX: n % 60 < 30 ? 90 : -90, deltaY: 0}),
	scroll: () => {
		document.getElementById("scroller").scrollTop += 37;
	},
};

// Run a motion for FRAMES frames: the times between them, and what the page
// itself worked in each until it was painted, in ms.
function measure(page, motion)
{
	return page.evaluate(async ([step, frames]) => {
		const canvas = document.getElementById("rows");
		const {left, top} = canvas.getBoundingClientRect();
		// eslint-disable-next-line no-unused-vars -- the step calls it
		const turn = (wheel) => canvas.dispatchEvent(
			new WheelEvent("wheel", {clientX: left + 500,
				clientY: top + 200, bubbles: true,
				cancelable: true, ...wheel}));
		const move = eval(`(${step})`);
		const frame = () => new Promise(requestAnimationFrame);
		const painted = () => new Promise((done) => {
			const {port1, port2} = new MessageChannel();

			port1.onmessage = done;
			port2.postMessage(0);
		});
		const between = [];
		const work = [];
		let last = await frame();

		for (let n = 0; n < frames; n++) {
			move(n);
			const now = await frame();
			const began = performance.now();

			await painted();
			work.push(performance.now() - began);
			between.push(now - last);
			last = now;
		}
		return {between: between.slice(1), work};
	}, [String(motions[motion]), FRAMES]);
}

function quantile(values, q)
{
	return values.toSorted((a, b) => a - b)[
		Math.floor((values.length - 1) * q)];
}

function ms(value)
{
	return value.toFixed(1).padStart(6);
}

async function frames(page, title)
{
	for (const motion of Object.keys(motions)) {
		const {between, work} = await measure(page, motion);

		console.log(`${title.padEnd(10)} ${motion.padEnd(7)} ` +
			`${ms(quantile(between, 0.5))} ` +
			`${ms(quantile(between, 0.95))} ` +
			`${ms(Math.max(...between))}   ` +
			`${ms(quantile(work, 0.5))} ` +
			`${ms(quantile(work, 0.95))} ${ms(Math.max(...work))}`);
	}
}

// MB of objects and of typed arrays that live, garbage left out.
async function heap(page)
{
	const session = await page.context().newCDPSession(page);

	await session.send("HeapProfiler.collectGarbage");
	const use = await session.send("Runtime.getHeapUsage");

	return (use.usedSize + (use.embedderHeapUsedSize || 0) +
		(use.backingStorageSize || 0)) / 1e6;
}

const [file] = process.argv.slice(2);

await look(file, "", async (page) => {
	await page.reload();
	const first = await page.evaluate(() => new Promise((done) => {
		const drawn = () => document.documentElement.dataset.ready ?
			requestAnimationFrame(() => done(performance.now())) :
			requestAnimationFrame(drawn);

		drawn();
	}));

	await page.waitForFunction(() => globalThis.timeline.stats);
	const samples = await page.evaluate(() =>
		globalThis.timeline.model.rows.length);

	console.log(`${samples} samples: page ` +
		`${(fs.statSync(file).size / 1e6).toFixed(1)} MB, first rows ` +
		`after ${(first / 1e3).toFixed(2)} s, heap ` +
		`${(await heap(page)).toFixed(0)} MB`);
	console.log("                   between frames, ms     work, ms");
	console.log("                      p50    p95    max      p50    " +
		"p95    max");
	await frames(page, "collapsed");
	await page.evaluate(() => document.getElementById("expand").click());
	await frames(page, "expanded");
	console.log(`heap after all of it: ${(await heap(page)).toFixed(0)} MB`);
});
