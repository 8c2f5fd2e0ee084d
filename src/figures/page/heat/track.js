// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One binary's heat: a canvas that is zoomed and read with the pointer or the keyboard.
import {el} from '../base/dom.js';
import {coarser} from '../base/cells.js';
import {heatScale, placeColor, token} from '../base/colors.js';
import {address, bytes} from '../base/format.js';
import {bytesOfPixel, bytesWithin} from './space.js';
import {drawBars, drawFrames, drawMarks, drawNames, drawRegions, drawSections, HIGH, prepare} from './draw.js';
import {listenTo} from './input.js';
import {makeShade} from './shade.js';
import {makeView} from './view.js';
import {overview} from './overview.js';

export const BLOCKS = [64, 256, 1024, 4096, 16384, 65536, 262144, 2097152];
const NARROW = 2; // px of a block at least, when its size follows the zoom

/** The heat in blocks of all sizes, made when first asked for. */
function zoomLevels(cells) {
	const made = new Map();
	return (size) => {
		if (!made.has(size)) {
			const level = coarser(cells, size);
			made.set(size, {cells: level, shade: makeShade(level)});
		}
		return made.get(size);
	};
}

/** Where the rows of a track are: above its bars or, of the input, below them. */
function rows(mirrored, hasRegions) {
	const order = mirrored ? ['names', 'regions', 'bars', 'sections'] : ['sections', 'bars', 'regions', 'names'];
	const at = {};
	let top = 0;
	for (const row of order) {
		at[row] = top;
		top += row === 'regions' && !hasRegions ? 0 : HIGH[row];
	}
	return {...at, height: top};
}

/**
 * how: {id, title, label, space, cells, names, regions, mirrored, help}
 * heard: {moved(track), looked(track, block or null), picked(track, address), changed()}
 */
export function makeTrack(how, heard) {
	const {space, cells, regions = []} = how;
	const levels = zoomLevels(cells);
	const row = rows(how.mirrored, regions.length > 0);
	const canvas = el('canvas', {'aria-hidden': 'true'});
	const stage = el('div', {class: 'stage', id: how.id, tabindex: 0, role: 'application', 'aria-roledescription': 'heat map',
		'aria-label': how.label, 'aria-describedby': how.help}, canvas);
	const range = el('span', {class: 'muted range'});
	const track = {...how, stage, size: 0, cursor: null, brush: null, marks: [], chosen: null, width: 0};
	let waiting = false;

	/** Draws once before the next frame, however often it is asked. */
	track.ask = () => {
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			track.draw();
		});
	};
	track.view = makeView(space, cells.cell, () => {
		track.ask();
		heard.moved(track);
	});
	track.blockSize = () => {
		if (track.size)
			return Math.max(track.size, cells.cell);
		const each = bytesOfPixel(space, track.view.from, track.view.to, Math.max(1, track.width));
		return Math.max(cells.cell, BLOCKS.find((size) => size >= each * NARROW) ?? BLOCKS[BLOCKS.length - 1]);
	};
	track.level = () => levels(track.blockSize());
	track.x = (a) => (space.toUnit(a) - track.view.from) / (track.view.to - track.view.from) * track.width;
	track.addressAt = (x) => space.toAddress(track.view.from + Math.max(0, Math.min(0.999999, x / track.width)) * (track.view.to - track.view.from));
	/** The block that has an address, within its part. */
	track.blockAt = (a) => {
		const size = track.blockSize();
		const part = space.partOf(a);
		const begin = Math.floor(a / size) * size;
		return {begin: Math.max(begin, part.begin), end: Math.min(begin + size, part.end), part, size};
	};
	track.setCursor = (a) => {
		track.cursor = a;
		heard.looked(track, a === null ? null : track.blockAt(a));
		track.ask();
	};

	const minimap = overview(track);
	track.draw = () => {
		track.width = stage.clientWidth;
		if (!track.width)
			return;
		const {cells: level, shade} = track.level();
		const context = prepare(canvas, track.width, row.height);
		const common = {space, view: track.view, width: track.width, ink: token('ink-2'), line: token('line')};
		drawBars(context, {...common, cells: level, shade, colors: heatScale(), top: row.bars, paper: token('well')});
		drawSections(context, {...common, top: row.sections, full: {top: Math.min(row.sections, row.bars), high: HIGH.sections + HIGH.bars}});
		if (regions.length)
			drawRegions(context, {...common, regions, colorOf: placeColor, top: row.regions});
		drawNames(context, {...common, names: how.names, chosen: track.chosen, top: row.names, box: token('box'),
			mark: {box: token('accent'), ink: token('on-accent')}});
		drawMarks(context, {...common, marks: track.marks, top: how.mirrored ? row.bars : row.bars + HIGH.bars - 4, color: token('accent')});
		if (track.cursor !== null) {
			const {begin, end} = track.blockAt(track.cursor);
			drawFrames(context, {...common, frames: [[begin, end]], top: row.bars, high: HIGH.bars, color: token('ink')});
		}
		if (track.brush)
			drawFrames(context, {...common, frames: [track.brush], top: 0, high: row.height, color: token('accent')});
		range.textContent = `${address(track.addressAt(0))} – ${address(track.addressAt(track.width) + 1)} · ${bytes(bytesWithin(space, track.view.from, track.view.to))} · blocks of ${bytes(track.blockSize())}`;
		stage.dataset.from = track.addressAt(0);
		stage.dataset.to = track.addressAt(track.width);
		stage.dataset.block = track.blockSize();
		minimap.draw();
		heard.changed(track);
	};

	listenTo(track, heard);
	const button = (text, label, press) => el('button', {type: 'button', class: 'tool', 'aria-label': `${how.title}: ${label}`, title: label, onclick: press}, text);
	track.element = el('div', {class: `track${how.mirrored ? ' mirrored' : ''}`},
		el('div', {class: 'track-head'}, el('h3', {}, how.title), range,
			el('div', {class: 'tools'},
				button('−', 'zoom out', () => track.view.zoom(2)),
				button('+', 'zoom in', () => track.view.zoom(0.5)),
				button('Whole', 'show all of it', () => track.view.whole()))),
		stage, minimap.element);
	return track;
}
