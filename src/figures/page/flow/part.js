// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where samples went: of samples, branches and fall-throughs each, from what was read to what was kept and to every reason.
import {el, redrawn} from '../base/dom.js';
import {empty, section} from '../base/section.js';
import {count, percent} from '../base/format.js';
import {drawFlow} from './diagram.js';

/** One ledger, with words: read = kept + the sum of dropped. */
function readLedger(kind, {quality, words}) {
	const ledger = quality.kept?.[kind];
	if (!ledger?.read)
		return null;
	const text = words[kind] ?? {};
	return {
		kind,
		title: text.title ?? kind,
		read: ledger.read,
		kept: {key: 'kept', text: text.kept ?? 'kept', count: ledger.kept, kind: 'kept'},
		dropped: ledger.dropped.map(({reason, count: n, loss}) => ({key: reason, text: text.reasons?.[reason] ?? reason, count: n, kind: loss ? 'warning' : 'fine'})),
	};
}

function table(ledger) {
	const row = (end) => el('tr', {'data-reason': end.key}, el('th', {scope: 'row'}, end.text), el('td', {}, count(end.count)),
		el('td', {}, percent(100 * end.count / ledger.read)));
	return el('table', {class: 'unseen'}, el('caption', {}, `${ledger.title}: ${count(ledger.read)} read`),
		el('tbody', {}, row(ledger.kept), ledger.dropped.map(row)));
}

function diagram(ledger) {
	const picture = el('div', {class: 'flow-picture'});
	redrawn(picture, (width) => picture.replaceChildren(drawFlow(ledger, width)));
	return el('figure', {class: 'flow', 'data-ledger': ledger.kind},
		el('figcaption', {}, el('h3', {}, ledger.title), el('span', {class: 'muted'}, `${count(ledger.read)} read`)),
		picture, table(ledger));
}

function legend() {
	return el('ul', {class: 'legend'},
		el('li', {}, el('span', {class: 'chip flow-kept'}), 'kept'),
		el('li', {}, el('span', {class: 'chip flow-fine'}), 'left out for a good reason'),
		el('li', {}, el('span', {class: 'chip flow-warning'}), '▲ lost'));
}

export function flowPart(model) {
	const ledgers = ['samples', 'branches', 'traces'].map((kind) => readLedger(kind, model)).filter(Boolean);
	const lead = 'All that was read, and what became of it: nothing is dropped without a reason.';
	return section('flow', 'Where samples went', lead, ledgers.length
		? [el('div', {class: 'flows'}, ledgers.map(diagram)), legend()]
		: empty('Nothing was read.', 'The recording has no sample.'));
}
