// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Beside another profile: how much both have in common, what moved, and both heats.
import {code, el, redrawn} from '../base/dom.js';
import {readCells} from '../base/cells.js';
import {count, fileName, percent} from '../base/format.js';
import {empty, section} from '../base/section.js';
import {makePair} from './pair.js';

const SHOWN = 24; // movers; the others on demand
const KINDS = [['functions', 'Functions'], ['blocks', 'Blocks'], ['calls', 'Calls']];

function overlapCard(title, key, o) {
	if (!o)
		return null;
	const row = (label, value) => el('div', {}, el('dt', {}, label), el('dd', {}, count(value)));
	return el('article', {class: 'card', 'data-overlap': key},
		el('div', {class: 'card-head'}, el('h3', {}, title)),
		el('p', {class: 'big'}, el('span', {'data-value': o.percent}, percent(o.percent)), ' ', el('span', {class: 'unit'}, 'in common')),
		el('meter', {class: 'meter', min: 0, max: 100, value: o.percent, 'aria-label': `${title} in common, percent`}),
		el('dl', {class: 'small'}, row('in both', o.both), row('only in these samples', o.only_a), row('only in the other', o.only_b), row('hottest in both', o.hot_both)));
}

/** A bar to the right for what the other profile has more of, to the left for less. */
function mover([name, a, b], largest) {
	const bar = el('span', {class: `move ${b > a ? 'more' : 'less'}`, 'aria-hidden': 'true'});
	bar.style.width = `${50 * Math.abs(b - a) / largest}%`;
	return el('tr', {}, el('th', {scope: 'row'}, code(name)), el('td', {class: 'num'}, percent(a, 2)), el('td', {class: 'num'}, percent(b, 2)),
		el('td', {class: 'num'}, `${b > a ? '+' : '−'}${Math.abs(b - a).toFixed(2)}`), el('td', {class: 'moved'}, bar));
}

function moversTable(movers) {
	const moved = movers.filter(([, a, b]) => a !== b);
	if (!moved.length)
		return empty('No function has another share.');
	const largest = Math.max(...moved.map(([, a, b]) => Math.abs(b - a)));
	const body = el('tbody', {}, moved.slice(0, SHOWN).map((m) => mover(m, largest)));
	const more = moved.length > SHOWN ? el('button', {type: 'button', class: 'tool', onclick: () => {
		body.append(...moved.slice(SHOWN).map((m) => mover(m, largest)));
		more.remove();
	}}, `Show ${count(moved.length - SHOWN)} more`) : null;
	return el('div', {}, el('div', {class: 'wide'}, el('table', {class: 'movers'},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Function'), el('th', {scope: 'col', class: 'num'}, 'Here'), el('th', {scope: 'col', class: 'num'}, 'Other'),
			el('th', {scope: 'col', class: 'num'}, 'Points'), el('th', {scope: 'col'}, 'From here to the other'))), body)), more);
}

function heats(model) {
	const {heat} = model.overlap;
	if (!heat)
		return null;
	const [here, other] = [readCells(heat.this), readCells(heat.other)];
	if (!here || !other)
		return empty('One of the two profiles has no place in this binary.');
	const sections = (heat.at === 'input' ? model.heat.input_sections : null) ?? model.sections;
	const {element, draw} = makePair({here, other, sections});
	redrawn(element, draw);
	return el('div', {}, el('h3', {}, `Both heats, at addresses of the ${heat.at === 'input' ? 'input' : 'optimised binary'}`),
		el('p', {class: 'muted'}, '↑ these samples'), element, el('p', {class: 'muted'}, '↓ the other profile'));
}

export function againstPart(model) {
	const {overlap} = model;
	if (!overlap)
		return section('against', 'Against another profile', null, empty('There is nothing to compare with.', '--against=PROFILE shows what has changed since another one.'));
	return section('against', 'Against another profile', ['These samples beside ', code(fileName(overlap.b)), ': sums of the smaller shares.'],
		el('div', {class: 'cards three'}, KINDS.map(([key, title]) => overlapCard(title, key, overlap[key]))),
		el('h3', {}, 'What moved most'), moversTable(overlap.movers ?? []),
		heats(model));
}
