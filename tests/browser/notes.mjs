// Notes on spans, samples and moments of a timeline page, and the address that
// keeps them: under node alone (without arguments), and in headless Chromium.
//
// Usage: node notes.mjs [CHECK PAGE.html [HASH]]
import assert from "node:assert/strict";
import test from "node:test";

import {look, settle} from "./browser.mjs";
import {page as viewer, plain} from "./model.mjs";

const NOTES = [
	{dump: 0, row: 3, item: 2, at: 0, text: "slow: \"why?\" &#%+é😀"},
	{dump: 1, row: 0, item: -1, at: 0, text: ""},
	{dump: 0, row: -1, item: -1, at: 1234567.891, text: "here"},
];

function withoutBrowser()
{
	test("notes read back as they were written", () => {
		assert.deepEqual(plain(viewer.readNotes(
			viewer.writeNotes(NOTES))), NOTES);
		assert.equal(viewer.writeNotes([]), "");
	});

	test("what is no note is left out, the others stay", () => {
		const odd = [["a", 0, 1, 2], 7, null, [], {}, ["b"], ["c", -1, 1],
			["d", 0, "1"], ["e", 0, 1.5, 0], ["f", 0, 1, -2],
			["g", 0, null], ["h", 1e99, 0, 0], [9, 0, 1], ["i", 0, 5],
			["j", 0, 1, 2, 3], [["k"], 0, 1, 2]];

		assert.deepEqual(plain(viewer.readNotes(JSON.stringify(odd)))
			.map(({text}) => text), ["a", "i"]);
		for (const text of ["{}", "null", "1", "\"abc\"", "", "[", "x"]) {
			let read = [];

			try {
				read = viewer.readNotes(text);
			} catch {
				// as FIELDS wants it: the hash is read on
			}
			assert.equal(read.length, 0, text);
		}
	});

	test("the address has room for so many and so long ones", () => {
		const many = (count, text) => viewer.readNotes(JSON.stringify(
			Array(count).fill([text, 0, 1, 2])));
		const size = (notes) => new URLSearchParams({
			notes: viewer.writeNotes(notes)}).toString().length;

		assert.equal(many(1000, "a").length, 32);
		assert.equal(many(1, "a".repeat(1e6))[0].text.length, 200);
		assert.ok(size(many(1000, "\u20ac".repeat(200))) <= 4000);
		assert.ok(many(1000, "\u20ac".repeat(200)).length >= 1);
		assert.ok(!viewer.notesFit(Array(33).fill(NOTES[1])));
	});
}

function flags(page)
{
	return page.evaluate(() => [...document.querySelectorAll(".flag")]
		.filter((one) => one.offsetWidth > 0).map((one) =>
			({text: one.textContent, title: one.title})));
}

function keptNotes(page, count)
{
	return page.waitForFunction((many) => JSON.parse(new URLSearchParams(
		location.hash.slice(1)).get("notes") || "[]").length === many,
	count);
}

// The words box of a note, once it has the focus.
async function box(page, n)
{
	const found = page.getByLabel(`words of note ${n}`);

	await found.waitFor();
	await page.waitForFunction((label) => document.activeElement
		?.ariaLabel === label, `words of note ${n}`);
	return found;
}

async function counted(page)
{
	await page.waitForFunction(() => globalThis.timeline?.stats);
	await settle(page);
}

const checks = {
	// A span, a sample and a moment are noted; a reload and another window
	// have them where they were.
	async kept(page)
	{
		await counted(page);
		await page.evaluate(() => {
			document.querySelector(".label[data-row=\"1\"]").click();
		});
		await page.keyboard.press("n");
		await (await box(page, 1)).fill("held it up");
		await page.keyboard.press("Enter");
		await page.keyboard.press("ArrowRight");
		await page.keyboard.press("n");
		await (await box(page, 2)).fill("<b>waits</b>");
		await page.keyboard.press("Enter");
		await page.keyboard.press("c");
		await page.locator("#cursor").getByText("note").click();
		await (await box(page, 3)).fill("starts");
		await keptNotes(page, 3);
		await page.waitForFunction(() => location.hash.includes("starts"));
		const wanted = await flags(page);

		assert.deepEqual(wanted.map(({text}) => text).sort(),
			["1", "2", "3"]);
		await page.reload();
		await counted(page);
		assert.deepEqual((await flags(page)).map(({title}) => title).sort(),
			wanted.map(({title}) => title).sort());
		assert.ok(wanted.some(({title}) =>
			/^note 1, #1: held it up$/.test(title)), "the sample's");
		assert.ok(wanted.some(({title}) =>
			/^note 2, #1 .+: <b>waits<\/b>$/.test(title)), "the span's");
		assert.equal(await page.locator("b", {hasText: "waits"}).count(), 0);

		// The flag of a span stands at its start, on its row.
		const [there, want] = await page.evaluate(() => {
			const scene = globalThis.timeline;
			const {row, item} = scene.state.selected;
			const flag = [...document.querySelectorAll("#flags .flag")]
				.find((one) => one.textContent === "2")
				.getBoundingClientRect();
			const ground = document.getElementById("ground")
				.getBoundingClientRect();

			return [[flag.left - ground.left, flag.top - ground.top],
				[xAt(scene.plot, scene.model.items.start[item]),
					scene.tops[lineOfHit(scene, row, item)]]];
		});

		assert.ok(Math.abs(there[0] - want[0]) <= 1 &&
			Math.abs(there[1] - want[1]) <= 1, `${there}, ${want}`);

		// The flag of a moment is clicked, though a press beside it on the
		// axis measures.
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		await page.evaluate(() => globalThis.timeline.state.cursor = null);
		await page.locator("#moments .flag:visible").click();
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.cursor), 0);

		// From the list to the place, and away with it.
		await page.keyboard.press("Escape");
		await page.getByRole("tab", {name: "Notes 3"}).click();
		await page.locator(".notes li").first().locator(".link").first()
			.click();
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.selected.row), 1);
		await settle(page);
		assert.match(await page.locator("#details .noted").innerText(),
			/held it up/);
		for (const left of [2, 1, 0]) {
			await page.getByLabel("remove note 1").click();
			await keptNotes(page, left);
			await settle(page);
		}
		await page.waitForFunction(() =>
			!document.querySelector(".flag"));
	},

	// What words were typed in stays while the mouse is pressed elsewhere, so
	// that the press becomes a click.
	async pressed(page)
	{
		await counted(page);
		await page.locator(".label").first().click();
		await page.keyboard.press("n");
		await (await box(page, 1)).fill("one");
		await settle(page);
		const edit = page.locator("#details .noted .link");
		const {x, y} = await edit.boundingBox();

		await edit.evaluate((one) => one.addEventListener("click", () =>
			globalThis.clicked = true));
		await page.mouse.move(x + 3, y + 3);
		await page.mouse.down();
		await settle(page);
		await settle(page);
		await page.mouse.up();
		assert.ok(await page.evaluate(() => globalThis.clicked));
		await page.locator("#details .noted").getByText("one").waitFor();
		await box(page, 1);

		// Words typed a moment ago are kept when another note goes.
		await page.keyboard.press("Enter");
		await page.locator(".label").nth(1).click();
		await page.keyboard.press("n");
		await (await box(page, 2)).fill("two");
		await page.getByLabel("remove note 1").click();
		assert.deepEqual(await page.evaluate(() => globalThis.timeline
			.state.notes.map(({text}) => text)), ["two"]);
	},

	// A place that has a note is not noted twice.
	async again(page)
	{
		await counted(page);
		await page.locator(".label").first().click();
		await page.keyboard.press("n");
		await (await box(page, 1)).fill("one");
		await page.keyboard.press("Enter");
		await page.keyboard.press("n");
		assert.equal(await (await box(page, 1)).inputValue(), "one");
		assert.equal(await page.locator(".notes li").count(), 1);
	},

	// Without a selection the tab says what to do.
	async nothing(page)
	{
		await counted(page);
		await page.keyboard.press("n");
		await page.getByText("Select a span or a sample").waitFor();
		assert.equal((await flags(page)).length, 0);
	},

	// Past the room of the address no letter is taken, and that is said.
	async full(page)
	{
		await counted(page);
		await page.getByRole("tab", {name: "Notes"}).click();
		assert.equal(await page.locator(".notes li").count(), 18);
		const words = page.getByLabel("words of note 18");
		const before = await words.inputValue();

		assert.ok(before.length < 200);

		await words.focus();
		await page.keyboard.press("End");
		await page.keyboard.type("€");
		assert.equal(await words.inputValue(), before);
		await page.keyboard.type("abcdefg");
		assert.equal(await words.inputValue(), `${before}abcd`);
		await page.getByText("No room for more").waitFor();
		await page.locator(".label").nth(1).click();
		await page.keyboard.press("n");
		await page.waitForFunction(() => document.activeElement
			?.ariaLabel !== "words of note 18");
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.notes.length), 18);
	},

	// An address from elsewhere: what has no place here is listed, no more.
	async hostile(page)
	{
		await counted(page);
		await page.getByRole("tab", {name: "Notes"}).click();
		const entries = await page.locator(".notes li .link:first-of-type")
			.allInnerTexts();

		assert.deepEqual(entries, ["not in this page", "not in this page",
			"not in this page", "at 1.00 s"]);
		assert.equal(await page.locator("img").count(), 0);
		for (const entry of await page.locator(".notes li").all())
			await entry.locator(".link").first().click();
		assert.deepEqual((await flags(page)).map(({text}) => text), ["4"]);
	},

	// A note of one dump is not shown in another, and leads back to its own.
	async dumps(page)
	{
		await counted(page);
		await page.waitForFunction(() => document.getElementById("dump"));
		await page.locator(".label").first().click();
		await page.keyboard.press("n");
		await (await box(page, 1)).fill("first");
		await page.keyboard.press("Enter");
		await page.locator("#dump").selectOption("1");
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 1 &&
			globalThis.timeline.stats);
		await settle(page);
		assert.deepEqual(await flags(page), []);
		await page.getByText("in dump 1").click();
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 0 &&
			globalThis.timeline.state.selected.row >= 0);
		await settle(page);
		assert.equal((await flags(page)).length, 1);
	},

	// Of two dumps asked for the later one is shown, whichever is open first,
	// with the words typed until then.
	async raced(page)
	{
		await counted(page);
		await page.locator("#steps[aria-busy=false]").waitFor();
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.dump), 0, "half of one is none");
		await page.evaluate(() => {
			const open = globalThis.openModel;

			globalThis.held = [];
			globalThis.openModel = (n) => new Promise((done) =>
				globalThis.held.push(async () => {
					const model = await open(n);

					done(model);
				}));
		});
		const release = (k) => page.evaluate((at) =>
			globalThis.held[at](), k);
		const shown = () => page.evaluate(() =>
			globalThis.timeline.state.dump);

		await page.locator(".label").first().click();
		await page.keyboard.press("n");
		const words = await box(page, 1);

		await page.locator("#dump").selectOption("1");
		await words.fill("meanwhile");
		await release(0);
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 1);
		assert.deepEqual(await page.evaluate(() => globalThis.timeline
			.state.notes.map(({text}) => text)), ["meanwhile"]);

		await page.locator("#dump").selectOption("0");
		await page.evaluate(() => location.hash = "#dump=1.9&filter=%231");
		await page.waitForFunction(() => globalThis.held.length === 2);
		await settle(page);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.filter), "#1");
		await release(1);
		await settle(page);
		assert.equal(await shown(), 1, "the address was last");

		await page.evaluate(() => location.hash = "#dump=0");
		await page.waitForFunction(() => globalThis.held.length === 3);
		await page.locator("#dump").selectOption("0");
		await page.waitForFunction(() => globalThis.held.length === 4);
		await release(3);
		await page.waitForFunction(() =>
			globalThis.timeline.state.dump === 0);
		const {filter} = await page.evaluate(() =>
			({filter: globalThis.timeline.state.filter}));

		await release(2);
		await settle(page);
		assert.equal(await page.evaluate(() =>
			globalThis.timeline.state.filter), filter);
		assert.equal(filter, "#1", "the list of dumps keeps it");
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

if (name)
	await look(file, hash, checks[name]);
else
	withoutBrowser();
