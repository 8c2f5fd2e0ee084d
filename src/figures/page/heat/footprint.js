// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many cache lines and pages the executed code lies in: in the input, and as BOLT laid it out.
import {el} from '../base/dom.js';
import {bytes, count, percent} from '../base/format.js';

const WORDS = {64: 'cache lines', 4096: 'pages', 2097152: 'large pages'};

function change(before, after) {
	if (!before)
		return '';
	const grown = 100 * (after - before) / before;
	return `${grown > 0 ? '+' : grown < 0 ? '−' : ''}${percent(Math.abs(grown), 0)}`;
}

function row({unit, input, output}, key) {
	return el('tr', {'data-footprint': `${unit} ${key}`}, el('th', {scope: 'row'}, `${WORDS[unit] ?? 'blocks'} of ${bytes(unit)}`),
		input ? el('td', {class: 'num'}, count(input[key])) : null, el('td', {class: 'num'}, count(output[key])),
		input ? el('td', {class: 'num'}, change(input[key], output[key])) : null);
}

function table(footprint, key, caption, bolted) {
	const both = footprint.some(({input}) => input);
	const heads = ['', both ? 'in the input' : null, bolted ? 'after BOLT' : 'in the binary', both ? 'change' : null];
	return el('table', {class: 'footprint'}, el('caption', {}, caption),
		el('thead', {}, el('tr', {}, heads.filter((head) => head !== null).map((head) => el('th', {scope: 'col', class: head ? 'num' : null}, head)))),
		el('tbody', {}, footprint.map((one) => row(one, key))));
}

export function footprintTables({heat: {footprint}, bolted, plain}) {
	return [
		el('h3', {}, 'Cache lines and pages'),
		el('p', {class: 'lead'}, plain
			? 'In how many lines of the instruction cache and pages a sample was taken. The fewer hold nearly all of them, the fewer misses of the cache and of the iTLB.'
			: 'In how many lines of the instruction cache and pages code ran. The fewer hold nearly all of it, the fewer misses of the cache and of the iTLB.'),
		el('div', {class: 'footprints'}, table(footprint, 'held', plain ? 'hold 99 % of the samples' : 'hold 99 % of the executed code', bolted), table(footprint, 'all', plain ? 'have a sample' : 'were touched', bolted)),
	];
}
