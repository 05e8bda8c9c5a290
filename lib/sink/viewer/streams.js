/*
 * The compressed streams of the page: base64 in elements of their own, a long
 * one in several: data-0-attrs, data-0-attrs.1 and so on. Those that the first
 * rows are drawn from stand before the script, the others after it.
 */

const BASE64_PAUSE = 1 << 22; /* letters decoded between pauses */
const INFLATED_PIECE = 1 << 16; /* bytes inflated between looks at the clock */

/* The elements of a stream that were read so far. */
function holdersOf(id)
{
	const holders = [];

	for (let one = document.getElementById(id); one;
		one = document.getElementById(`${id}.${holders.length}`))
		holders.push(one);
	return holders;
}

/* The bytes in elements, which are emptied. */
async function piecesOf(holders)
{
	const pieces = [];
	let letters = 0;

	for (const holder of holders) {
		const text = holder.textContent;

		letters += text.length;
		if (letters > BASE64_PAUSE) {
			await pause();
			letters = text.length;
		}
		pieces.push(decodeBase64(text));
		holder.textContent = "";
	}
	return pieces;
}

function decodeBase64(text)
{
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const binary = atob(text);
	const bytes = new Uint8Array(binary.length);

	for (let i = 0; i < binary.length; i++)
		bytes[i] = binary.charCodeAt(i);
	return bytes;
}

/* compressed: a stream of bytes; size: of what is in it. Each part is put in
 * its place, since to join them all in the end takes long. */
async function inflate(compressed, size)
{
	const reader = compressed.pipeThrough(new DecompressionStream("gzip"))
		.getReader();
	const bytes = new Uint8Array(size);

	for (let at = 0;;) {
		const {done, value} = await reader.read();

		if (done)
			return bytes;
		bytes.set(value, at);
		at += value.length;
	}
}

/* The size that gzip says at its end. */
function inflatedSize(pieces)
{
	const tail = pieces.slice(-2).flatMap((piece) =>
		[...piece.subarray(-4)]).slice(-4);

	return new DataView(Uint8Array.from(tail).buffer).getUint32(0, true);
}

/* Bytes as a stream for inflate: a browser inflates what it is given at once,
 * so it gets a little, and a pause after each slice. */
function streamOf(pieces)
{
	const time = document.documentElement.dataset.ready ? SLICE_TIME :
		FIRST_SLICE_TIME;
	let due = performance.now() + time;
	let [n, at] = [0, 0];

	return new ReadableStream({
		async pull(controller)
		{
			if (performance.now() > due) {
				await pause();
				due = performance.now() + time;
			}
			if (n === pieces.length) {
				controller.close();
				return;
			}
			controller.enqueue(pieces[n].subarray(at,
				at + INFLATED_PIECE));
			at += INFLATED_PIECE;
			if (at >= pieces[n].length)
				[n, at] = [n + 1, 0];
		},
	}, {highWaterMark: 0});
}

/* The page was read to its end. */
function documentRead()
{
	return new Promise((done) => {
		if (document.readyState === "loading")
			document.addEventListener("DOMContentLoaded", done);
		else
			done();
	});
}

/* Once the page was read. */
function dumpCount()
{
	return document.querySelectorAll("[id^=data-][id$=-about]").length;
}

/* The compressed bytes by the streams' ids, {blob, size}: taken out of the
 * page, where they would take more memory as text. A blob keeps them outside of
 * the heap, and takes a while to give them back. */
const packedStreams = new Map();

/* What is drawn first stands before the script, the rest may still be read: a
 * stream is complete once another element follows it. */
async function openStream(dump, name)
{
	const id = `data-${dump}-${name}`;

	if (!packedStreams.has(id) &&
	    !holdersOf(id).at(-1)?.nextElementSibling)
		await documentRead();
	if (packedStreams.has(id)) {
		const {blob, size} = await packedStreams.get(id);

		return inflate(blob.stream(), size);
	}
	const pieces = piecesOf(holdersOf(id));

	packedStreams.set(id, pieces.then((all) => ({blob: new Blob(all),
		size: inflatedSize(all)})));
	return inflate(streamOf(await pieces), inflatedSize(await pieces));
}
