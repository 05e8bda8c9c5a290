/*
 * The compressed streams of the page: base64 in elements of their own. Those that
 * the first rows are drawn from stand before the script, the others after it.
 */

const BASE64_PIECE = 1 << 22; /* letters decoded between pauses */

async function piecesOfBase64(text)
{
	const pieces = [];

	for (let at = 0; at < text.length; at += BASE64_PIECE) {
		if (at > 0)
			await pause();
		pieces.push(decodeBase64(text.slice(at, at + BASE64_PIECE)));
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

/* compressed: a stream of bytes */
async function inflate(compressed)
{
	const stream = compressed.pipeThrough(new DecompressionStream("gzip"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

function streamOf(pieces)
{
	return new ReadableStream({
		start(controller)
		{
			for (const piece of pieces)
				controller.enqueue(piece);
			controller.close();
		},
	});
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

/* The compressed bytes by the streams' ids: taken out of the page, where
 * they would take more memory as text. A blob keeps them outside of the heap,
 * and takes a while to give them back. */
const packedStreams = new Map();

/* What is drawn first stands before the script, the rest may still be read: an
 * element is complete once something follows it. */
async function openStream(dump, name)
{
	const id = `data-${dump}-${name}`;

	if (!packedStreams.has(id) && !document.getElementById(id)?.nextSibling)
		await documentRead();
	if (packedStreams.has(id))
		return inflate((await packedStreams.get(id)).stream());
	const holder = document.getElementById(id);
	const pieces = piecesOfBase64(holder.textContent);

	packedStreams.set(id, pieces.then((all) => new Blob(all)));
	holder.textContent = "";
	return inflate(streamOf(await pieces));
}
