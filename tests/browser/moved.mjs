// What a scroll draws on a timeline page, and that it is what drawing all of it
// anew gives, in headless Chromium.
//
// Usage: node moved.mjs CHECK PAGE.html
import assert from "node:assert/strict";
import fs from "node:fs";

import {launch, look, settle} from "./browser.mjs";

/* global createImageBitmap, keepEntry, paintLine, paintRows -- of the page, in it */

const ROUNDING = 2; // of 255, where the edge of a shape is smoothed
const ONE_PLACE = 64; // of 255, below what a letter moved by half a pixel makes
const VIEW = {width: 1280, height: 720};

// In the page: have it count the lines that it draws.
function countLines()
{
	const paint = paintLine;

	globalThis.lines = [];
	globalThis.paintLine = (pen, line) => {
		globalThis.lines.push(line);
		paint(pen, line);
	};
}

// Scroll by so many px, and return which lines are drawn for it, each once.
async function scrollBy(page, by)
{
	await page.evaluate((px) => {
		globalThis.lines = [];
		document.getElementById("scroller").scrollTop += px;
	}, by);
	await settle(page);
	return page.evaluate(() => [...new Set(globalThis.lines)]);
}

// In the page: have the list of labels follow a scroll only when rest() is
// called.
function holdLabels()
{
	const wait = setTimeout;

	globalThis.setTimeout = (act, ms) => {
		if (!String(act).includes("restLabels"))
			return wait(act, ms);
		globalThis.rest = act;
		return 0;
	};
}

function atRest(page)
{
	return page.waitForFunction(() =>
		document.getElementById("glide").hidden);
}

function isGliding(page)
{
	return page.evaluate(() => !document.getElementById("glide").hidden);
}

// Scroll until nothing else has changed and labels are drawn on the canvas.
async function glide(page)
{
	await page.evaluate(holdLabels);
	await page.waitForFunction(() => {
		document.getElementById("scroller").scrollTop += 16;
		return !document.getElementById("glide").hidden;
	});
	await settle(page);
}

// How many values of the labels' pixels, as they are seen, differ by more than
// `most` between two pictures, and how many are not the ground's.
function comparePictures(page, pictures, most)
{
	return page.evaluate(async ([shots, limit]) => {
		const [some, others] = await Promise.all(shots.map(
			async (shot) => {
				const image = await createImageBitmap(new Blob([
					Uint8Array.from(atob(shot), (c) =>
						c.charCodeAt(0))]));
				const {width, height} = image;
				const copy = new OffscreenCanvas(width, height)
					.getContext("2d");

				copy.drawImage(image, 0, 0);
				return copy.getImageData(0, 0, width,
					height).data;
			}));

		return [some.filter((value, k) =>
			Math.abs(value - others[k]) > limit).length,
		some.filter((value, k) =>
			Math.abs(value - some[k % 4]) > limit).length];
	}, [pictures.map((picture) => picture.toString("base64")), most]);
}

// An environment in which the edges of letters have colours, as on many
// screens. Files are put beside the page.
function colouredEdges(page)
{
	const FONTCONFIG_FILE = `${page}.fonts.conf`;

	fs.writeFileSync(FONTCONFIG_FILE, `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${["pattern", "font"].map((target) => `<match target="${target}">
<edit name="antialias" mode="assign"><bool>true</bool></edit>
<edit name="rgba" mode="assign"><const>rgb</const></edit>
</match>`).join("\n")}
</fontconfig>
`);
	return {FONTCONFIG_FILE};
}

// A picture of an element once the browser has drawn all of it, which on a busy
// machine takes it some frames: two in turn are the same.
async function stillPicture(page, selector)
{
	const clip = await page.locator(selector).boundingBox();
	let before = Buffer.alloc(0);

	for (;;) {
		const picture = await page.screenshot({type: "png", clip});

		if (picture.equals(before))
			return picture;
		before = picture;
		await settle(page);
	}
}

// The labels look the same while they scroll and at rest.
async function sameLabels(page, what, by)
{
	const picture = () => stillPicture(page, "#gutter");

	await scrollBy(page, by);
	assert.ok(await isGliding(page), `${what} glides by ${by} px`);
	const moving = await picture();

	await page.evaluate(() => globalThis.rest());
	await settle(page);
	assert.ok(!await isGliding(page));
	const [differ, seen] = await comparePictures(page,
		[moving, await picture()], ONE_PLACE);

	assert.ok(seen > 4000, `${seen} values`);
	assert.equal(differ, 0, `${what}, after ${by} px`);
}

// In the page: how many values of the rows' pixels differ by more than `most`
// from those of the rows drawn anew, and how many there are that are seen.
function differences(most)
{
	const canvas = document.getElementById("rows");
	const copy = new OffscreenCanvas(canvas.width, canvas.height)
		.getContext("2d", {willReadFrequently: true});
	const pixels = () => {
		copy.clearRect(0, 0, canvas.width, canvas.height);
		copy.drawImage(canvas, 0, 0);
		return copy.getImageData(0, 0, canvas.width,
			canvas.height).data;
	};
	const moved = pixels();

	paintRows(globalThis.timeline, canvas);
	const anew = pixels();

	return [moved.filter((value, k) =>
		Math.abs(value - anew[k]) > most).length,
	anew.filter((value, k) => k % 4 === 3 && value > 0).length];
}

// What is chosen before the scrolls.
const chosen = {
	"nothing": () => undefined,
	"a sample, two expanded ones and a range": () => {
		for (const r of [6, 3]) {
			document.querySelector(`[data-row="${r}"] .fold`)
				.click();
		}
		document.querySelector("[data-row=\"4\"]").click();
		document.getElementById("scroller").focus();
	},
	"groups": () => document.getElementById("group").click(),
};

const checks = {
	// One row more in view: no more is drawn than that, the rows at both
	// edges, and what says another name now.
	async drawsNew(page)
	{
		await page.evaluate(countLines);
		await scrollBy(page, 16);
		for (const [by, most] of [[16, 4], [1, 4], [-16, 4], [37, 6],
			[-5, 5]]) {
			const lines = await scrollBy(page, by);

			assert.ok(lines.length > 0 && lines.length <= most,
				`${by} px draw the lines ${lines}`);
		}
		const all = await page.evaluate(() =>
			Math.floor(document.getElementById("rows").clientHeight /
				globalThis.timeline.rowHeight));

		await page.keyboard.press("w");
		await settle(page);
		assert.ok(all > 20);
		assert.ok((await page.evaluate(() =>
			new Set(globalThis.lines).size)) >= all, "a zoom draws all");
	},

	// A zoom or a pan changes no label, and looks at none; a fold does.
	async labelsRest(page)
	{
		await page.evaluate(() => {
			const keep = keepEntry;

			globalThis.kept = 0;
			globalThis.keepEntry = (...all) => {
				globalThis.kept++;
				keep(...all);
			};
		});
		const scaleOf = () => page.evaluate(() =>
			globalThis.timeline.plot.scale);
		const before = await scaleOf();

		for (const key of ["w", "w", "d", "s"]) {
			await page.keyboard.press(key);
			await settle(page);
		}
		assert.notEqual(await scaleOf(), before);
		assert.equal(await page.evaluate(() => globalThis.kept), 0);
		await page.locator("[data-row=\"3\"] .fold").click();
		await page.waitForFunction(() =>
			document.querySelector("[data-row=\"3\"]")
				.ariaExpanded === "true");
		assert.ok(await page.evaluate(() => globalThis.kept) > 0);
	},

	// Labels that leave the view are used for those that come into it, and
	// stand in the order of the rows once the scroll rests.
	async labels(page)
	{
		await scrollBy(page, 16);
		await page.evaluate(() => {
			const list = document.getElementById("labels");
			const known = new Set(list.children);

			new MutationObserver((all) => {
				for (const node of all.flatMap(({addedNodes}) =>
					[...addedNodes])) {
					globalThis.made += !known.has(node);
					known.add(node);
				}
			}).observe(list, {childList: true, subtree: true});
		});
		for (const by of [37, 37, 37, 160, 160, -37, -37]) {
			await page.evaluate(() => {
				globalThis.made = 0;
			});
			await scrollBy(page, by);
			await atRest(page);
			// One row more may be in view in part.
			assert.ok(await page.evaluate(() => globalThis.made) <= 1,
				`${by} px`);
		}
		const rows = await page.evaluate(() => {
			const {tops, scroll, lines} = globalThis.timeline;
			const tall = document.getElementById("scroller")
				.clientHeight;

			return [...lines.at].filter((_, line) =>
				tops[line + 1] > scroll &&
				tops[line] < scroll + tall - 0.5);
		});

		await page.waitForFunction((wanted) => wanted.join() ===
			[...document.querySelectorAll("#labels .label")].map(
				({dataset}) => dataset.row).join(), rows);
		for (const label of await page.locator(".label").all()) {
			const [row, said, place] = await label.evaluate((one) =>
				[one.dataset.row, one.textContent,
					one.parentElement.ariaPosInSet]);

			assert.match(said, new RegExp(`#${row} `));
			assert.equal(Number(place), Number(row) + 1);
		}
	},

	// On screens of any kind nobody sees which of the two draws the labels.
	// The scale is the browser's own: one that is emulated rounds places
	// differently.
	async sameLabels(page)
	{
		for (const [ratio, theme, choose, env] of [
			[1, "light", "nothing"],
			[1, "light", "nothing", colouredEdges(file)],
			[1, "dark", "a sample and groups"],
			[1.25, "light", "nothing"], [1.5, "dark", "nothing"],
			[1.5, "light", "a sample and groups"],
			[2, "light", "a sample and groups"]]) {
			const browser = await launch([
				`--force-device-scale-factor=${ratio}`,
				"--enable-lcd-text", "--window-size=1280,720"],
			{...process.env, ...env});
			const other = await browser.newPage({viewport: null,
				colorScheme: theme});

			await other.goto(page.url());
			await other.waitForFunction(() =>
				globalThis.timeline?.overview);
			assert.equal(await other.evaluate(() =>
				devicePixelRatio), ratio);
			if (choose !== "nothing") {
				await other.locator(".label").nth(3).click();
				await other.locator("#group").evaluate((one) =>
					one.click());
				await other.evaluate(() =>
					document.activeElement.blur());
			}
			await glide(other);
			for (const by of [40, 92, 64, -36]) {
				await sameLabels(other, `${ratio}, ${theme}, ${
					choose}`, by);
			}
			await browser.close();
		}
	},

	// What is pressed while labels scroll is the row that is seen there.
	async pressMoving(page)
	{
		await glide(page);
		await scrollBy(page, 320);
		const [place, row] = await page.evaluate(() => {
			const {tops, scroll, lines} = globalThis.timeline;
			const line = tops.findIndex((top) => top > scroll + 50);
			const {x, y} = document.getElementById("gutter")
				.getBoundingClientRect();

			return [[x + 60, y + tops[line] - scroll + 8],
				lines.at[line]];
		});

		assert.ok(await isGliding(page));
		await page.mouse.click(...place);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.selected.row), row);
		assert.ok(!await isGliding(page));
	},

	// Where a canvas has other letters than the list, the list scrolls.
	async otherLetters(page)
	{
		await glide(page);
		for (const style of ["letter-spacing: 1px", "padding-top: 2px",
			"font-variant-caps: all-small-caps"]) {
			const tag = await page.addStyleTag({
				content: `.label span { ${style} }`});

			await page.evaluate(() => globalThis.dispatchEvent(
				new Event("resize")));
			await settle(page);
			await scrollBy(page, 16);
			assert.ok(!await isGliding(page), style);
			await tag.evaluate((one) => one.remove());
		}
		await page.evaluate(() => globalThis.dispatchEvent(
			new Event("resize")));
		await settle(page);
		await scrollBy(page, -16);
		assert.ok(await isGliding(page));
	},

	// The focus stays with its row as long as that is in view.
	async focus(page)
	{
		await scrollBy(page, 16);
		const label = page.locator("[data-row=\"20\"]");

		await label.focus();
		for (const by of [37, 37, -21]) {
			await scrollBy(page, by);
			assert.ok(!await isGliding(page), "it is seen");
		}
		assert.ok(await label.evaluate((one) =>
			one === document.activeElement));
		await scrollBy(page, 700);
		assert.equal(await page.evaluate(() =>
			document.activeElement.dataset.row), undefined);
	},

	// Down and up, by whole rows, parts of them and much at once.
	async same(page)
	{
		for (const [what, choose] of Object.entries(chosen)) {
			await atRest(page);
			await page.evaluate(choose);
			if (what.includes("range"))
				await page.keyboard.press("m");
			await settle(page);
			for (const by of [16, 37, 5, 300, 211, -16, -43, 7, -290,
				120, -1000]) {
				await scrollBy(page, by);
				const [differ, seen] = await page.evaluate(
					differences, ROUNDING);

				assert.ok(seen > 10000);
				assert.equal(differ, 0,
					`${what}, after ${by} px`);
			}
		}
	},

	// On screens with more pixels, too, but for the smoothing of text and
	// stripes there.
	async sharp(page)
	{
		for (const deviceScaleFactor of [1.25, 2]) {
			const context = await page.context().browser()
				.newContext({viewport: VIEW, deviceScaleFactor});
			const other = await context.newPage();

			await other.goto(page.url());
			await other.waitForFunction(() =>
				globalThis.timeline?.overview);
			for (const by of [16, 37, 200, -16.8, -70]) {
				await scrollBy(other, by);
				const [differ, seen] = await other.evaluate(
					differences, 8);

				assert.ok(differ < seen / 1000, `${
					deviceScaleFactor}, after ${by} px: ${
					differ} of ${seen}`);
			}
			await context.close();
		}
	},
};

const [check, file] = process.argv.slice(2);

await look(file, "#sort=row&down=0", async (page) => {
	await page.waitForFunction(() => globalThis.timeline.overview);
	await checks[check](page);
});
