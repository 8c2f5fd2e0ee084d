// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chosen function: its figures, and its blocks.
import {code, el} from '../base/dom.js';
import {address, bytes, count, percent, plural, ratio} from '../base/format.js';
import {placeWord} from '../base/colors.js';
import {empty} from '../base/section.js';
import {blocksTable} from './blocks.js';
import {linkTo} from './link.js';
import {listing} from './listing.js';

function fact(label, value) {
	return el('div', {class: 'fact'}, el('dt', {}, label), el('dd', {}, value));
}

function facts(f, counted) {
	const made = [
		fact(counted, `${count(f.samples)} (${percent(f.share, 2)})`),
		fact('density', ratio(f.density)),
		fact('code', f.cold_size ? `${bytes(f.hot_size)} + ${bytes(f.cold_size)} cold` : bytes(f.size)),
		fact('kind', placeWord(f.place)),
	];
	f.fragments.forEach((piece) => made.push(fact(piece.cold ? 'cold part at' : 'at', address(piece.address))));
	if (f.input !== null)
		made.push(fact('in the input at', address(f.input)));
	for (const [label, key] of [['unreached', 'lost_percent'], ['call gap', 'call_gap_percent'], ['flow gap', 'flow_gap_percent'], ['worst gap', 'worst_gap_percent']])
		if (f[key] !== null)
			made.push(fact(label, percent(f[key])));
	return el('dl', {class: 'facts'}, made);
}

function title(f, heat) {
	return el('div', {class: 'detail-head'},
		el('div', {}, el('h3', {id: 'detail-title'}, code(f.plain ?? f.name)), f.plain ? el('p', {class: 'muted'}, code(f.name)) : null),
		el('div', {class: 'tools'}, el('a', {class: 'tool', href: linkTo(f), id: 'function-link'}, 'Link to this function'),
			heat ? el('a', {class: 'tool', href: '#heat'}, 'See it in the heat') : null));
}

export function makeDetail(model, chosen) {
	const element = el('div', {class: 'detail', id: 'detail', role: 'region', 'aria-live': 'polite', 'aria-label': 'The chosen function'});

	function draw(f) {
		if (!f) {
			element.replaceChildren(empty('No function is chosen.', 'Click a row, or press Enter on it.'));
			return;
		}
		const known = model.code.byRow.get(f.row);
		element.replaceChildren(title(f, model.heat.output), facts(f, model.counted), ...known?.blocks.length
			? [blocksTable(f, known, model), listing(f, known, model)]
			: [empty('Its blocks are not in this page.', model.code.listed
				? `Blocks of the hottest ${plural(model.code.listed, 'function')} of ${count(model.code.all)} are: more did not fit.` : 'No blocks are known.')]);
	}
	chosen.listen(draw);
	draw(null);
	return element;
}
