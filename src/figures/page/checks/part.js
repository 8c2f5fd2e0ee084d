// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What batconv verify finds in the optimized binary: how many of each kind, where, and what to do.
import {code, el} from '../base/dom.js';
import {count, NONE, plural} from '../base/format.js';
import {empty, section} from '../base/section.js';

const LOOKS = {error: 'bad', warning: 'warning', note: 'good'};
const SHOWN = 10; // findings of a kind; the others on demand

function row([, name, address, text]) {
	return el('tr', {}, el('th', {scope: 'row'}, name ? code(name) : NONE), el('td', {class: 'num'}, address ? code(address) : NONE), el('td', {}, text));
}

function table(findings) {
	const body = el('tbody', {}, findings.slice(0, SHOWN).map(row));
	const more = findings.length > SHOWN ? el('button', {type: 'button', class: 'tool', onclick: () => {
		body.append(...findings.slice(SHOWN).map(row));
		more.remove();
	}}, `Show ${count(findings.length - SHOWN)} more`) : null;
	return el('div', {}, el('div', {class: 'wide'}, el('table', {class: 'checks'},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Function'), el('th', {scope: 'col', class: 'num'}, 'Address'), el('th', {scope: 'col'}, 'What exactly'))), body)), more);
}

function kind({id, severity, what, remedy, count: all}, findings) {
	const left = all - findings.length;
	return el('article', {class: `card ${LOOKS[severity]}`, 'data-finding': id},
		el('div', {class: 'card-head'}, el('h3', {}, code(id)), el('span', {class: `badge ${LOOKS[severity]}`}, severity)),
		el('p', {class: 'big'}, el('span', {'data-value': all}, count(all)), ' ', el('span', {class: 'unit'}, all === 1 ? 'finding' : 'findings')),
		el('p', {class: 'sentence'}, `${what}.`), el('p', {class: 'muted'}, remedy),
		findings.length ? table(findings) : null,
		left ? el('p', {class: 'muted'}, `${count(left)} more ${left === 1 ? 'is' : 'are'} not in this page.`) : null);
}

export function checksPart({verify}) {
	if (!verify)
		return section('checks', 'Checks', null, empty('The binary was not checked.', '--verify names what batconv verify finds in it.'));
	const sums = [plural(verify.errors, 'error'), plural(verify.warnings, 'warning'), plural(verify.notes, 'note')].join(', ');
	const lead = `What batconv verify ${verify.unwound ? '--unwind ' : ''}${verify.lined ? '--dwarf ' : ''}finds in the optimized binary: ${sums}.`;
	return section('checks', 'Checks', [lead, verify.unwound ? null : ' Unwinding is compared only with the input.'],
		verify.kinds.length ? el('div', {class: 'checked'}, verify.kinds.map((k) => kind(k, verify.findings.filter(([id]) => id === k.id))))
			: empty('Nothing.'));
}
