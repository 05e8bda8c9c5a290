// Headless Chromium on a timeline page from disk, and what all checks of it
// need. playwright-core is found as scripts/install-deps leaves it.
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import {pathToFileURL} from "node:url";

const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
const require = createRequire(path.join(cache, "obstools", "x"));
const {chromium} = require("playwright-core");

const browserFlags = ["--no-sandbox", "--disable-gpu", "--disable-quic",
	"--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];

// The frame that was asked for has been drawn, and the panel has followed, as
// slices.js's afterFrame has it.
export function settle(page)
{
	return page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() =>
			setTimeout(done)))));
}

// Frames and timers of the page come this many ms late, as on a busy machine:
// checks that look before the page has followed fail. LATE=200 bats FILE
const late = Number(process.env.LATE || 0);

// And the processor is that many times slower: RATE=8 bats FILE
const rate = Number(process.env.RATE || 1);

async function slowDown(page, times)
{
	const devtools = await page.context().newCDPSession(page);

	await devtools.send("Emulation.setCPUThrottlingRate", {rate: times});
}

function delayLater(ms)
{
	globalThis.MessageChannel = undefined; // timers in its place
	const {requestAnimationFrame, setTimeout} = globalThis;

	globalThis.setTimeout = (action, delay = 0, ...rest) =>
		setTimeout(action, delay + ms, ...rest);
	globalThis.requestAnimationFrame = (action) => setTimeout(() =>
		requestAnimationFrame(action), ms);
}

// A browser, which may get more flags and another environment.
export function launch(flags = [], env = process.env)
{
	return chromium.launch({env,
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: [...browserFlags, ...flags],
	});
}

// A hash with the samples in the order of the dump and span names in the panel,
// for checks that know them so; what the hash says itself wins.
export function inDumpOrder(hash)
{
	const parts = new URLSearchParams("sort=row&down=0&tab=names");

	for (const [key, value] of new URLSearchParams(hash.slice(1)))
		parts.set(key, value);
	return `#${parts}`;
}

// Open the page of a file or a URL, with a hash, and run the check on it. It
// may neither ask for anything nor complain. Flags take a browser of its own;
// else it is the one that host.mjs has, if that runs the check.
export async function look(file, hash, check, flags = [])
{
	const shared = flags.length === 0 && globalThis.shared;
	const browser = shared || await launch(flags);
	const context = await browser.newContext({
		viewport: {width: 1440, height: 900}, colorScheme: "light"});
	const page = await context.newPage();
	const complaints = [];
	const url = file.startsWith("http:") ? file :
		pathToFileURL(path.resolve(file)).href;

	page.setDefaultTimeout(20000);
	if (late > 0)
		await page.addInitScript(delayLater, late);
	if (rate > 1)
		await slowDown(page, rate);
	page.on("console", (message) => complaints.push(message.text()));
	page.on("pageerror", (error) => complaints.push(String(error)));
	page.on("dialog", (dialog) => {
		complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (request.url().split("#")[0] !== url)
			complaints.push(`request: ${request.url()}`);
	});
	try {
		await page.goto(url + hash);
		await page.waitForFunction(() =>
			document.documentElement.dataset.ready);
		await settle(page);
		await check(page);
		assert.deepEqual(complaints, []);
	} finally {
		await context.close();
		if (!shared)
			await browser.close();
	}
}
