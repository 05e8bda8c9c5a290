// One browser for all checks of a bats file: what runs them one after the
// other, as test_helper's look asks for. A check is a script of this folder
// with its arguments, and need not know.
//
// Usage: node host.mjs SOCKET
//
// POST / with SCRIPT and the ARGUMENTs, a NUL after each: 200 when the check
// held, else 500 with what it said. Ends with SIGTERM.
import fs from "node:fs";
import http from "node:http";
import {format} from "node:util";

import {launch} from "./browser.mjs";

let runs = 0;

async function run(words)
{
	const [script, ...values] = words;
	const at = new URL(`${script}.mjs`, import.meta.url);

	process.argv = [process.argv[0], at.pathname, ...values];
	at.search = `run=${runs++}`; // so that it is run again
	await import(at.href);
}

async function answer(request, response)
{
	let text = "";

	for await (const part of request)
		text += part;
	try {
		await run(text.split("\0").slice(0, -1));
		response.end();
	} catch (error) {
		response.writeHead(500);
		response.end(`${format(error)}\n`);
	}
}

const [socket] = process.argv.slice(2);
const browser = await launch();

globalThis.shared = browser;
const server = http.createServer(answer);

process.on("SIGTERM", async () => {
	await browser.close();
	process.exit(0);
});
server.listen(`${socket}.new`, () => fs.renameSync(`${socket}.new`, socket));
