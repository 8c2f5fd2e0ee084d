// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the two tracks: which code of the output was which code of the input.
import {el} from '../base/dom.js';
import {placeColor, PLACES, token} from '../base/colors.js';
import {prepare} from './draw.js';

const HEIGHT = 120;

function path(context, left, right, other, otherRight) {
	const middle = HEIGHT / 2;
	context.beginPath();
	context.moveTo(left, 0);
	context.bezierCurveTo(left, middle, other, middle, other, HEIGHT);
	context.lineTo(otherRight, HEIGHT);
	context.bezierCurveTo(otherRight, middle, right, middle, right, 0);
	context.closePath();
}

/** Between the ends of a link, at least a hair wide; null if neither end can be seen. */
function place(link, output, input) {
	const [a, b, c, d] = [output.x(link.out), output.x(link.outEnd), input.x(link.in), input.x(link.inEnd)];
	const seen = (from, to, width) => to >= 0 && from <= width;
	if (!seen(a, b, output.width) && !seen(c, d, input.width))
		return null;
	return [a, Math.max(b, a + 0.8), c, Math.max(d, c + 0.8)];
}

export function makeRibbons(links, output, input) {
	const canvas = el('canvas');
	const element = el('div', {class: 'ribbons', role: 'img', 'aria-label': 'The same code above in the optimised binary and below in the input, connected'}, canvas);
	const most = Math.max(1, ...links.map((link) => link.weight));
	const strength = (weight) => 0.1 + 0.5 * Math.log1p(weight) / Math.log1p(most);

	/** marked: links that stand out; the others step back then. */
	function draw(marked) {
		if (!output.width)
			return;
		const context = prepare(canvas, output.width, HEIGHT);
		const colors = Object.fromEntries(PLACES.map(([key]) => [key, placeColor(key)]));
		const paint = (link, alpha, color) => {
			const ends = place(link, output, input);
			if (!ends)
				return;
			path(context, ...ends);
			context.globalAlpha = alpha;
			context.fillStyle = color;
			context.fill();
		};
		for (const link of links)
			paint(link, strength(link.weight) * (marked.length ? 0.35 : 1), colors[link.place] ?? token('ink-2'));
		for (const link of marked)
			paint(link, 0.9, colors[link.place] ?? token('ink-2'));
	}
	return {element, draw};
}
