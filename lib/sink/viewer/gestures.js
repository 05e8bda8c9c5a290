/*
 * Presses, drags, holds and pinches on an element, by mouse, pen or fingers.
 */

const HOLD = 450; /* ms that a finger stays until it counts as held */
const HOLD_REACH = 8; /* px that it may tremble */

/*
 * Handlers, of which only `begin` and `hover` must be there:
 *
 *	begin(event)         a press begins; gives what is told of it later
 *	move(press, event)   the pointer moved with it
 *	end(press, event)    it was let go
 *	hold(press)          a finger has stayed in its place
 *	beginPinch()         a second finger; gives what is told of it later
 *	pinch(before, now)   two fingers moved: {apart, middle, y} of both,
 *	                     before: with what beginPinch gave
 *	letGo()              a press is over, whether it ended or was taken away
 *	hover(event, press)  a pointer moved; press: none, or what begin gave
 */
function listenToGestures(element, handlers)
{
	const fingers = new Map(); /* pointers that are down, by id */
	let press = null;
	let pinched = null;
	let timer = 0;
	const drop = () => {
		clearTimeout(timer);
		press = null;
		handlers.letGo?.();
	};
	const lift = ({pointerId}) => {
		fingers.delete(pointerId);
		if (fingers.size === 0)
			pinched = null;
		drop();
	};

	element.addEventListener("pointerdown", (event) => {
		/* A button in it is clicked only if it keeps its pointer. */
		if (event.button !== 0 || event.target.closest("button"))
			return;
		element.setPointerCapture(event.pointerId);
		fingers.set(event.pointerId, event);
		clearTimeout(timer);
		if (fingers.size === 2 && handlers.pinch) {
			drop();
			pinched = {...betweenFingers(fingers),
				...handlers.beginPinch()};
		} else if (fingers.size === 1) {
			press = handlers.begin(event);
			if (event.pointerType === "touch" && handlers.hold)
				timer = setTimeout(handlers.hold, HOLD, press);
		}
	});
	element.addEventListener("pointermove", (event) => {
		const down = fingers.get(event.pointerId);

		if (!down) {
			handlers.hover(event);
			return;
		}
		if (Math.hypot(event.clientX - down.clientX,
			event.clientY - down.clientY) > HOLD_REACH)
			clearTimeout(timer);
		if (pinched) {
			fingers.set(event.pointerId, event);
			if (fingers.size === 2) {
				handlers.pinch(pinched,
					betweenFingers(fingers));
			}
		} else if (press) {
			handlers.hover(event, press);
			handlers.move?.(press, event);
		}
	});
	element.addEventListener("pointerup", (event) => {
		if (press && fingers.has(event.pointerId))
			handlers.end?.(press, event);
		lift(event);
	});
	element.addEventListener("pointercancel", lift);
}

function betweenFingers(fingers)
{
	const [a, b] = fingers.values();

	return {
		apart: Math.max(Math.abs(a.clientX - b.clientX), 10),
		middle: (a.clientX + b.clientX) / 2,
		y: (a.clientY + b.clientY) / 2,
	};
}

/* Once nothing is pressed and a click was handled: what is pressed can be
 * clicked only while it stays. Touches have no pointerup after mousedown. */
function onceReleased(action)
{
	if (!document.querySelector(":active")) {
		action();
		return;
	}
	const end = new AbortController();
	const {signal} = end;

	for (const type of ["pointerup", "mouseup", "pointercancel"]) {
		addEventListener(type, () => {
			end.abort();
			setTimeout(action);
		}, {capture: true, signal});
	}
}

/* Call action(target) when a finger is held on what is in the element; the
 * click that follows is none. */
function listenToHold(element, action)
{
	let timer = 0;
	let held = false;
	const stop = () => clearTimeout(timer);

	element.addEventListener("pointerdown", ({pointerType, target}) => {
		held = false;
		if (pointerType === "touch") {
			timer = setTimeout(() => {
				held = true;
				action(target);
			}, HOLD);
		}
	});
	element.addEventListener("pointerup", stop);
	element.addEventListener("pointercancel", stop);
	element.addEventListener("click", (event) => {
		if (held && event.isTrusted)
			event.stopPropagation();
		held &&= !event.isTrusted;
	}, {capture: true});
	element.addEventListener("contextmenu", (event) =>
		held && event.preventDefault());
}
