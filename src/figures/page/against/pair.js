// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two heats of the same addresses, each as shares of its own sum: one up, one down from the same line.
import {el} from '../base/dom.js';
import {coarser} from '../base/cells.js';
import {heatScale, token} from '../base/colors.js';
import {columns, drawSections, HIGH, prepare} from '../heat/draw.js';
import {makeShade} from '../heat/shade.js';
import {makeSpace} from '../heat/space.js';

const HALF = 76; // px

function shares(cells) {
	return {...cells, value: cells.value.map((v) => v / cells.sum), max: cells.max / cells.sum};
}

/** One heat that has the cells of both, in shares. */
function union(a, b) {
	const cell = Math.max(a.cell, b.cell);
	const sums = new Map();
	for (const cells of [coarser(a, cell), coarser(b, cell)])
		cells.at.forEach((at, i) => sums.set(at, (sums.get(at) ?? 0) + cells.value[i] / cells.sum));
	const at = [...sums.keys()].sort((x, y) => x - y);
	return {cell, at, value: at.map((place) => sums.get(place))};
}

export function makePair({here, other, sections}) {
	const cell = union(here, other).cell;
	const both = [shares(coarser(here, cell)), shares(coarser(other, cell))];
	const space = makeSpace(sections, union(here, other));
	const view = {from: 0, to: 1};
	const canvas = el('canvas');
	const element = el('div', {class: 'pair', role: 'img', 'aria-label': 'Heat of these samples above the line, of the other profile below it'}, canvas);

	function draw() {
		const width = element.clientWidth;
		const context = prepare(canvas, width, HIGH.sections + 2 * HALF + 1);
		const hottest = both[0].max > both[1].max ? both[0] : both[1];
		const shade = makeShade(hottest);
		const colors = heatScale();
		context.fillStyle = token('well');
		context.fillRect(0, HIGH.sections, width, 2 * HALF + 1);
		both.forEach((cells, down) => {
			const middle = HIGH.sections + HALF;
			columns(space, view, cells, width).forEach((value, x) => {
				if (!value)
					return;
				const heat = shade(value);
				const high = Math.max(3, Math.round((0.1 + 0.86 * heat) * HALF));
				context.fillStyle = colors(heat);
				context.fillRect(x, down ? middle + 1 : middle - high, 1, high);
			});
		});
		context.fillStyle = token('line');
		context.fillRect(0, HIGH.sections + HALF, width, 1);
		drawSections(context, {space, view, width, top: 0, ink: token('ink-2'), line: token('line'), full: {top: 0, high: HIGH.sections + 2 * HALF}});
	}
	return {element, draw};
}
