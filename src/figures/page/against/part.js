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

/** From the other profile to this one: a bar to the right for a share that has grown, to the left for one that has shrunk. */
function mover([name, here, other], largest) {
	const grown = here - other;
	const bar = el('span', {class: `move ${grown > 0 ? 'more' : 'less'}`, 'aria-hidden': 'true'});
	bar.style.width = `${50 * Math.abs(grown) / largest}%`;
	return el('tr', {}, el('th', {scope: 'row'}, code(name)), el('td', {class: 'num'}, percent(other, 2)), el('td', {class: 'num'}, percent(here, 2)),
		el('td', {class: 'num'}, `${grown > 0 ? '+' : '−'}${Math.abs(grown).toFixed(2)}`), el('td', {class: 'moved'}, bar));
}

function moversTable(movers) {
	const moved = movers.filter(([, here, other]) => here !== other);
	if (!moved.length)
		return empty('No function has another share.');
	const largest = Math.max(...moved.map(([, here, other]) => Math.abs(here - other)));
	const body = el('tbody', {}, moved.slice(0, SHOWN).map((m) => mover(m, largest)));
	const more = moved.length > SHOWN ? el('button', {type: 'button', class: 'tool', onclick: () => {
		body.append(...moved.slice(SHOWN).map((m) => mover(m, largest)));
		more.remove();
	}}, `Show ${count(moved.length - SHOWN)} more`) : null;
	return el('div', {}, el('div', {class: 'wide'}, el('table', {class: 'movers'},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Function'), el('th', {scope: 'col', class: 'num'}, 'Other'), el('th', {scope: 'col', class: 'num'}, 'Here'),
			el('th', {scope: 'col', class: 'num'}, 'Change'), el('th', {scope: 'col'}, 'Shrunk, or grown, since the other profile'))), body)), more);
}

function heats(model) {
	const {heat} = model.overlap;
	if (!heat)
		return null;
	const [here, other] = [readCells(heat.this), readCells(heat.other)];
	if (!here || !other)
		return empty('One of the two profiles has no code in this binary.');
	const sections = (heat.at === 'input' ? model.heat.input_sections : null) ?? model.sections;
	const {element, draw} = makePair({here, other, sections});
	redrawn(element, draw);
	return el('div', {}, el('h3', {}, `Both heats, at addresses of the ${heat.at === 'input' ? 'input' : 'optimized binary'}`),
		el('p', {class: 'muted'}, '↑ these samples'), element, el('p', {class: 'muted'}, '↓ the other profile'));
}

export function againstPart(model) {
	const {overlap} = model;
	if (!overlap)
		return section('against', 'Against another profile', null, empty('There is nothing to compare with.', '--against=PROFILE shows what has changed since another one.'));
	return section('against', 'Against another profile', ['These samples compared with ', code(fileName(overlap.b)), ': sums of the smaller shares.'],
		el('div', {class: 'cards three'}, KINDS.map(([key, title]) => overlapCard(title, key, overlap[key]))),
		el('h3', {}, 'What moved most'), moversTable(overlap.movers ?? []),
		heats(model));
}
