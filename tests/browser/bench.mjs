// The figures of a timeline page: see scripts/bench-viewer.
//
// Usage: node bench.mjs PAGE.html [PLAIN.html]
//
// PLAIN.html is the same page without metrics and profiles, measured before:
// its figures are kept next to it. The status is 1 if a bar is missed.
import fs from "node:fs";

import {look} from "./browser.mjs";

const FRAMES = 120;
const OPENED = 5; // times, of which the median counts
const WINDOW_PAUSE = 1000; // ms until a new window has loaded its own parts

// Draw as fast as one can instead of waiting for a screen, so that the time
// from one frame to the next is what a frame costs.
const UNLIMITED = ["--disable-frame-rate-limit", "--disable-gpu-vsync"];

// What the page is held to by its samples: MB of the page, seconds until the
// first rows, MB of the heap, ms of frames and of the longest task after the
// first paint, ms until an action is seen.
const BARS = {
	4096: {page: 4.8, first: 0.45, heap: 20, p95: 10, task: 50},
	50000: {first: 1.2, action: 100, task: 50},
};

// What a page with metrics and profiles may take of that without.
const BESIDE = {page: 1.4, first: 1.2};

let missed = 0;

// A value, and what it is held to when it misses that.
function held(value, bar, digits)
{
	if (!(value > bar))
		return value.toFixed(digits);
	missed++;
	return `${value.toFixed(digits)} (above ${Number(bar.toFixed(2))}, its bar)`;
}

function figuresOf(page)
{
	return page.replace(/\.html$/, ".figures.json");
}

// The bars of a page, of one beside a plain one from that.
function barsOf(samples, plain)
{
	const bars = BARS[samples] || {};

	if (!plain)
		return bars;
	const {page, first} = JSON.parse(fs.readFileSync(figuresOf(plain)));

	return {...bars, page: BESIDE.page * page, first: BESIDE.first * first};
}

// Steps of the motions, called once a frame in the page with its number.
/* global turn -- of measure, in the page */
const motions = {
	zoom: (n) => turn({deltaY: n % 60 < 30 ? -60 : 60,
		ctrlKey: true}),
	pan: (n) => turn({deltaX: n % 60 < 30 ? 90 : -90, deltaY: 0}),
	scroll: () => {
		const scroller = document.getElementById("scroller");
		const {scrollTop} = scroller;

		scroller.scrollTop += 37;
		// Frames in which nothing moves come at the screen's pace.
		if (scroller.scrollTop === scrollTop)
			throw new Error("there is nothing left to scroll");
	},
};

// Run a motion for FRAMES frames: the times between them, and what the page
// itself worked in each until it was painted, its scripts too, in ms.
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
			let began;

			requestAnimationFrame(() => {
				began = performance.now();
			});
			move(n); // the page draws in the same frame
			const now = await frame();

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

async function frames(page, title, bars)
{
	for (const motion of Object.keys(motions)) {
		const {between, work} = await measure(page, motion);

		const p95 = quantile(between, 0.95);
		const above = p95 > bars.p95 ?
			`  p95 above ${bars.p95}, its bar` : "";

		console.log(`${title.padEnd(10)} ${motion.padEnd(7)} ` +
			`${ms(quantile(between, 0.5))} ${ms(p95)} ` +
			`${ms(Math.max(...between))}   ${ms(quantile(work, 0.5))} ` +
			`${ms(quantile(work, 0.95))} ${ms(Math.max(...work))}` +
			above);
		missed += above ? 1 : 0;
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

// In a page before its scripts: note when the first frame with rows was painted,
// and the tasks over 50 ms after it.
function noteFirst()
{
	globalThis.tasks = [];
	new PerformanceObserver((list) => globalThis.tasks.push(
		...list.getEntries())).observe({type: "longtask"});
	new MutationObserver((_, observer) => {
		if (!document.documentElement?.dataset.ready)
			return;
		observer.disconnect();
		requestAnimationFrame(() => {
			const {port1, port2} = new MessageChannel();

			port1.onmessage = () => globalThis.first =
				performance.now() / 1e3;
			port2.postMessage(0);
		});
	}).observe(document, {attributes: true, subtree: true});
}

// Seconds until a page of its own has painted its rows, and ms of its longest
// task after that until all is counted, 0 if none takes 50.
async function firstRows(page)
{
	const times = [];
	const tasks = [];

	for (let n = 0; n < OPENED; n++) {
		const other = await page.context().browser().newPage({
			viewport: page.viewportSize()});

		// Chromium fills each new window with pages of its own, such
		// as that of its address bar, which cost more than this page
		// does. People open pages in windows that are there.
		await other.waitForTimeout(WINDOW_PAUSE);
		await other.addInitScript(noteFirst);
		await other.goto(page.url());
		await counted(other);
		times.push(await other.evaluate(() => globalThis.first));
		tasks.push(await other.evaluate(() => Math.max(0,
			...globalThis.tasks.filter(({startTime}) =>
				startTime > globalThis.first * 1e3)
				.map(({duration}) => duration))));
		await other.close();
	}
	return {first: quantile(times, 0.5), task: quantile(tasks, 0.5)};
}

// All that follows the first rows is there.
function counted(page)
{
	return page.waitForFunction(() => globalThis.first !== 0 &&
		document.getElementById("verdict").textContent !== "" &&
		globalThis.timeline.overview);
}

// In the page: the rows in view, in their order.
function order()
{
	return [...document.querySelectorAll("#labels .label")].map(
		({dataset}) => dataset.row).join();
}

// What is done, and what is seen once it has an effect.
const actions = {
	"first click on a span": [() => {
		const canvas = document.getElementById("rows");
		const {left, top} = canvas.getBoundingClientRect();
		const {plot, shapes, lines, tops, scroll, rowHeight} =
			globalThis.timeline;
		const {start, end} = shapes.flat(lines.at[3]);
		const x = ((start[1] + end[1]) / 2 - plot.start) * plot.scale;
		const at = {clientX: left + x, pointerId: 1, bubbles: true,
			clientY: top + tops[3] - scroll + rowHeight / 2};

		for (const type of ["pointerdown", "pointerup", "click"])
			canvas.dispatchEvent(new PointerEvent(type, at));
	}, () => document.querySelector("#labels .chosen")?.dataset.row],
	"reverse the sort": [() => document.getElementById("down").click(),
		order],
	"sort by tokens": [() => {
		const sort = document.getElementById("sort");

		sort.value = "tokens";
		sort.dispatchEvent(new Event("change", {bubbles: true}));
	}, order],
	"group": [() => document.getElementById("group").click(),
		() => document.querySelectorAll("#labels .head").length],
	"ungroup": [() => document.getElementById("group").click(),
		() => document.querySelectorAll("#labels .head").length],
	"filter": [() => {
		const filter = document.getElementById("filter");

		filter.value = "status:truncated";
		filter.dispatchEvent(new Event("input", {bubbles: true}));
	}, () => document.getElementById("count").textContent],
	"hide an activity": [() => document.querySelector(
		"#legend .chip").click(),
	() => document.querySelector("#legend .chip")
		.getAttribute("aria-pressed")],
	"expand all": [() => document.getElementById("expand").click(),
		() => document.getElementById("spacer").style.height],
	"theme": [() => {
		const theme = document.getElementById("theme");

		theme.value = "dark";
		theme.dispatchEvent(new Event("change", {bubbles: true}));
	}, () => document.documentElement.dataset.theme],
};

// ms from each action to the frame that shows its first effect.
async function act(page, bars)
{
	const slow = [];
	const names = [...Object.keys(actions), ...await page.evaluate(() =>
		[...document.querySelectorAll("#panel [aria-selected=false]")].map(
			(tab) => tab.id || tab.textContent))];

	for (const name of names) {
		const [step, seen] = actions[name] || [
			`() => [...document.querySelectorAll("#panel [role=tab]")]
				.find((tab) => (tab.id || tab.textContent) ===
				${JSON.stringify(name)}).click()`,
			() => document.querySelector(
				"#panel [aria-selected=true]").textContent];
		const took = await page.evaluate(async ([doIt, look]) => {
			const frame = () => new Promise(requestAnimationFrame);
			const [run, see] = [doIt, look].map((text) =>
				eval(`(${text})`));
			const before = see();

			await frame();
			const began = performance.now();

			run();
			do
				await frame();
			while (see() === before &&
				performance.now() - began < 5000);
			await new Promise((done) => {
				const {port1, port2} = new MessageChannel();

				port1.onmessage = done;
				port2.postMessage(0);
			});
			return performance.now() - began;
		}, [String(step), String(seen)]);

		await page.waitForTimeout(1000);
		slow.push([name, took]);
	}
	console.log("first effect of actions, ms: " + slow.map(([name, took]) =>
		`${name} ${held(took, bars.action, 0)}`).join(", "));
}

const [file, plain] = process.argv.slice(2);

await look(file, "", async (page) => {
	const {first, task} = await firstRows(page);

	await counted(page);
	const samples = await page.evaluate(() =>
		globalThis.timeline.model.rows.length);
	const bars = barsOf(samples, plain);
	const size = fs.statSync(file).size / 1e6;

	fs.writeFileSync(figuresOf(file), JSON.stringify({page: size, first}));
	console.log(`${samples} samples: page ` +
		`${held(size, bars.page, 1)} MB, ` +
		`first rows after ${held(first, bars.first, 2)} s, longest ` +
		`task after them ${held(task, bars.task, 0)} ms, heap ` +
		`${held(await heap(page), bars.heap, 0)} MB`);
	await act(page, bars);
	// Without what the actions have left in the address.
	await page.evaluate(() => history.replaceState(null, "",
		location.pathname));
	await page.reload();
	await counted(page);
	console.log("                   between frames, ms     work, ms");
	console.log("                      p50    p95    max      p50    " +
		"p95    max");
	await frames(page, "collapsed", bars);
	await page.evaluate(() => document.getElementById("expand").click());
	await frames(page, "expanded", bars);
	console.log(`heap after all of it: ${(await heap(page)).toFixed(0)} MB`);
}, UNLIMITED);
console.log(missed > 0 ? `bars missed: ${missed}` : "every bar holds");
process.exitCode = missed > 0 ? 1 : 0;
