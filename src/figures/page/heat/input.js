// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointer and keyboard on a track.

const DRAG_LEAST = 5; // px

function pointer(track, heard) {
	const {stage} = track;
	let begun = null;
	const at = (event) => event.clientX - stage.getBoundingClientRect().left;

	stage.addEventListener('pointerdown', (event) => {
		if (event.button)
			return;
		begun = at(event);
		stage.setPointerCapture(event.pointerId);
	});
	stage.addEventListener('pointermove', (event) => {
		const x = at(event);
		if (begun !== null && Math.abs(x - begun) >= DRAG_LEAST)
			track.brush = [track.addressAt(Math.min(x, begun)), track.addressAt(Math.max(x, begun))];
		track.setCursor(track.addressAt(x));
	});
	stage.addEventListener('pointerup', (event) => {
		const dragged = track.brush;
		if (dragged)
			track.view.set(track.space.toUnit(dragged[0]), track.space.toUnit(dragged[1]));
		else if (begun !== null)
			heard.picked(track, track.addressAt(at(event)));
		begun = null;
		track.brush = null;
		track.ask();
	});
	stage.addEventListener('pointercancel', () => {
		begun = null;
		track.brush = null;
		track.ask();
	});
	stage.addEventListener('pointerleave', () => {
		if (begun === null && document.activeElement !== stage)
			track.setCursor(null);
	});
	stage.addEventListener('dblclick', (event) => track.view.zoom(0.25, track.space.toUnit(track.addressAt(at(event)))));
	stage.addEventListener('wheel', (event) => { // a wheel alone scrolls the page
		if (!event.ctrlKey && !event.shiftKey)
			return;
		event.preventDefault();
		track.view.zoom(1.0015 ** (event.deltaY || event.deltaX), track.space.toUnit(track.addressAt(at(event))));
	}, {passive: false});
}

/** Moves the cursor by blocks; the view follows. */
function step(track, blocks) {
	const {space, view} = track;
	const here = track.cursor ?? track.addressAt(track.width / 2);
	const {begin, end, size, part} = track.blockAt(here);
	let next = blocks > 0 ? end + (blocks - 1) * size : begin - 1 - (-blocks - 1) * size;
	const index = space.parts.indexOf(part);
	if (next >= part.end) // what lies between parts is skipped
		next = index + 1 < space.parts.length ? Math.max(space.parts[index + 1].begin, blocks > 1 ? next : 0) : part.end - 1;
	else if (next < part.begin)
		next = index ? space.parts[index - 1].end - 1 : part.begin;
	const unit = space.toUnit(next);
	const width = view.to - view.from;
	if (unit < view.from || unit >= view.to)
		view.set(unit - width / 2, unit + width / 2);
	track.setCursor(next);
}

/** The next block that ran, in one direction. */
function nextHot(track, direction) {
	const {cells} = track.level();
	const here = track.blockAt(track.cursor ?? track.addressAt(track.width / 2));
	let next = null;
	for (const at of cells.at)
		if (direction > 0 ? at >= here.end : at + cells.cell <= here.begin) {
			next = at;
			if (direction > 0)
				break;
		}
	if (next === null)
		return;
	const unit = track.space.toUnit(next);
	const {from, to} = track.view;
	if (unit < from || unit >= to)
		track.view.set(unit - (to - from) / 2, unit + (to - from) / 2);
	track.setCursor(Math.max(next, track.space.partOf(next).begin));
}

function keyboard(track, heard) {
	const around = () => (track.cursor === null ? undefined : track.space.toUnit(track.cursor));
	const does = {
		ArrowLeft: (event) => step(track, event.shiftKey ? -16 : -1),
		ArrowRight: (event) => step(track, event.shiftKey ? 16 : 1),
		ArrowUp: () => track.view.zoom(0.5, around()),
		ArrowDown: () => track.view.zoom(2, around()),
		'+': () => track.view.zoom(0.5, around()),
		'-': () => track.view.zoom(2, around()),
		PageUp: () => track.view.pan(-0.8),
		PageDown: () => track.view.pan(0.8),
		Home: () => track.setCursor(track.addressAt(0)),
		End: () => track.setCursor(track.addressAt(track.width)),
		n: () => nextHot(track, 1),
		p: () => nextHot(track, -1),
		0: () => track.view.whole(),
		Escape: () => track.view.whole(),
		Enter: () => track.cursor !== null && heard.picked(track, track.cursor),
	};
	track.stage.addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(does, event.key))
			return;
		event.preventDefault();
		does[event.key](event);
	});
	track.stage.addEventListener('focus', () => {
		if (track.cursor === null && track.stage.matches(':focus-visible'))
			track.setCursor(track.level().cells.at[0]);
	});
	track.stage.addEventListener('blur', () => track.setCursor(null));
}

export function listenTo(track, heard) {
	pointer(track, heard);
	keyboard(track, heard);
}
