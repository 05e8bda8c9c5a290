// Where things are on the plot of a timeline page, and what the page says of
// itself. Row numbers are those of the dump.
import {settle} from "./browser.mjs";

// Where the middle of item `name` of row r is drawn, on its lane of the
// expanded row or (lane -1) on the collapsed one, in the window's pixels.
export async function placeOf(page, r, name, lane)
{
	await settle(page);
	const box = await page.locator("#rows").boundingBox();
	const place = await page.evaluate(([row, wanted, at]) => {
		const {timeline: scene} = globalThis;
		const {model, window, tops, lines, scroll} = scene;
		const {items, strings} = model;
		const {first} = model.rows[row];
		let i = first;

		while (strings[items.name[i]] !== wanted)
			i++;
		return {
			share: ((items.start[i] + items.end[i]) / 2 -
				window.start) / (window.end - window.start),
			y: tops[lines.lineOf[row]] - scroll + 8 +
				(at < 0 ? 0 : laneTop(scene, at)),
		};
	}, [r, name, lane]);

	return [box.x + place.share * box.width, box.y + place.y];
}

// Turn the wheel by so many px with Ctrl, which zooms.
export async function zoomBy(page, px)
{
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, px);
	await page.keyboard.up("Control");
	await settle(page);
}

export function windowOf(page)
{
	return page.evaluate(() => ({...globalThis.timeline.window}));
}

// The details as {term: description}; what is said of the span wins over what
// is said of its sample.
export async function details(page)
{
	await settle(page);
	await page.waitForFunction(() => !document.getElementById("details")
		.textContent.includes("Decoding"));
	return page.evaluate(() => {
		const panel = document.getElementById("details");
		const terms = [...panel.querySelectorAll("dt")].reverse();

		return {
			title: panel.querySelector("h2")?.textContent,
			text: panel.innerText,
			...Object.fromEntries(terms.map((term) => [
				term.textContent,
				term.nextElementSibling.textContent])),
		};
	});
}

// The colour drawn at a place, as [r, g, b].
export async function colourAt(page, [x, y])
{
	const box = await page.locator("#rows").boundingBox();

	return page.evaluate(([left, top]) => {
		const copy = new OffscreenCanvas(1, 1).getContext("2d",
			{willReadFrequently: true});

		copy.drawImage(document.getElementById("rows"),
			-left * devicePixelRatio, -top * devicePixelRatio);
		return [...copy.getImageData(0, 0, 1, 1).data.slice(0, 3)];
	}, [x - box.x, y - box.y]);
}

// The state that the page is a view of.
export function stateOf(page)
{
	return page.evaluate(() => {
		const {state} = globalThis.timeline;

		return {...state, expanded: [...state.expanded],
			hidden: [...state.hidden]};
	});
}

// The indexes of the samples shown, from top to bottom.
export async function shown(page)
{
	await settle(page);
	return page.evaluate(() => {
		const {order, model} = globalThis.timeline;

		return [...order].map((r) => model.rows[r].index);
	});
}
