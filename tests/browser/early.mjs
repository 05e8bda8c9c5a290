// Whether a timeline page draws its rows before all of it was read, and says so
// when its end never comes.
//
// Usage: node early.mjs CHECK PAGE.html [HASH]
import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";

import {launch} from "./browser.mjs";

// From here on the page waits.
const HELD = {pieces: 'id="data-0-attrs.1">', rest: 'id="data-0-sizes">',
	notes: 'id="data-0-sizes">', torn: 'id="data-0-sizes">'};

const checks = {
	// The rest comes once rows are there, and with it the attributes.
	async rest(page, send)
	{
		await ready(page);
		assert.ok(await page.evaluate(() =>
			document.readyState === "loading" &&
			document.querySelectorAll("#labels .label").length > 5));
		send(true);
		await page.waitForFunction(() => globalThis.timeline.stats);
		assert.ok(await page.evaluate(async () =>
			(await globalThis.openAttrs(0,
				globalThis.timeline.model)).length) > 0);
		assert.equal(await page.locator("#message").isHidden(), true);
	},

	// Notes are listed once it is known which dumps the page has.
	async notes(page, send)
	{
		await ready(page);
		await page.locator("#panel").getByText("counting…").waitFor();
		assert.equal(await page.locator(".notes").count(), 0);
		send(true);
		await page.locator(".notes").waitFor();
		assert.deepEqual(await page.locator(
			".notes li .link:first-of-type").allInnerTexts(),
		["in dump 2", "not in this page"]);
	},

	// Of a stream in pieces the first one is not taken for all of it.
	async pieces(page, send)
	{
		await ready(page);
		const read = page.evaluate(async () => {
			const {model} = globalThis.timeline;
			const attrs = await globalThis.openAttrs(0, model);
			const {attrsAt, startAttrs, endAttrs} = model.items;
			const last = attrsAt.length - 1;

			return [attrs.length, attrsAt[last] + startAttrs[last] +
				endAttrs[last]];
		});
		assert.equal(await page.evaluate(() =>
			document.readyState), "loading");
		send(true);
		const [length, wanted] = await read;

		assert.equal(length, wanted);
		assert.ok(length > 1e6);
	},

	async torn(page, send)
	{
		await ready(page);
		send(false);
		await page.locator("#message").getByText("is the file whole?")
			.waitFor();
	},
};

function ready(page)
{
	return page.waitForFunction(() => document.documentElement.dataset.ready);
}

const [check, file, hash = ""] = process.argv.slice(2);
const text = fs.readFileSync(file, "latin1");
const held = text.indexOf(HELD[check]);
let send;

assert.ok(held > text.indexOf("\n<script>\n"));
const server = http.createServer((request, response) => {
	response.writeHead(200, {"content-type": "text/html; charset=utf-8"});
	response.write(Buffer.from(text.slice(0, held), "latin1"));
	send = (all) => response.end(Buffer.from(all ? text.slice(held) : "",
		"latin1"));
});
const browser = globalThis.shared || await launch();
const page = await browser.newPage();

try {
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	await page.goto(`http://127.0.0.1:${server.address().port}/${hash}`,
		{waitUntil: "commit"});
	await checks[check](page, (all) => send(all));
} finally {
	await page.close();
	server.close();
	if (!globalThis.shared)
		await browser.close();
}
