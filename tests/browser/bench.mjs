// The figures of a timeline page: see scripts/bench-viewer.
// Usage: node bench.mjs PAGE.html
import fs from "node:fs";

import {look} from "./browser.mjs";

const FRAMES = 120;
const OPENED = 5; // times, of which the median counts

// Draw as fast as one can instead of waiting for a screen, so that the time
// from one frame to the next is what a frame costs.
const UNLIMITED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

// What the page is held to at 4,096 samples.
const BARS = {page: 14, first: 0.5, heap: 60, p95: 16.7, longest: 33};

// A value with its unit, and what it is held to when it misses that.
function held(value, bar, digits)
{
	return value.toFixed(digits) + (value < BARS[bar] ? "" :
		` (not below ${BARS[bar]})`);
}

// Steps of the motions, called once a frame in the page with its number.
/* global turn -- of measure, in the page */
const motions = {
	zoom: (n) => turn({deltaY: n % 60 < 30 ? -60 : 60,
		ctrlKey: true}),
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

		const [p95, longest] = [quantile(between, 0.95),
			Math.max(...between)];
		const missed = p95 < BARS.p95 && longest < BARS.longest ? "" :
			`  p95 not below ${BARS.p95} or longest not ` +
			`below ${BARS.longest}`;

		console.log(`${title.padEnd(10)} ${motion.padEnd(7)} ` +
			`${ms(quantile(between, 0.5))} ${ms(p95)} ` +
			`${ms(longest)}   ${ms(quantile(work, 0.5))} ` +
			`${ms(quantile(work, 0.95))} ${ms(Math.max(...work))}` +
			missed);
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

// In a page before its scripts: note when its rows have been drawn.
function noteFirst()
{
	new MutationObserver((_, observer) => {
		if (!document.documentElement?.dataset.ready)
			return;
		observer.disconnect();
		requestAnimationFrame(() => requestAnimationFrame(() => {
			globalThis.first = performance.now() / 1e3;
		}));
	}).observe(document, {attributes: true, subtree: true});
}

// Seconds until a page of its own has drawn its rows.
async function firstRows(page)
{
	const times = [];

	for (let n = 0; n < OPENED; n++) {
		const other = await page.context().browser().newPage({
			viewport: page.viewportSize()});

		await other.addInitScript(noteFirst);
		await other.goto(page.url());
		await other.waitForFunction(() => globalThis.first);
		times.push(await other.evaluate(() => globalThis.first));
		await other.close();
	}
	return quantile(times, 0.5);
}

const [file] = process.argv.slice(2);

await look(file, "", async (page) => {
	const first = await firstRows(page);

	await page.waitForFunction(() => globalThis.timeline.stats);
	const samples = await page.evaluate(() =>
		globalThis.timeline.model.rows.length);

	console.log(`${samples} samples: page ` +
		`${held(fs.statSync(file).size / 1e6, "page", 1)} MB, ` +
		`first rows after ${held(first, "first", 2)} s, heap ` +
		`${held(await heap(page), "heap", 0)} MB`);
	console.log("                   between frames, ms     work, ms");
	console.log("                      p50    p95    max      p50    " +
		"p95    max");
	await frames(page, "collapsed");
	await page.evaluate(() => document.getElementById("expand").click());
	await frames(page, "expanded");
	console.log(`heap after all of it: ${(await heap(page)).toFixed(0)} MB`);
}, UNLIMITED);
