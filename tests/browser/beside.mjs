// What the timeline page shows beside the samples: metrics and profiles, at
// the right time. The dump and the streams are those of
// tests/viewer-engines.bats.
//
// Usage: node beside.mjs CHECK PAGE.html [HASH [AHEAD]]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";

/* global paintChart, placeCharts -- of the page, in it */

async function valueAt(page, key, seconds)
{
	await page.evaluate((at) => globalThis.timeline && showHair(
		globalThis.timeline, at * 1e6), seconds);
	return page.locator(`[data-chart="${key}"] .chart-name b`).innerText();
}

async function waitForCharts(page)
{
	await page.waitForFunction(() => globalThis.timeline.charts);
	await settle(page);
}

// Whether a chart has ink in its column at a moment.
function inkAt(page, key, seconds)
{
	return page.evaluate(([chart, at]) => {
		const canvas = document.querySelector(
			`[data-chart="${chart}"] canvas`);
		const x = Math.round(xAt(plotScale(globalThis.timeline),
			at * 1e6) * canvas.width / canvas.clientWidth);
		const copy = new OffscreenCanvas(1, canvas.height);
		const context = copy.getContext("2d",
			{willReadFrequently: true});

		context.drawImage(canvas, -x, 0);
		const {data} = context.getImageData(0, 6, 1, canvas.height - 6);

		return data.some((byte) => byte > 0);
	}, [key, seconds]);
}

const checks = {
	async metrics(page)
	{
		await waitForCharts(page);
		// A request runs from 0 s to 10 s, another from 4 s to 8 s.
		assert.equal(await valueAt(page, "engine-running", 3.5),
			"1 e0:30000 · 0 e1:30000");
		assert.equal(await valueAt(page, "engine-running", 5.5),
			"2 e0:30000 · 0 e1:30000");
		assert.equal(await valueAt(page, "engine-kv_usage", 5.5),
			"15% e0:30000");
		assert.equal(await valueAt(page, "engine-sglang:odd_things_total",
			5.5), "3 e0:30000");
		// Each figure says what it is of.
		await page.evaluate(() => hideHair(globalThis.timeline));
		assert.deepEqual(await Promise.all(["flight", "engine-running"].map(
			(key) => page.locator(`[data-chart="${key}"] .chart-name b`)
				.innerText())),
		["peak 2 in total", "peak 2 on e0:30000"]);
		assert.ok(await inkAt(page, "engine-running", 5.5));
		// Lines that are few have a key, which is not cut.
		const key = page.locator(
			'[data-chart="engine-running"] .chart-keys');

		assert.deepEqual(await key.locator("span").allInnerTexts(),
			["e0:30000", "e1:30000"]);
		assert.ok(await key.evaluate((one) => {
			const band = one.closest(".chart").getBoundingClientRect();
			const place = one.getBoundingClientRect();

			return place.height > 0 && place.bottom <= band.bottom &&
				one.scrollWidth <= one.clientWidth;
		}));
		assert.equal(await page.locator('[data-chart=' +
			'"engine-sglang:odd_things_total"] .chart-keys')
			.isVisible(), false);
	},

	// What an engine still reports after its last request is called
	// stale.
	async stale(page)
	{
		await waitForCharts(page);
		const value = (seconds) => valueAt(page, "engine-running",
			seconds);

		assert.equal(await value(3.5), "3 e1:30000 · 2 e0:30000");
		assert.equal(await value(6.5),
			"3 e1:30000 · 2 e0:30000 (stale)");
		assert.deepEqual(await page.locator('[data-chart=' +
			'"engine-running"] .chart-keys > span').allInnerTexts(),
		["e0:30000", "e1:30000", "stale: no request runs"]);
	},

	// Many engines have one list of their colours, on paper and in pictures,
	// too; the one that is pointed at stands out.
	async key(page)
	{
		await waitForCharts(page);
		const key = page.locator(".key-band");
		const names = key.getByRole("button");

		assert.equal(await names.count(), 10);
		assert.match(await key.innerText(), /engines\s+10\s+e0:30000\s+e1/);
		// The chart's colours where a line holds alone are the list's.
		const colours = () => page.evaluate(() => {
			const canvas = document.querySelector(
				'[data-chart="engine-running"] canvas');
			const copy = new OffscreenCanvas(1, canvas.height);
			const context = copy.getContext("2d",
				{willReadFrequently: true});
			const x = Math.round(xAt(plotScale(globalThis.timeline),
				4e6) * canvas.width / canvas.clientWidth);

			context.drawImage(canvas, -x, 0);
			const {data} = context.getImageData(0, 6, 1,
				canvas.height - 6);

			return [...new Set([...Array(data.length / 4).keys()]
				.filter((y) => data[4 * y + 3] === 255)
				.map((y) => `rgb(${data.slice(4 * y, 4 * y + 3)
					.join(", ")})`))].sort();
		});
		const marks = await key.locator("i").evaluateAll((all) =>
			all.map((mark) => getComputedStyle(mark).backgroundColor +
				mark.className));

		assert.equal(new Set(marks).size, 10, "each looks unlike others");
		const swatches = marks.map((mark) => mark.replace(/mark.*/, ""));
		const drawn = await colours();

		assert.ok(drawn.length >= 8, drawn.join());
		assert.ok(drawn.every((colour) => swatches.includes(colour)));
		await names.nth(3).hover();
		await settle(page);
		const faint = await page.evaluate(() => {
			const {ink: {line}} = globalThis.timeline;

			return `rgb(${[1, 3, 5].map((at) => parseInt(
				line.slice(at, at + 2), 16)).join(", ")})`;
		});

		assert.deepEqual(await colours(), [swatches[3], faint].sort());
		await page.mouse.move(5, 5);
		await settle(page);
		assert.deepEqual(await colours(), drawn);
		const svg = await page.evaluate(() =>
			plotVector(globalThis.timeline));

		for (const mark of new Set(swatches))
			assert.ok(svg.includes(`fill="${mark}"/>`), mark);
		assert.ok(svg.includes(">e9:30000</text>"));
		await page.emulateMedia({media: "print"});
		assert.ok(await names.nth(9).isVisible());
		assert.ok(await key.evaluate((one) => [...one.querySelectorAll(
			"button")].every((button) => button.getBoundingClientRect()
			.bottom <= one.getBoundingClientRect().bottom)));
	},

	// A phone has no room for lists in the charts.
	async phone(page)
	{
		await waitForCharts(page);
		assert.ok(!await page.locator(".key-band").isVisible());
		await page.setViewportSize({width: 390, height: 844});
		await settle(page);
		assert.ok(await page.locator(".key-band").isVisible());
		const [inView, all] = await page.evaluate(() => {
			const {bottom} = document.getElementById("charts")
				.getBoundingClientRect();
			const charts = [...document.querySelectorAll(".chart")];

			return [charts.filter((one) =>
				one.getBoundingClientRect().bottom <= bottom + 1)
				.length, charts.length];
		});

		assert.ok(all > 3 && inView === all, `${inView} of ${all}`);
	},

	// Wherever a request begins or ends, the count of running requests
	// follows within one interval of the stream, and moves nowhere else.
	async together(page)
	{
		await waitForCharts(page);
		const [edges, moves, interval] = await page.evaluate(() => {
			const {model: {items}, charts} = globalThis.timeline;
			const {lines: [{at, value}]} = charts.find(({key}) =>
				key === "engine-running");

			return [[...items.start, ...items.end],
				[...at.keys()].filter((k) => value[k] -
					value[k - 1]).map((k) => at[k]),
				at[1] - at[0]];
		});

		assert.equal(edges.length, 4);
		assert.equal(moves.length, 4);
		for (const edge of edges) {
			assert.equal(moves.filter((at) => at >= edge &&
				at <= edge + interval).length, 1, `${edge}: ${moves}`);
		}
	},

	// Each count of running requests is one that the engine's slots had by
	// the rollout in the interval before it; the stream's clock may be ahead.
	async recorded(page)
	{
		await waitForCharts(page);
		const [values, rises, apart, shifted] = await page.evaluate(
			async (ahead) => {
				const {model, state, charts} = globalThis.timeline;
				const {items, rows} = model;
				const latencies = finish(latencySteps(model,
					await openAttrs(state.dump, model)));
				const {lines} = charts.find(({key}) =>
					key === "engine-running");
				const slots = (name) => rows.map((row, r) =>
					[r, row.first]).filter(([r, i]) =>
					workerOfItem(model, r, i) === name).map(
					([, i]) => slotTimes(items.start[i],
						items.end[i], items.queue[i],
						latencies.get(i)));
				const apartBy = (shift) => lines.map((line) => {
					const times = slots(plainWorker(line.name));
					const interval = line.at[2] - line.at[1];

					return [...line.at.keys()].filter((k) => {
						const to = line.at[k] - shift;
						const from = to - interval;
						const moments = [from, ...times.flat()
							.filter((t) => t > from && t <= to)];

						return line.value[k] >= 0 &&
							!moments.some((t) => times.filter(
								([a, b]) => a <= t && t < b)
								.length === line.value[k]);
					}).length;
				});

				return [lines.map(({value}) => value.filter((v) =>
					v >= 0).length), lines.map(({value}) =>
					value.filter((v, k) => v > value[k - 1])
						.length), apartBy(0), apartBy(ahead)];
			}, Number(shift) * 1e6);

		assert.equal(values.length, 2);
		assert.ok(values.every((n) => n > 15), values.join());
		assert.ok(rises.every((n) => n > 0), rises.join());
		assert.deepEqual(shifted, [0, 0]);
		assert.equal(apart.every((n) => n === 0), Number(shift) === 0,
			"nothing moves the values from when they were recorded");
	},

	// What did not change is not painted again, and what did is.
	async painted(page)
	{
		await waitForCharts(page);
		await page.evaluate(() => {
			const paint = globalThis.paintChart;

			globalThis.painted = 0;
			globalThis.paintChart = (...all) => {
				globalThis.painted++;
				paint(...all);
			};
		});
		const painted = async (change) => {
			await page.evaluate(() => {
				globalThis.painted = 0;
			});
			await change();
			await settle(page);
			return page.evaluate(() => globalThis.painted);
		};
		const charts = await page.locator(".chart").count();

		assert.equal(await painted(() => page.evaluate(() =>
			drawScene(globalThis.timeline, {labels: new Map()}))), 0);
		for (const key of ["w", "t", "t"]) {
			assert.ok(await painted(() => page.keyboard.press(key)) >=
				(key === "w" ? charts : 0), key);
		}
		assert.ok(await inkAt(page, "engine-running", 5.5));
		assert.ok(await painted(() => page.setViewportSize(
			{width: 1000, height: 800})) >= charts);
		assert.ok(await inkAt(page, "engine-running", 5.5));
	},

	// New charts come into the page one a slice.
	async slices(page)
	{
		await waitForCharts(page);
		const painted = await page.evaluate(() => {
			const {timeline} = globalThis;
			const paint = paintChart;
			const found = [];
			const page = {draw() {}, apply() {}};

			globalThis.paintChart = (...all) => {
				found[found.length - 1]++;
				paint(...all);
			};
			for (const chart of timeline.charts)
				chart.painted = undefined;
			const steps = placeCharts(timeline, page, timeline.charts);

			do
				found.push(0);
			while (!steps.next().done);
			return found;
		});

		assert.equal(Math.max(...painted), 1);
		assert.equal(painted[0], 0, "their bands come first");
		assert.ok(painted.filter((many) => many === 1).length > 2);
	},

	// Names from outside are text.
	async hostile(page)
	{
		await waitForCharts(page);
		assert.match(await valueAt(page, "engine-running", 5.5),
			/<img src=x/);
		assert.match(await valueAt(page, "gpu-0-0", 2.2), /<img src=x/);
		assert.equal(await page.locator("img").count(), 0);
	},

	async gpus(page)
	{
		await waitForCharts(page);
		assert.equal(await valueAt(page, "gpu-0-0", 2.2),
			"100% busy · step[DECODE bs=8]");
		assert.equal(await valueAt(page, "gpu-0-0", 2.7), "0% busy");
		assert.equal(await valueAt(page, "gpu-0-0", 5), "not profiled");
		assert.ok(await inkAt(page, "gpu-0-0", 2.2));
		assert.ok(!await inkAt(page, "gpu-0-0", 6));
		assert.equal(await page.locator("[data-chart=gpu-key]").count(), 0);
	},

	// Where GPUs ran collectives, too, there are two colours to know.
	async collectives(page)
	{
		await waitForCharts(page);
		const key = page.locator("[data-chart=gpu-key]");

		assert.deepEqual(await key.locator("bdi").allInnerTexts(),
			["compute", "collectives"]);
		const marks = await key.locator("i").evaluateAll((all) =>
			all.map((mark) => getComputedStyle(mark).backgroundColor));

		assert.deepEqual(marks, await page.evaluate(() => {
			const {charts, theme} = globalThis.timeline;

			return charts.find(({gpu}) => gpu).lines.map(({colour}) =>
				`rgb(${channels(colour[theme]).join(", ")})`);
		}));
	},

	// Of many charts some scroll, and the rows keep their room.
	async many(page)
	{
		await waitForCharts(page);
		const size = await page.evaluate(() => ({
			charts: document.getElementById("charts").clientHeight,
			inner: document.getElementById("charts").scrollHeight,
			rows: document.getElementById("scroller").clientHeight,
			widths: [...document.querySelectorAll("#charts canvas, " +
				"#axis, #rows")].map((canvas) =>
				canvas.getBoundingClientRect().width),
		}));

		assert.ok(size.inner > size.charts);
		assert.ok(size.rows > 150);
		// So they do above a panel at the bottom of a low window.
		await page.setViewportSize({width: 1280, height: 720});
		await page.locator("#view > summary").click();
		await page.locator("#dock").selectOption("bottom");
		await page.locator("#view > summary").click();
		await settle(page);
		assert.ok(await page.locator("#scroller").evaluate((one) =>
			one.clientHeight > 70 && one.getBoundingClientRect().bottom <=
				document.getElementById("side")
					.getBoundingClientRect().top));
		await page.locator("#view > summary").click();
		await page.locator("#dock").selectOption("right");
		await page.locator("#view > summary").click();
		await page.setViewportSize({width: 1440, height: 900});
		await settle(page);
		assert.equal(new Set(size.widths).size, 1);
		// Pictures leave out what is scrolled away.
		const [picture, red, svg] = await page.evaluate(() => {
			const make = () => pictureOf(globalThis.timeline)
				.toDataURL();
			const plain = make();
			const {bottom} = document.getElementById("charts")
				.getBoundingClientRect();

			for (const canvas of document.querySelectorAll(
				"#charts canvas")) {
				const context = canvas.getContext("2d");

				context.fillStyle = "red";
				if (canvas.getBoundingClientRect().top > bottom)
					context.fillRect(0, 0, 9999, 9999);
			}
			return [plain, make(), plotVector(globalThis.timeline)];
		});

		assert.equal(picture, red);
		const box = new RegExp(`<svg [^>]*height="${size.charts}" ` +
			"overflow=\"hidden\">(?:[^<]|<(?!/?svg))*" +
			"(?:<svg(?:[^<]|<(?!/?svg))*</svg>(?:[^<]|<(?!/?svg))*)*" +
			"</svg>").exec(svg)?.[0] || "";

		for (const n of [0, 10])
			assert.ok(box.includes(`7-TP-${n + 1}`) ||
				box.includes(`rank ${n + 1} `), `chart ${n}`);
		// Only those in view are drawn, the others once they are.
		const drawn = () => page.evaluate(() =>
			globalThis.timeline.charts.map(({painted}) =>
				painted?.[3]));
		const before = await drawn();

		// They take turns, which may be many frames.
		const chartDrawn = (n, start) => page.waitForFunction(
			([chart, was]) => !globalThis.timeline.chartsWait &&
				globalThis.timeline.charts.at(chart)
					.painted?.[3] !== was, [n, start]);

		await page.keyboard.press("w");
		await chartDrawn(0, before[0]);
		const after = await drawn();

		assert.equal(after.at(-1), before.at(-1));
		await page.evaluate(() => {
			document.getElementById("charts").scrollTop = 1e4;
		});
		await chartDrawn(-1, before.at(-1));
		assert.equal((await drawn()).at(-1), after[0]);
		assert.ok(await inkAt(page, "gpu-10-0", 2.7) ||
			await inkAt(page, "gpu-10-0", 3.2));
	},
};

const [, , check, file, hash = "", shift = "0"] = process.argv;

await look(file, hash, checks[check]);
