/*
 * Pictures of many boxes, as charts are. On a canvas they become one image: a
 * thousand rectangles a chart and frame would take the browser longer than all
 * else. Where images cannot be, see vector.js, they are rectangles.
 */

/* "#rrggbb" as a pixel of an image. */
function pixelOf(colour)
{
	const [r, g, b] = channels(colour);

	return (0xff000000 | b << 16 | g << 8 | r) >>> 0;
}

/* The image of all charts, one after the other, kept for the next frame: a new
 * one is a lot to clear away. It is as wide as the canvas, and may be taller. */
function imageOf(scene, context)
{
	const {width, height} = context.canvas;

	if (scene.image?.width !== width || scene.image.height < height)
		scene.image = context.createImageData(width, height);
	return scene.image;
}

/* What puts boxes into an image; each has a pixel at least. */
function imagePen({data}, {width, height}, theme, ratio)
{
	const pixels = new Uint32Array(data.buffer, 0, width * height);
	let pixel = 0;

	pixels.fill(0);
	return {
		use(colour) {
			pixel = pixelOf(colour[theme]);
		},
		box(x, wide, high, low) {
			const to = Math.min(Math.round(low * ratio), height);
			const from = Math.max(Math.min(Math.round(high * ratio),
				to - 1), 0);

			for (let y = from; y < to; y++) {
				const first = y * width + x;

				for (let i = first; i < first + wide; i++)
					pixels[i] = pixel;
			}
		},
	};
}

function shapePen(context, theme)
{
	return {
		use(colour) {
			context.fillStyle = colour[theme];
		},
		box(x, wide, high, low) {
			context.fillRect(x, high, wide, low - high);
		},
	};
}

/* Paint what paint(pen, plot, pixels) draws: pen.use() sets the colour, one of
 * the palette; pen.box(x, width, high, low) has x in pixels of the plot it
 * gets, from 0 to the number of them, and high and low in CSS pixels. */
function paintBoxes(scene, context, width, paint)
{
	const {plot, theme} = scene;
	const ratio = globalThis.devicePixelRatio || 1;

	if (!context.putImageData) {
		paint(shapePen(context, theme), plot, Math.ceil(width));
		return;
	}
	const image = imageOf(scene, context);

	paint(imagePen(image, context.canvas, theme, ratio), {start: plot.start,
		scale: plot.scale * ratio}, image.width);
	context.putImageData(image, 0, 0);
}
