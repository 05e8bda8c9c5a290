// Several dumps in one page, in headless Chromium.
// Usage: node dumps.mjs PAGE.html, of demo.pt and timeline.json
import assert from "node:assert/strict";
import {look} from "./browser.mjs";

await look(process.argv[2], "", async (page) => {
	// A bar of our own, so that what it asks of the page is seen.
	await page.locator("#steps").waitFor();
	await page.evaluate(async () => {
		const root = document.createElement("div");

		root.id = "tried";
		document.querySelector("header").append(root);
		const {timeline: scene} = globalThis;
		const tried = {...scene, state: {...scene.state, dump: 1},
			model: await openModel(1), stats: undefined};

		document.querySelectorAll("#steps, #comparison").forEach(
			(one) => one.remove());
		makeDumps(root, tried, {
			selectDump(n) {
				root.dataset.chosen = n;
			},
			setState(patch) {
				Object.assign(tried.state, patch);
			},
		});
	});
	const choice = page.locator("#tried").getByLabel("dump", {exact: true});

	await choice.waitFor(); // names are read from the page
	assert.deepEqual(await choice.locator("option").allInnerTexts(),
		["demo.pt · rollout 2", "timeline.json · rollout 7"]);
	assert.equal(await choice.inputValue(), "1");
	await choice.selectOption("0");
	assert.equal(await page.locator("#tried").getAttribute("data-chosen"),
		"0");

	await page.locator("#tried").getByRole("button", {name: "Compare"})
		.click();
	const dialog = page.getByRole("dialog",
		{name: "comparison of two dumps"});
	const row = dialog.getByRole("row", {name: /^tool_call /});

	assert.match((await row.innerText()).replace(/\s+/g, " "),
		/^tool_call \+1\.25 s – 1 – 1\.25 s – 1\.25 s – 1\.25 s$/);
	assert.match(await dialog.locator("caption").innerText(),
		/A: demo\.pt · rollout 2, B: timeline\.json · rollout 7/);
	// Names are not cut.
	assert.deepEqual(await dialog.locator("tbody th").evaluateAll((all) =>
		all.filter((name) => name.scrollWidth > name.clientWidth + 1)
			.map((name) => name.innerText)), []);
	await dialog.getByLabel("second dump").selectOption("0");
	const same = dialog.getByRole("row", {name: /^sglang_generate same/});

	await same.waitFor();
	await dialog.getByRole("button", {name: "Close"}).click();
	assert.equal(await dialog.count(), 0);
});
