// The tabs of the timeline page: distributions, the critical path, what was
// aggregated, and what is exported. The dump is that of
// tests/viewer_helper.bash: #1 decodes for 16 s and keeps #0 and #2 waiting.
//
// Usage: node tabs.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";

import {look, settle} from "./browser.mjs";
import {shown, stateOf} from "./plot.mjs";

async function open(page, name)
{
	await page.waitForFunction(() => globalThis.timeline.charts);
	await page.getByRole("tab", {name}).click();
	await settle(page);
}

// Draw a box around the sample of so many tokens and microseconds.
async function brush(page, tokens, time)
{
	const box = await page.locator("canvas.spread").boundingBox();

	if (box === null)
		return;
	const place = await page.evaluate(([atTokens, atTime]) => {
		const scene = globalThis.timeline;
		const {width, height} = document.querySelector("canvas.spread")
			.getBoundingClientRect();
		const scale = spreadScale(spreadOf(scene), width, height);

		return [scale.x(atTokens), scale.y(atTime)];
	}, [tokens, time]);

	await page.mouse.move(box.x + place[0] - 20, box.y + place[1] - 9);
	await page.mouse.down();
	await page.mouse.move(box.x + place[0] + 5, box.y + place[1] + 20);
	await page.mouse.up();
	await settle(page);
}

const checks = {
	async critical(page)
	{
		await open(page, "Critical path");
		await page.locator("#tab-panel .path-sums").waitFor();
		const text = await page.locator("#tab-panel").innerText();

		// #1 from the start to 18 s, then the reward of the group.
		assert.match(text, /20\.0 s through 1 sample/);
		assert.match(text, /decode 16\.0 s · 80%/);
		assert.match(text, /reward 2\.00 s · 10%/);
		const sums = await page.evaluate(() => {
			const {model} = globalThis.timeline;

			return [model.path.reduce((sum, {from, to}) =>
				sum + to - from, 0),
			model.about.end - model.about.start];
		});

		assert.equal(sums[0], sums[1]);
		await page.locator("#tab-panel").getByRole("button",
			{name: "#1 decode"}).click();
		await settle(page);
		const {selected, measured} = await stateOf(page);

		assert.equal(selected.row, 1);
		assert.deepEqual([measured.start, measured.end], [2e6, 18e6]);
	},

	// The parts cover the wall time of any dump.
	async sums(page)
	{
		const [sum, wall, tiles] = await page.evaluate(async () => {
			const scene = globalThis.timeline;

			while (!scene.stats)
				await new Promise((done) => setTimeout(done, 20));
			const path = finish(criticalPath(scene.stats));
			const rows = [...timedRows(scene.model)].map((r) =>
				scene.model.rows[r]);

			return [path.reduce((all, {from, to}) => all + to - from,
				0), rows.length ? Math.max(...rows.map(
				(row) => row.end)) - Math.min(...rows.map(
				(row) => row.start)) : 0,
			path.every(({from}, k) => k === 0 ||
				from === path[k - 1].to)];
		});

		assert.ok(Math.abs(sum - wall) < 1e-3, `${sum} is not ${wall}`);
		assert.ok(tiles);
	},

	async spread(page)
	{
		await open(page, "Distributions");
		// All three: 100 tokens in 5 s and 7 s, 400 in 16 s.
		await page.locator("#tab-panel").getByText(/3 samples/).first()
			.waitFor();
		assert.deepEqual(await page.locator("#tab-panel .workers bdi")
			.allInnerTexts(), ["10.0.0.1:30000", "10.0.0.2:30000"]);
		// A panel that is drawn again as its figures come in takes the
		// pointer's canvas with it.
		while (!(await stateOf(page)).box)
			await brush(page, 400, 16e6);
		assert.deepEqual(await shown(page), [1]);
		await page.waitForFunction(() => location.hash.includes("box="));
		await page.getByRole("button", {name: "show all"}).click();
		await settle(page);
		assert.equal((await shown(page)).length, 3);
	},

	// Many dots are drawn in slices, and once: a box is drawn over them.
	async manyDots(page)
	{
		await open(page, "Distributions");
		// The panel is drawn again as its figures come in.
		await page.waitForFunction(() => {
			const canvas = document.querySelector("canvas.spread");
			const same = canvas && canvas === globalThis.seen;

			globalThis.seen = canvas;
			return same;
		}, undefined, {polling: 500});
		const [pauses, dots] = await page.evaluate(() => {
			const points = [...Array(5120).keys()].map((k) => ({
				row: k % 3, tokens: 1 + k % 64, worker: "",
				time: 1e6 * (1 + (k >> 6)), rate: 1}));
			const steps = pictureSteps(globalThis.timeline,
				document.querySelector("canvas.spread"),
				{points, rates: points.map(({rate}) => rate)});
			let step = steps.next();
			let many = 0;

			for (; !step.done; step = steps.next())
				many++;
			const {picture, scale} = step.value;
			const {data} = picture.getContext("2d").getImageData(
				0, 0, picture.width, picture.height);

			return [many, points.filter(({tokens, time}) =>
				data[4 * (Math.floor(scale.y(time)) *
					picture.width + Math.floor(
					scale.x(tokens))) + 3] > 0).length];
		});

		assert.equal(pauses, 20);
		assert.equal(dots, 5120);
		const picture = () => page.evaluate(() =>
			document.querySelector("canvas.spread").toDataURL());
		const {x, y} = await page.locator("canvas.spread").boundingBox();
		const before = await picture();

		await page.evaluate(() => {
			const make = pictureSteps;

			globalThis.drawn = 0;
			globalThis.pictureSteps = (...all) => {
				globalThis.drawn++;
				return make(...all);
			};
		});
		await page.mouse.move(x + 60, y + 20);
		await page.mouse.down();
		await page.mouse.move(x + 62, y + 60, {steps: 5});
		assert.notEqual(await picture(), before);
		await page.mouse.move(x + 61, y + 21);
		await page.mouse.up();
		assert.equal(await picture(), before, "the box is gone");
		assert.equal(await page.evaluate(() => globalThis.drawn), 0);
	},

	// The sums are those of the dump: generate_and_rm_group 3 x 20 s, in it
	// what waits; a click zooms, and the address keeps it.
	async flame(page)
	{
		await open(page, "Aggregate");
		const block = (name) => page.locator(".flame-block",
			{hasText: new RegExp(`^${name}$`)});

		await block("sglang_generate").waitFor();
		assert.match(await block("sglang_generate").getAttribute("title"),
			/^generate_and_rm_group › generate_and_rm › sglang_generate: total 28\.0 s · self 28\.0 s · 3 spans · 47% of sample time$/);
		// At one moment: the panel may be drawn anew at any.
		const width = (name) => page.evaluate((text) =>
			[...document.querySelectorAll(".flame-block")].find(
				(one) => one.textContent === text)
				.getBoundingClientRect().width, name);
		const share = await width("sglang_generate") /
			await width("all samples");

		assert.ok(Math.abs(share - 28 / 60) < 0.01, `${share}`);
		// A block is as wide as its share, however narrow that is.
		assert.deepEqual(await page.evaluate(() =>
			[...document.querySelectorAll(".flame-block")].filter(
				(one) => Math.abs(one.getBoundingClientRect()
					.width - parseFloat(one.style.width) / 100 *
					one.parentNode.clientWidth) > 1.5)
				.map((one) => one.textContent)), []);
		await block("generate_and_rm").click();
		await page.waitForFunction(() => location.hash.includes("flame="));
		await settle(page);
		assert.ok(Math.abs(await width("generate_and_rm") -
			await width("all samples")) < 1);
		assert.equal(await block("group_reward_model").count(), 0);
		// 34 s of generate_and_rm, 6 of them its own.
		assert.match(await page.locator("#tab-panel table").innerText(),
			/generate_and_rm[^]*6\.00 s\s+10%\s+34\.0 s\s+3/);
		// By keys: down to the request, and out again.
		await block("generate_and_rm").focus();
		await page.keyboard.press("ArrowDown");
		assert.match(await page.locator(".flame-said").innerText(),
			/sglang_generate: total 28\.0 s/);
		await page.keyboard.press("Backspace");
		await block("group_reward_model").waitFor();
		await page.getByRole("button", {name: "filter by sglang_generate"})
			.click();
		await page.waitForFunction(() => globalThis.timeline.state.filter ===
			"name=sglang_generate");
	},

	async export(page)
	{
		await open(page, "Export");
		const text = await page.locator("#tab-panel").innerText();

		assert.match(text, /obs-perfsum --breakdown --stragglers 5 \S+dump\.json/);
		// No line ends within an option, however narrow the panel is.
		for (const side of [300, 340, 380, 420]) {
			const broken = await page.evaluate((wide) => {
				document.getElementById("main").style
					.setProperty("--side", `${wide}px`);
				const code = document.querySelector(
					"#tab-panel code");
				const walk = document.createTreeWalker(code,
					4); // text
				const found = [];

				while (walk.nextNode()) {
					const {data} = walk.currentNode;

					for (const {index, 0: word} of data
						.matchAll(/--[\w-]+/g)) {
						const range = document.createRange();

						range.setStart(walk.currentNode,
							index);
						range.setEnd(walk.currentNode,
							index + word.length);
						if (range.getClientRects().length > 1)
							found.push(word);
					}
				}
				return found;
			}, side);

			assert.deepEqual(broken, [], `${side} px`);
		}
		// What is saved, without a browser's own way of saving.
		await page.evaluate(() => {
			globalThis.saved = [];
			globalThis.save = (name, blob) =>
				globalThis.saved.push(blob.text().then(
					(body) => [name, blob.type, body.length,
						body.slice(0, 12)]));
		});
		for (const name of ["samples as CSV", "spans as JSON", "view as PNG"])
			await page.getByRole("button", {name}).click();
		await page.waitForFunction(() => globalThis.saved.length === 3);
		const [csv, json, png] = await page.evaluate(() =>
			Promise.all(globalThis.saved));

		assert.deepEqual([csv[0], csv[3]],
			["dump.samples.csv", "index,group,"]);
		assert.equal(json[0], "dump.spans.json");
		assert.equal(png[1], "image/png");
		assert.ok(png[2] > 5000);
	},

	// The view as vectors: well-formed, with the words and bars that are
	// drawn, whatever names there are.
	async vectors(page)
	{
		await page.waitForFunction(() => globalThis.timeline.charts &&
			globalThis.timeline.overview);
		await settle(page);
		const found = await page.evaluate(() => {
			const {timeline: scene} = globalThis;
			const text = plotVector(scene);
			const parsed = new globalThis.DOMParser().parseFromString(text,
				"image/svg+xml");
			const strip = (one) => one.replace(/\s/g, "");

			return {
				broken: parsed.querySelector("parsererror") !== null,
				raw: /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/
					.test(text),
				tags: [...new Set([...parsed.querySelectorAll("*")]
					.map(({localName}) => localName))].sort(),
				handlers: [...parsed.querySelectorAll("*")].flatMap(
					(one) => [...one.attributes]).filter(({name: key}) =>
					/^on|href/.test(key)).length,
				labels: [...document.querySelectorAll(
					"#labels .label > span:first-of-type + span")]
					.map(({innerText}) => strip(innerText)),
				words: [...parsed.querySelectorAll("text")].map(
					({textContent}) => strip(textContent)),
				title: parsed.querySelector("title").textContent,
				bars: parsed.querySelectorAll("path").length,
			};
		});

		assert.equal(found.broken, false);
		assert.equal(found.raw, false);
		assert.deepEqual(found.tags, ["defs", "path", "pattern", "rect",
			"svg", "text", "title"].filter((tag) =>
			found.tags.includes(tag)));
		assert.equal(found.handlers, 0);
		assert.ok(found.labels.length > 0);
		for (const label of found.labels)
			assert.ok(found.words.includes(label), label);
		assert.ok(found.bars > 3, `${found.bars}`);
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, hash, checks[name]);
