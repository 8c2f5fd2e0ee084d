// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a track of heat looks like: bars for blocks, bands for kinds of code and for functions, names of sections.
import {visible} from '../base/dom.js';
import {cellsWithin} from './space.js';

export const HIGH = {sections: 20, bars: 88, regions: 8, names: 18};
const FONT = '11px Inter, system-ui, sans-serif';

/** Sets a canvas to a size in CSS pixels and returns its context, cleared. */
export function prepare(canvas, width, height) {
	const scale = Math.max(1, window.devicePixelRatio || 1);
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const context = canvas.getContext('2d');
	context.scale(scale, scale);
	context.font = FONT;
	context.textBaseline = 'middle';
	return context;
}

/** The text, or as much of it as fits with an ellipsis; nothing where that is less than three letters. */
function fittingText(context, text, x, y, width) {
	const whole = context.measureText(text).width;
	if (whole > width) {
		const letters = [...text];
		let length = Math.max(0, Math.floor(letters.length * width / whole));
		while (length > 2 && context.measureText(`${letters.slice(0, length).join('')}…`).width > width)
			length--;
		if (length < 3)
			return;
		text = `${letters.slice(0, length).join('')}…`;
		if (context.measureText(text).width > width)
			return;
	}
	context.fillText(text, x, y);
}

/** For every pixel the hottest block in it, so that no hot spot is lost between two pixels. */
export function columns(space, view, cells, width) {
	const hottest = new Float64Array(width);
	const [first, last] = cellsWithin(space, cells, view.from, view.to);
	const scale = width / (view.to - view.from);
	let next = 0;
	for (let i = first; i < last; i++) {
		const at = cells.at[i];
		while (space.parts[next].end <= at)
			next++;
		for (let p = next; p < space.parts.length && space.parts[p].begin < at + cells.cell; p++) { // a large block reaches several parts
			const {begin, end, from, to} = space.parts[p];
			const unit = (a) => from + Math.max(0, Math.min(1, (a - begin) / (end - begin))) * (to - from);
			const left = Math.floor((unit(at) - view.from) * scale);
			const right = Math.ceil((unit(at + cells.cell) - view.from) * scale - 0.5);
			for (let x = Math.max(0, left); x < Math.min(width, Math.max(right, left + 1)); x++)
				hottest[x] = Math.max(hottest[x], cells.value[i]);
		}
	}
	return hottest;
}

export function drawBars(context, {space, view, cells, shade, colors, width, top, paper}) {
	context.fillStyle = paper;
	context.fillRect(0, top, width, HIGH.bars);
	const values = columns(space, view, cells, width);
	for (let x = 0; x < width;) {
		const value = values[x];
		let end = x + 1;
		while (end < width && values[end] === value)
			end++;
		if (value > 0) {
			const heat = shade(value);
			const high = Math.max(4, Math.round((0.12 + 0.88 * heat) * HIGH.bars));
			const gap = end - x > 5 ? 1 : 0; // between blocks that are wide enough to be told apart
			context.fillStyle = colors(heat);
			context.fillRect(x, top + HIGH.bars - high, end - x - gap, high);
		}
		x = end;
	}
}

export function drawSections(context, {space, view, width, top, ink, line, full}) {
	const scale = width / (view.to - view.from);
	for (const part of space.parts) {
		const begin = (part.from - view.from) * scale;
		const end = (part.to - view.from) * scale;
		if (end < 0 || begin > width)
			continue;
		context.fillStyle = line;
		if (begin > 0.5)
			context.fillRect(Math.round(begin), full.top, 1, full.high);
		context.fillStyle = ink;
		const left = Math.max(begin, 0) + 5;
		fittingText(context, visible(part.name || 'no section'), left, top + HIGH.sections / 2, Math.min(end, width) - left - 3);
	}
}

export function drawRegions(context, {space, view, regions, colorOf, width, top}) {
	const scale = width / (view.to - view.from);
	const [low, high] = [space.toAddress(view.from), space.toAddress(view.to)];
	for (const [begin, end, kind] of regions) {
		if (end <= low || begin > high)
			continue;
		const x = Math.max(0, (space.toUnit(begin) - view.from) * scale);
		const right = Math.min(width, (space.toUnit(end - 1) - view.from) * scale);
		context.fillStyle = colorOf(kind);
		context.fillRect(x, top, Math.max(1, right - x), HIGH.regions);
	}
}

export function drawNames(context, {space, view, names, chosen, width, top, ink, box, mark}) {
	const scale = width / (view.to - view.from);
	let free = -1;
	for (const {begin, end, f} of names.within(space.toAddress(view.from), space.toAddress(view.to) + 1)) {
		const x = Math.max(0, (space.toUnit(begin) - view.from) * scale);
		const right = Math.min(width, (space.toUnit(end - 1) - view.from) * scale + 0.5);
		if (right < free)
			continue; // another one has this pixel
		free = Math.max(x + 0.75, right);
		context.fillStyle = f === chosen ? mark.box : box;
		context.fillRect(x, top + 2, Math.max(0.75, right - x - (right - x > 4 ? 1 : 0)), HIGH.names - 4);
		if (right - x > 30) {
			context.fillStyle = f === chosen ? mark.ink : ink;
			fittingText(context, visible(f.plain ?? f.name), x + 4, top + HIGH.names / 2, right - x - 7);
		}
	}
}

/** Lines at the edge of the bars that faces the ribbons: where the same code is. */
export function drawMarks(context, {space, view, width, top, marks, color}) {
	const scale = width / (view.to - view.from);
	context.fillStyle = color;
	for (const [begin, end] of marks) {
		const x = (space.toUnit(begin) - view.from) * scale;
		const right = (space.toUnit(Math.max(end - 1, begin)) - view.from) * scale;
		if (right >= 0 && x <= width)
			context.fillRect(x, top, Math.max(2, right - x), 4);
	}
}

/** A frame around addresses: the block under the pointer, or what is dragged over. */
export function drawFrames(context, {space, view, width, top, high, frames, color}) {
	const scale = width / (view.to - view.from);
	context.strokeStyle = color;
	context.fillStyle = color;
	for (const [begin, end] of frames) {
		const x = (space.toUnit(begin) - view.from) * scale;
		const right = (space.toUnit(Math.max(end - 1, begin)) - view.from) * scale;
		if (right < 0 || x > width)
			continue;
		context.globalAlpha = 0.14;
		context.fillRect(x, top, Math.max(1, right - x), high);
		context.globalAlpha = 1;
		context.strokeRect(Math.round(x) - 0.5, top + 0.5, Math.max(2, Math.round(right - x) + 1), high - 1);
	}
}
