// Every control of the page, the overview, and the address that keeps it all,
// in headless Chromium.
//
// Usage: node controls.mjs CHECK PAGE.html [HASH]
//
// CHECK is the name of a function in `checks`; the page is that of
// tests/data/view.json.
import assert from "node:assert/strict";

import {inDumpOrder, look, settle} from "./browser.mjs";
import {colourAt, details, placeOf, shown, stateOf, windowOf, zoomBy}
	from "./plot.mjs";

const GREEN = [0x16, 0x99, 0x7a]; // decode
const VIOLET = [0x8a, 0x63, 0xc9]; // tool

// The address says it, once it had time to.
function hashHas(page, part)
{
	return page.waitForFunction((text) =>
		location.hash.includes(text), part);
}

async function openMenu(page)
{
	await page.locator("#view summary").click();
}

async function filter(page, text)
{
	await page.locator("#filter").fill(text);
	await page.waitForFunction((wanted) =>
		globalThis.timeline.state.filter === wanted, text);
}

// The column that has the source, or what the samples are sorted by: its head,
// and what stands below it.
function column(page)
{
	return page.evaluate(() => [...document.querySelectorAll(
		"#heads .source, #labels .source")].map((one) =>
		one.textContent));
}

const checks = {
	async sort(page)
	{
		const by = async (value) => {
			await page.locator("#sort").selectOption(value);
			return shown(page);
		};

		assert.deepEqual(await shown(page), [0, 1, 2, 3]);
		assert.deepEqual(await by("start"), [0, 2, 1, 3]);
		assert.deepEqual(await by("end"), [0, 2, 3, 1]);
		assert.deepEqual(await by("duration"), [0, 3, 2, 1]);
		assert.deepEqual(await by("reward"), [1, 3, 2, 0]);
		assert.deepEqual(await by("status"), [0, 2, 3, 1]);
		assert.deepEqual(await by("source"), [2, 3, 0, 1]);
		assert.deepEqual(await by("group"), [0, 1, 2, 3]);
		await page.locator("#down").click();
		assert.deepEqual(await shown(page), [2, 3, 0, 1]);
		assert.deepEqual(await by("index"), [3, 2, 1, 0]);
		assert.deepEqual(await by("row"), [3, 2, 1, 0]);
		assert.deepEqual(await by("tokens"), [1, 3, 0, 2]);
		// No sample waited for its group: the dump has no barriers.
		assert.deepEqual(await by("wait"), [0, 1, 2, 3]);
	},

	// What is too long for its column is cut.
	async columns(page)
	{
		await page.evaluate(() => {
			const {rows} = globalThis.timeline.model;

			rows[0].index = "a long name";
			rows[1].index = 1234;
		});
		await page.locator("#down").click();
		await settle(page);
		assert.deepEqual(await page.evaluate(() => [0, 1].map((r) => {
			const index = document.querySelector(
				`[data-row="${r}"] .index`);

			return [index.scrollWidth > index.clientWidth,
				getComputedStyle(index).overflowX];
		})), [[true, "hidden"], [false, "visible"]]);
	},

	// The attributes there are are offered; the largest of a sample counts.
	async attribute(page)
	{
		await page.locator("#sort").selectOption("attr");
		await page.waitForFunction(() => document.querySelector(
			"#sort-keys option[value=completion_tokens]"));
		await page.locator("#sort-key").fill("completion_tokens");
		await page.locator("#sort-key").press("Enter");
		await page.waitForFunction(() => globalThis.timeline.state.sort
			=== "attr:completion_tokens");
		assert.deepEqual(await shown(page), [2, 0, 3, 1]);
		await hashHas(page, "sort=attr%3Acompletion_tokens");
		assert.deepEqual(await column(page),
			["completion_tokens↑", "90", "400", "700", "8192"]);
	},

	// What no column has is shown while the samples are sorted by it.
	async sortValues(page)
	{
		const by = async (value) => {
			await page.locator("#sort").selectOption(value);
			await settle(page);
			return column(page);
		};

		assert.deepEqual(await by("status"), ["status↑",
			"completed", "completed", "completed", "truncated"]);
		assert.deepEqual(await by("wait"),
			["group wait↑", "0 µs", "0 µs", "0 µs", "0 µs"]);
		assert.deepEqual(await by("tool"),
			["time in tools↑", "0 µs", "0 µs", "0 µs", "1.00 s"]);
		assert.deepEqual(await by("end"),
			["source", "math", "code", "code", "math"]);
	},

	async group(page)
	{
		await page.locator("#sort").selectOption("duration");
		await page.locator("#down").click();
		await openMenu(page);
		await page.locator("#group").check();
		assert.deepEqual(await shown(page), [1, 0, 2, 3]);
		const heads = page.locator("#labels .head");

		assert.deepEqual(await heads.allInnerTexts(),
			["group 0 · 2 samples", "group 1 · 2 samples"]);
		assert.match(await heads.first().getAttribute("title"),
			/^group 0 · 2 samples · mean reward 0\.5$/);
		await page.mouse.click(...await placeOf(page, 2, "tool_call",
			-1));
		assert.equal((await details(page)).title, "tool_call");
	},

	async filter(page)
	{
		await filter(page, "reward<0.5 source:math");
		assert.deepEqual(await shown(page), [1]);
		assert.equal(await page.locator("#count").innerText(),
			"1 of 4");
		await filter(page, "name:tool_call");
		assert.deepEqual(await shown(page), [2]);
		await filter(page, "dur>");
		assert.ok(await page.locator("#filter-error").isVisible());
		assert.equal((await shown(page)).length, 4, "nothing hidden");
		await page.keyboard.press("Escape");
		assert.ok(!await page.locator("#filter-error").isVisible());
		assert.equal((await stateOf(page)).filter, "");
	},

	// Spans that a term about spans leaves out fade.
	async fade(page)
	{
		const tool = await placeOf(page, 2, "tool_call", -1);

		assert.deepEqual(await colourAt(page, [tool[0], tool[1] - 5]),
			VIOLET);
		await filter(page, "name:sglang");
		await settle(page);
		assert.notDeepEqual(await colourAt(page,
			[tool[0], tool[1] - 40]), VIOLET);
	},

	async kinds(page)
	{
		const items = () => page.evaluate(() => {
			const {shapes} = globalThis.timeline;

			return [shapes.marks(3).item.length,
				shapes.lanes(3).flatMap(({item}) =>
					[...item]).length];
		});

		await openMenu(page);
		assert.deepEqual(await items(), [2, 2]);
		await page.locator("#points").uncheck();
		assert.deepEqual(await items(), [1, 2]);
		await page.locator("#orphans").uncheck();
		assert.deepEqual(await items(), [0, 2]);
		await page.locator("#open").uncheck();
		assert.deepEqual(await items(), [0, 1]);
		await hashHas(page, "points=0&open=0&orphans=0");
	},

	async attempts(page)
	{
		const spans = () => page.evaluate(() =>
			globalThis.timeline.shapes.flat(2).item.length);
		const place = [...await placeOf(page, 2, "sglang_generate", -1)];

		place[1] -= 5;
		assert.equal(await spans(), 3);
		await openMenu(page);
		await page.locator("#attempts").selectOption("filter");
		assert.equal(await spans(), 2);
		await page.locator("#attempts").selectOption("highlight");
		await settle(page);
		assert.equal(await spans(), 3);
		assert.notDeepEqual(await colourAt(page, place), GREEN);
	},

	// A click hides; Alt leaves one alone.
	async legend(page)
	{
		const chip = (text) => page.locator(".chip", {hasText: text});
		const names = () => page.evaluate(() => {
			const {shapes, model} = globalThis.timeline;

			return [...shapes.flat(0).item].map((i) =>
				model.strings[model.items.name[i]]);
		});

		assert.deepEqual(await names(),
			["sglang_generate", "reward_model"]);
		await chip("decode").click();
		assert.deepEqual(await names(), ["reward_model"],
			"its time is not its parent's");
		assert.equal(await chip("decode").getAttribute("aria-pressed"),
			"false");
		await chip("decode").click();
		await chip("reward").click({modifiers: ["Alt"]});
		assert.deepEqual(await names(), ["reward_model"]);
		await chip("reward").click({modifiers: ["Alt"]});
		assert.deepEqual(await names(),
			["sglang_generate", "reward_model"]);
	},

	async expand(page)
	{
		await page.locator(".fold").nth(3).click();
		assert.deepEqual((await stateOf(page)).expanded, [0, 0, 0, 1]);
		await page.mouse.click(...await placeOf(page, 3, "stuck", 1));
		assert.equal((await details(page)).title, "stuck");
		await page.locator("#expand").click();
		assert.deepEqual((await stateOf(page)).expanded, [0, 0, 0, 0]);
		await page.locator("#expand").click();
		await hashHas(page, "expanded=all");
	},

	async panel(page)
	{
		const width = async () =>
			(await page.locator("#plot").boundingBox()).width;
		const narrow = await width();

		await page.locator("#splitter").focus();
		await page.keyboard.press("ArrowLeft");
		assert.equal(await width(), narrow - 24);
		const edge = await page.locator("#splitter").boundingBox();

		await page.mouse.move(edge.x + 2, edge.y + 300);
		await page.mouse.down();
		await page.mouse.move(edge.x - 98, edge.y + 300, {steps: 3});
		await page.mouse.up();
		assert.ok(Math.abs(await width() - (narrow - 124)) < 8);
		await openMenu(page);
		await page.locator("#dock").selectOption("bottom");
		assert.equal(await width(), 1440);
		await page.locator("#panels").click();
		assert.ok(!await page.locator("#side").isVisible());
	},

	// At 1440x900 the plot has 70% of the window and room for 35 rows.
	async room(page)
	{
		const plot = await page.locator("#plot").boundingBox();
		const rows = await page.locator("#rows").boundingBox();

		assert.ok(plot.width * plot.height >= 0.7 * 1440 * 900,
			`${plot.width} x ${plot.height}`);
		assert.ok(rows.height >= 35 * 16, `${rows.height}`);
	},

	async overview(page)
	{
		await page.waitForFunction(() => globalThis.timeline.overview);
		const strip = await page.locator("#overview").boundingBox();
		const at = (share) => strip.x + share * strip.width;
		const y = strip.y + strip.height / 2;
		const drag = async (from, to) => {
			await page.mouse.move(at(from), y);
			await page.mouse.down();
			await page.mouse.move(at(to), y, {steps: 4});
			await page.mouse.up();
			await settle(page);
			return windowOf(page);
		};
		const near = (a, b) => assert.ok(Math.abs(a - b) < 0.1e6,
			`${a} and ${b}`);
		const time = (share) => -0.2e6 + share * 20.4e6;

		await page.mouse.move(at(0.15), y);
		assert.match(await page.locator("#tip").innerText(),
			/^2\.\d\d s: 4 samples\s+decode 4$/);
		const drawn = await drag(0.2, 0.4);

		near(drawn.start, time(0.2));
		near(drawn.end, time(0.4));
		const moved = await drag(0.3, 0.5);

		near(moved.start, time(0.4));
		near(moved.end, time(0.6));
		const larger = await drag(0.6, 0.8);

		near(larger.start, time(0.4));
		near(larger.end, time(0.8));
		await page.mouse.dblclick(at(0.1), y);
		near((await windowOf(page)).end, time(1));
	},

	async measure(page)
	{
		const before = await windowOf(page);
		const [x, y] = await placeOf(page, 1, "sglang_generate", -1);

		await page.keyboard.down("Shift");
		await page.mouse.move(x, y);
		await page.mouse.down();
		await page.mouse.move(x + 100, y, {steps: 4});
		await page.mouse.up();
		await page.keyboard.up("Shift");
		const {measured, selected} = await stateOf(page);
		const width = (await page.locator("#rows").boundingBox()).width;

		assert.ok(Math.abs(measured.end - measured.start -
			100 / width * 20.4e6) < 1e4);
		assert.equal(selected.row, -1, "nothing is selected");
		assert.deepEqual(await windowOf(page), before);
		await page.waitForFunction(() => /1 sample · decode 100%/.test(
			document.getElementById("tail").innerText));
		await hashHas(page, "measured=");
		await page.keyboard.press("Escape");
		assert.equal((await stateOf(page)).measured, null);
	},

	// The tip goes with what it speaks of.
	async tip(page)
	{
		const tip = page.locator("#tip");
		const place = await placeOf(page, 2, "tool_call", -1);

		await page.mouse.move(...place);
		assert.match(await tip.innerText(), /tool_call\s+1\.00 s at 8\.0/);
		assert.ok((await tip.boundingBox()).y > place[1] + 8,
			"the span stays in sight");
		assert.match(await page.locator("#clock").innerText(),
			/^8\.\d+ s · 23:36:48/);
		await zoomBy(page, -100);
		assert.ok(!await tip.isVisible());
		await page.mouse.move(place[0] - 2, place[1]);
		assert.ok(await tip.isVisible());
		await page.mouse.move(40, place[1]);
		assert.ok(!await tip.isVisible());
	},

	// Touchpads: two fingers sideways pan, a pinch zooms.
	async touchpad(page)
	{
		const [x, y] = await placeOf(page, 1, "sglang_generate", -1);
		const wheel = (how) => page.evaluate(([clientX, clientY, more]) => {
			document.getElementById("rows").dispatchEvent(
				new WheelEvent("wheel", {clientX, clientY,
					cancelable: true, ...more}));
		}, [x, y, how]);
		const before = await windowOf(page);

		await wheel({deltaY: 500, ctrlKey: true});
		assert.deepEqual(await windowOf(page), before,
			"all of it is the farthest");
		await wheel({deltaY: -40, ctrlKey: true});
		const pinched = await windowOf(page);

		assert.ok(pinched.end - pinched.start <
			0.7 * (before.end - before.start));
		await wheel({deltaX: 30, deltaY: 2});
		const panned = await windowOf(page);

		assert.ok(panned.start > pinched.start);
		assert.ok(Math.abs(panned.end - panned.start -
			(pinched.end - pinched.start)) < 1e-3);
		await wheel({deltaY: -5000, ctrlKey: true});
		const once = await windowOf(page);

		assert.ok(once.end - once.start > 0.45 *
			(panned.end - panned.start), "one turn halves at most");
	},

	async doubleClick(page)
	{
		await page.mouse.dblclick(...await placeOf(page, 2,
			"tool_call", -1));
		const {start, end} = await windowOf(page);

		assert.ok(start > 7.5e6 && start < 8e6, `${start}`);
		assert.ok(end > 9e6 && end < 9.5e6, `${end}`);
	},

	// A link or a reload shows the same.
	async restore(page)
	{
		const state = await stateOf(page);
		const [x, y] = await placeOf(page, 2, "tool_call", -1);

		assert.deepEqual(state.window, {start: 2e6, end: 12e6});
		assert.deepEqual(await shown(page), [3, 2]);
		assert.equal(await page.locator("#sort").inputValue(), "index");
		assert.equal(await page.locator("#theme").inputValue(), "dark");
		assert.equal(state.theme, "dark");
		assert.equal(await page.locator("#filter").inputValue(),
			"source:code");
		assert.equal((await details(page)).title, "tool_call");
		assert.equal(await page.evaluate(() =>
			document.documentElement.dataset.theme), "dark");
		assert.equal(state.expanded[3], 1);
		await page.mouse.move(x, y);
		await page.keyboard.press("w");
		await page.waitForFunction(() =>
			!/window=2000000\D/.test(location.hash));
		const hash = new URLSearchParams(new URL(page.url()).hash
			.slice(1));
		const window = await windowOf(page);

		assert.deepEqual(hash.get("window").split(",").map(Number),
			[window.start, window.end].map((us) =>
				Number(us.toFixed(3))));
		await page.reload();
		await page.waitForFunction(() =>
			document.documentElement.dataset.ready);
		assert.deepEqual(await shown(page), [3, 2]);
		assert.ok(Math.abs((await windowOf(page)).start -
			window.start) < 0.001);
	},

	// Nonsense in the address is no reason to show nothing.
	async nonsense(page)
	{
		assert.equal((await shown(page)).length, 4);
		const {window, selected, theme} = await stateOf(page);

		assert.deepEqual([window, selected.row, theme],
			[null, -1, "system"]);
	},

	// One instant has an axis, and its points can be hit.
	async instant(page)
	{
		const {start, end} = await windowOf(page);

		assert.ok(end - start >= 10);
		await page.locator("#running").getByText("peak concurrency: ").waitFor();
		assert.equal(await page.locator("#running").innerText(),
			"peak concurrency: 1");
		await page.mouse.click(...await placeOf(page, 0, "alone", -1));
		assert.equal((await details(page)).title, "alone");
	},

	// Everything that can be used has a name and shows its focus.
	async names(page)
	{
		const session = await page.context().newCDPSession(page);
		const {nodes} = await session.send(
			"Accessibility.getFullAXTree");
		const roles = ["button", "checkbox", "combobox", "searchbox",
			"textbox", "tab", "group", "region", "separator"];
		const nameless = nodes.filter(({role, name, ignored}) =>
			!ignored && roles.includes(role?.value) &&
			!name?.value).map(({role}) => role.value);

		assert.deepEqual(nameless, []);
		const first = page.locator("#labels li").first();

		assert.equal(await first.getAttribute("aria-posinset"), "1");
		assert.equal(await first.getAttribute("aria-setsize"), "4");
		await page.mouse.click(...await placeOf(page, 2, "tool_call",
			-1));
		assert.equal(await page.locator("#announce").innerText(),
			"tool_call, 1.00 s, at 8.00 s, sample 2");
		await page.keyboard.press("Tab");
		const outline = await page.evaluate(() => getComputedStyle(
			document.activeElement).outlineStyle);

		assert.equal(outline, "solid");
	},
};

const [name, file, hash = ""] = process.argv.slice(2);

await look(file, inDumpOrder(hash), checks[name]);
