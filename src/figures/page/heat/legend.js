// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What colors mean: the scale of heat, and kinds of code.
import {el} from '../base/dom.js';
import {heatScale, PLACES} from '../base/colors.js';
import {ratio, short} from '../base/format.js';
import {prepare} from './draw.js';

const WIDE = 160;
const HIGH = 10;

export function makeLegend(model) {
	const canvas = el('canvas', {'aria-hidden': 'true'});
	const low = el('span', {class: 'num'});
	const high = el('span', {class: 'num'});
	const kinds = new Set(model.regions.map(([, , kind]) => kind));
	const element = el('div', {class: 'heat-legend'},
		el('div', {class: 'scale'}, el('span', {class: 'muted'}, model.plain ? 'samples in a block' : 'how often each byte ran'), low, canvas, high),
		el('ul', {class: 'legend'}, PLACES.filter(([key]) => kinds.has(key)).map(([key, word, text]) =>
			el('li', {title: text}, el('span', {class: `chip place-${key}`}), word))));

	function draw(shade) {
		const each = (value) => (model.plain ? short(value) : `${ratio(value / shade.cell)}×`);
		const context = prepare(canvas, WIDE, HIGH);
		const colors = heatScale();
		for (let x = 0; x < WIDE; x++) {
			context.fillStyle = colors(x / (WIDE - 1));
			context.fillRect(x, 0, 1, HIGH);
		}
		low.textContent = each(shade.low);
		high.textContent = each(shade.high);
	}
	return {element, draw};
}
