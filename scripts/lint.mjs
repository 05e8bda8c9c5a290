// Check JavaScript with eslint, which scripts/install-deps --test leaves in the
// cache: one line a finding, "FILE:LINE: TEXT [RULE]". Status 1 on any, 3 where
// there is no eslint.
//
// Usage: node lint.mjs MOST_LINES MOST_LINES_OF_A_FUNCTION FILE...
//
// The viewer's files are one script, in the order of their names as the page
// has them: what one declares is known in all, and is to be used in one.
// Others (.mjs) are modules.
import fs from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";

const cache = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
const [lines, functionLines, ...files] = process.argv.slice(2);

const SHARED = ["AbortController", "Blob", "DecompressionStream", "Event",
	"MessageChannel", "ReadableStream", "Response", "TextDecoder",
	"TextEncoder", "URL", "URLSearchParams", "atob", "clearTimeout",
	"performance", "setTimeout"];
const BROWSER = [...SHARED, "MouseEvent", "MutationObserver", "Node",
	"OffscreenCanvas", "PerformanceObserver", "PointerEvent",
	"ResizeObserver", "WheelEvent", "addEventListener",
	"devicePixelRatio", "document", "getComputedStyle", "history",
	"innerHeight", "innerWidth", "location", "matchMedia", "navigator",
	"requestAnimationFrame", "window"];
const NODE = [...SHARED, "Buffer", "console", "process"];

const rules = {
	"eqeqeq": "error",
	"here/own-lines": "error",
	"no-cond-assign": ["error", "always"],
	"no-dupe-keys": "error",
	"no-redeclare": ["error", {builtinGlobals: false}],
	"no-undef": "error",
	"no-unreachable": "error",
	"no-unused-vars": ["error", {vars: "all", args: "after-used",
		ignoreRestSiblings: true}],
	"no-var": "error",
	"prefer-const": "error",
};

// The lines of a function without those of the functions in it: one that is a
// table of operations is as long as its table.
const ownLines = {
	create(context) {
		const open = [];
		const enter = () => open.push(0);
		const leave = (node) => {
			const {start, end} = node.loc;
			const all = end.line - start.line + 1;
			const own = all - open.pop();

			if (open.length > 0)
				open[open.length - 1] += all - 1;
			if (own > functionLines)
				context.report({node, message: `function of ${own} ` +
					`lines, more than ${functionLines}`});
		};

		return Object.fromEntries(["FunctionDeclaration",
			"FunctionExpression", "ArrowFunctionExpression"].flatMap(
			(kind) => [[kind, enter], [`${kind}:exit`, leave]]));
	},
};

function load()
{
	const require = createRequire(path.join(cache, "obstools/eslint/x"));

	try {
		return require("eslint").ESLint;
	} catch {
		return undefined;
	}
}

// names: of what is there already.
function linter(ESLint, sourceType, names)
{
	const globals = Object.fromEntries(names.map((n) => [n, "readonly"]));

	return new ESLint({overrideConfigFile: true, overrideConfig: {
		files: ["**/*.js", "**/*.mjs"],
		plugins: {here: {rules: {"own-lines": ownLines}}},
		rules,
		linterOptions: {reportUnusedDisableDirectives: "error"},
		languageOptions: {ecmaVersion: 2022, sourceType, globals}}});
}

// [{name, first}]: where in the joined text each file begins.
function join(names)
{
	const places = [];
	let text = "";

	for (const name of names) {
		places.push({name, first: text.split("\n").length});
		text += fs.readFileSync(name, "utf8");
	}
	return {text, places};
}

let found = 0;

function report(name, line, message)
{
	found++;
	console.log(`${name}:${line}: ${message.message} [${message.ruleId}]`);
}

// used: the names that others use.
async function checkScript(ESLint, names, used)
{
	const {text, places} = join(names);
	const eslint = linter(ESLint, "script", BROWSER);
	const [{messages}] = await eslint.lintText(text, {filePath: "all.js"});

	for (const message of messages) {
		const place = places.findLast((p) => p.first <= message.line);
		const [, name] = message.message.match(/^'(\w+)' is/) || [];

		if (message.ruleId !== "no-unused-vars" || !used.has(name))
			report(place.name, message.line - place.first + 1,
				message);
	}
}

// Parts of the modules of tests run in the page: they know what it declares.
async function checkModules(ESLint, names, declared)
{
	const eslint = linter(ESLint, "module", [...NODE, ...BROWSER,
		...declared]);

	for (const name of names) {
		const [{messages}] = await eslint.lintText(
			fs.readFileSync(name, "utf8"), {filePath: name});

		for (const message of messages)
			report(name, message.line, message);
	}
}

function checkLengths(names)
{
	for (const name of names) {
		const n = fs.readFileSync(name, "utf8").split("\n").length - 1;

		if (n > Number(lines))
			report(name, n, {message: `${n} lines, more than ${lines}`,
				ruleId: "lengths"});
	}
}

// The names that scripts declare for all of the page.
function declaredIn(names)
{
	const declaration = /^(?:async )?(?:function\*?|const|let|class) (\w+)/gm;

	return names.flatMap((name) => [...fs.readFileSync(name, "utf8")
		.matchAll(declaration)].map((match) => match[1]));
}

// What modules use of those: page.NAME, NAME(, and constants.
function mentionedIn(names)
{
	const use = /(?<=\bpage\.)\w+|\w+(?=\()|\b[A-Z][A-Z_]+\b/g;

	return new Set(names.flatMap((name) =>
		fs.readFileSync(name, "utf8").match(use) || []));
}

const ESLint = load();

if (!ESLint)
	process.exit(3);

const scripts = files.filter((name) => name.endsWith(".js")).sort();
const modules = files.filter((name) => name.endsWith(".mjs"));
const declared = declaredIn(scripts);

checkLengths(files);
await checkScript(ESLint, scripts, mentionedIn(modules));
await checkModules(ESLint, modules, declared);
process.exit(found > 0 ? 1 : 0);
