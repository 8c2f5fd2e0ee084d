// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the two tracks: which code of the output was which code of the input.
import {el} from '../base/dom.js';
import {placeColor, PLACES} from '../base/colors.js';
import {prepare} from './draw.js';

const HEIGHT = 120;
const MOST = 1500; // of those that can be seen, the hottest
const FAR = 4; // widths: an end that is farther away is taken to be there

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
	const {width} = output;
	const near = (x) => Math.max(-FAR * width, Math.min((FAR + 1) * width, x));
	const [a, b, c, d] = [output.x(link.out), output.x(link.outEnd), input.x(link.in), input.x(link.inEnd)].map(near);
	const seen = (from, to) => to >= 0 && from <= width;
	if (!seen(a, b) && !seen(c, d))
		return null;
	return [a, Math.max(b, a + 0.8), c, Math.max(d, c + 0.8)];
}

export function makeRibbons(links, output, input) {
	const canvas = el('canvas');
	const element = el('div', {class: 'ribbons', role: 'img', 'aria-label': 'The same code above in the optimized binary and below in the input, connected'}, canvas);
	const most = links.reduce((largest, link) => Math.max(largest, link.weight), 1);
	let waiting = false;
	let latest = [];
	const strength = (weight) => 0.1 + 0.5 * Math.log1p(weight) / Math.log1p(most);

	/** marked: links that stand out; the others step back then. */
	function draw(marked) {
		if (!output.width)
			return;
		const context = prepare(canvas, output.width, HEIGHT);
		const colors = Object.fromEntries(PLACES.map(([key]) => [key, placeColor(key)]));
		const paint = (all, alpha) => {
			const seen = all.map((link) => [link, place(link, output, input)]).filter(([, ends]) => ends);
			for (const [link, ends] of seen.slice(-MOST)) {
				path(context, ...ends);
				context.globalAlpha = alpha(link);
				context.fillStyle = colors[link.place];
				context.fill();
			}
		};
		paint(links, (link) => strength(link.weight) * (marked.length ? 0.35 : 1));
		paint(marked, () => 0.9);
	}
	return {element, ask: (marked) => {
		latest = marked;
		if (waiting)
			return;
		waiting = true;
		requestAnimationFrame(() => {
			waiting = false;
			draw(latest);
		});
	}};
}
