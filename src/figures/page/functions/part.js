// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions: a table to sort and to search, and the blocks of the chosen one.
import {el} from '../base/dom.js';
import {count, percent, plural} from '../base/format.js';
import {empty, section} from '../base/section.js';
import {knownColumns, sorted} from './columns.js';
import {makeDetail} from './detail.js';
import {makeTable} from './table.js';

function unlisted({all, listedCount, samples, samples_listed: listed}, counted) {
	if (listedCount >= all)
		return null;
	return el('p', {class: 'note'}, `Listed are the hottest ${count(listedCount)} of ${plural(all, 'function')}, with ${percent(samples ? 100 * listed / samples : 0)} of all ${counted}; the others did not fit into the page.`);
}

function makePicker(model, chosen) {
	const {functions} = model;
	const columns = knownColumns(functions.listed, model.plain);
	let order = {column: columns.find(({key}) => key === 'samples'), up: false};
	const found = el('span', {class: 'muted', role: 'status', id: 'functions-found'});
	const search = el('input', {type: 'search', id: 'functions-search', placeholder: 'Part of a name', autocomplete: 'off', spellcheck: 'false', oninput: () => refresh()});
	const table = makeTable({columns, pick: (f) => chosen.set(f, 'table'), sort: (column) => {
		order = {column, up: order.column === column ? !order.up : Boolean(column.up)};
		refresh();
	}});

	function refresh() {
		const part = search.value.trim().toLowerCase();
		const rows = sorted(part ? functions.listed.filter((f) => f.key.includes(part)) : functions.listed, order.column, order.up);
		table.order(order.column, order.up);
		table.show(rows);
		found.textContent = part ? `${count(rows.length)} of ${count(functions.listedCount)}` : plural(functions.listedCount, 'function');
	}
	refresh();
	search.addEventListener('keydown', (event) => {
		if (event.key === 'ArrowDown' || event.key === 'Enter') {
			event.preventDefault();
			table.element.focus();
		}
	});
	chosen.listen((f) => table.choose(f));
	return [
		el('div', {class: 'toolbar'}, el('label', {class: 'choice'}, 'Search ', search), found),
		table.element,
		unlisted(functions, model.counted),
	];
}

export function functionsPart(model, chosen) {
	const {functions} = model;
	if (!functions.listedCount)
		return section('functions', 'Functions', null, empty('No function has a sample.'));
	const lead = 'Choose a function to see its blocks in the input, where BOLT put them, and where it is in the heat above.';
	return section('functions', 'Functions', lead, makePicker(model, chosen), makeDetail(model, chosen));
}
