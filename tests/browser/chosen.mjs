// Which rows of a page viewer/filter.js accepts: an array for each EXPR, a
// line each.
// Usage: node chosen.mjs PAGE.html EXPR...
import fs from "node:fs";
import vm from "node:vm";
import zlib from "node:zlib";

const folder = new URL("../../lib/sink/viewer/", import.meta.url);
const sources = fs.readdirSync(folder)
	.filter((name) => name.endsWith(".js")).sort()
	.map((name) => fs.readFileSync(new URL(name, folder), "utf8"));
const viewer = vm.createContext({TextDecoder});
const [file, ...expressions] = process.argv.slice(2);
const text = fs.readFileSync(file, "utf8");

function stream(name)
{
	const [, base64] = text.match(`id="data-0-${name}">([^<]*)<`);

	return new Uint8Array(zlib.gunzipSync(Buffer.from(base64, "base64")));
}

vm.runInContext(sources.join(""), viewer);
const model = viewer.readModel(
	...["about", "items", "rows", "strings", "waits"].map(stream));

for (const expression of expressions) {
	const filter = viewer.parseFilter(expression, model);

	if (filter.error)
		throw new Error(`${expression}: ${filter.error}`);
	console.log(JSON.stringify(model.rows.filter(
		(row, r) => filter.test(row, r)).map((row) => row.row)));
}
