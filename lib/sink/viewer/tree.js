/*
 * Attributes as a tree that can be folded and copied. All text goes in as
 * text nodes: what a dump says is never markup. What is large is built when
 * it is asked for.
 */

const TREE_ENTRIES = 100; /* of an object or list, before the rest is asked for */
const TREE_TEXT = 1500; /* characters of a text, likewise */
const TREE_OPEN = 2; /* levels that are unfolded at first, */
const TREE_SMALL = 20; /* unless there are more entries */

/* An element with attributes and children; a string child is text. */
function element(tag, attributes, ...children)
{
	const made = document.createElement(tag);

	for (const [key, value] of Object.entries(attributes || {})) {
		if (key === "click")
			made.addEventListener("click", value);
		else
			made.setAttribute(key, value);
	}
	made.append(...children.filter((child) => child !== undefined));
	return made;
}

/* What is the same already is not set again: the browser would lay out or paint
 * it anew. */
function setText(node, text)
{
	if (node.textContent !== text)
		node.textContent = text;
}

function setHidden(node, hidden)
{
	if (node.hidden !== hidden)
		node.hidden = hidden;
}

function setStyle({style}, name, value)
{
	if (style[name] !== value)
		style[name] = value;
}

/* A button that looks like a link. */
function link(text, click, attributes)
{
	return element("button", {type: "button", class: "link", click,
		...attributes}, ...[text].flat());
}

/* Text as nodes in which no line ends within a word with hyphens, as options
 * and dashed names are. */
function unbroken(text)
{
	return text.split(/(\S*-\S*)/).map((piece, n) => n % 2 ?
		element("span", {class: "unbroken"}, piece) : piece);
}

/* A decoded value as JSON again, digits kept, indented by `indent`. */
function exactJson(value, indent = "")
{
	const inner = indent + "  ";

	if (value instanceof Digits)
		return value.text;
	if (value === null || typeof value !== "object")
		return typeof value === "number" && !Number.isFinite(value) ?
			String(value) : JSON.stringify(value);
	const list = Array.isArray(value);
	const entries = Object.entries(value).map(([key, own]) => inner +
		(list ? "" : JSON.stringify(key) + ": ") +
		exactJson(own, inner));
	const [open, close] = list ? "[]" : "{}";

	return entries.length === 0 ? open + close :
		`${open}\n${entries.join(",\n")}\n${indent}${close}`;
}

/* Text into the clipboard; where the browser keeps that from pages that came
 * without TLS, by way of a selection. */
async function copyText(text, page)
{
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = element("textarea", {class: "unseen"});

		document.body.append(area);
		area.value = text;
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	page.announce("copied");
}

function copyButton(name, text, page)
{
	const button = element("button", {type: "button", class: "copy",
		"aria-label": `copy ${name}`, title: `copy ${name}`,
		click: async () => {
			await copyText(text(), page);
			button.textContent = "copied";
			setTimeout(() => button.textContent = "copy", 1200);
		}}, "copy");

	return button;
}

/* A value that has none inside; of a long one `most` characters. */
function leaf(value, most = TREE_TEXT)
{
	if (value instanceof Digits)
		return element("span", {class: "value"}, value.text);
	const text = visible(String(value));
	const shown = element("span", {class: `value ${typeof value}`},
		text.slice(0, most));

	if (text.length > most) {
		const more = link(`… all ${formatCount(text.length)} characters`,
			() => shown.replaceChildren(text));

		shown.append(" ", more);
	}
	return shown;
}

function hasInside(value)
{
	return value !== null && typeof value === "object" &&
		!(value instanceof Digits);
}

/* The entries of an object or list from `at` on, those past TREE_ENTRIES by a
 * button. */
function branches(list, entries, at, depth, page)
{
	const end = Math.min(at + TREE_ENTRIES, entries.length);
	const made = entries.slice(at, end).map(([key, value]) =>
		branch(key, value, depth, page));

	list.append(...made);
	if (end < entries.length) {
		const rest = element("li", {}, link(
			`${formatCount(entries.length - end)} more`, () => {
				rest.remove();
				branches(list, entries, end, depth, page);
			}));

		list.append(rest);
	}
	return list;
}

/* An entry. What has more inside folds, and is built when first unfolded. */
function branch(key, value, depth, page)
{
	const name = element("span", {class: "key"}, visible(key));
	const copy = copyButton(visible(key), () => typeof value === "string" ?
		value : exactJson(value), page);

	if (!hasInside(value))
		return element("li", {}, name, " ", leaf(value), " ", copy);
	const entries = Object.entries(value);
	const fold = element("details", {}, element("summary", {}, name, " ",
		element("span", {class: "faint"}, Array.isArray(value) ?
			`[${formatCount(entries.length)}]` :
			`{${formatCount(entries.length)}}`), " ", copy));
	const fill = () => fold.children.length === 1 && fold.append(
		branches(element("ul", {}), entries, 0, depth + 1, page));

	fold.addEventListener("toggle", fill);
	fold.open = depth + 1 < TREE_OPEN && entries.length <= TREE_SMALL;
	return element("li", {}, fold);
}

/* A decoded value as a tree. */
function tree(value, page)
{
	return branches(element("ul", {class: "tree"}),
		Object.entries(value), 0, 0, page);
}

/* A titled tree; nothing where there are no attributes. */
function attributeTree(title, value, page)
{
	if (!hasInside(value) || Object.keys(value).length === 0)
		return [];
	return [
		element("h3", {}, title, " ", copyButton("all of it",
			() => exactJson(value), page)),
		tree(value, page),
	];
}
