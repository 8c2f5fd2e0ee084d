// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a function in the order of the input: counts, where BOLT put them, where they lead.
import {code, el} from '../base/dom.js';
import {address, bytes, count, plural} from '../base/format.js';
import {placeWord} from '../base/colors.js';
import {arcs} from './arcs.js';

const SHOWN = 400; // rows; more are counted
const EDGES = 4; // of a block, the hottest

const offset = (start) => `+0x${start.toString(16)}`;

/** Neighbours that never ran become one row. */
function groups(blocks) {
	const made = [];
	blocks.forEach((block, index) => {
		const last = made[made.length - 1];
		if (block.count || block.in || block.out)
			made.push({block, index, blocks: [block]});
		else if (last && !last.block)
			last.blocks.push(block);
		else
			made.push({block: null, index, blocks: [block]});
	});
	return made;
}

/** What leads away from each block, the most frequent first. */
function leaving(all, key) {
	const found = new Map();
	for (const one of [...all].sort((a, b) => b.count - a.count)) {
		if (!found.has(one[key]))
			found.set(one[key], []);
		found.get(one[key]).push(one);
	}
	return (index) => found.get(index) ?? [];
}

function leadsTo(index, {edgesOf, callsOf, blocks}) {
	const made = edgesOf(index);
	const items = made.slice(0, EDGES).map((edge) => el('span', {class: 'edge'}, `${edge.to === index + 1 ? '↓' : edge.to <= index ? '↑' : '→'} ${offset(blocks[edge.to].start)} `, el('b', {}, count(edge.count))));
	if (made.length > EDGES)
		items.push(el('span', {class: 'edge muted'}, `${plural(made.length - EDGES, 'more edge')}`));
	for (const call of callsOf(index))
		items.push(el('span', {class: 'edge call'}, 'calls ', code(call.name), ' ', el('b', {}, count(call.count))));
	return items;
}

function source({file, line}, files) {
	if (file === null || file === undefined)
		return line ? `line ${line}` : null;
	return code(line ? `${files[file]}:${line}` : files[file]);
}

function ranRow({block, index}, known, {most, files, hasSource}) {
	const bar = el('span', {class: `count-bar place-${block.place}`, 'aria-hidden': 'true'});
	bar.style.width = `${100 * block.count / most}%`;
	return el('tr', {'data-block': index},
		el('th', {scope: 'row', class: 'num mono'}, offset(block.start)),
		el('td', {class: 'num'}, block.size === null ? '' : bytes(block.size)),
		el('td', {class: 'num counted'}, bar, el('span', {}, count(block.count))),
		el('td', {}, el('span', {class: 'kind'}, el('span', {class: `chip place-${block.place}`, 'aria-hidden': 'true'}), block.place === 'none' ? 'not in the output' : placeWord(block.place))),
		el('td', {class: 'num mono'}, block.address === null ? '' : address(block.address)),
		el('td', {class: 'edges'}, leadsTo(index, known)),
		hasSource ? el('td', {class: 'source'}, source(block, files)) : null);
}

function idleRow({blocks}, columns) {
	const first = blocks[0];
	const size = blocks.reduce((sum, block) => sum + (block.size ?? 0), 0);
	const cold = blocks.filter((block) => block.place === 'cold').length;
	const gone = blocks.filter((block) => block.place === 'none').length;
	const where = [cold ? `${count(cold)} cold` : null, gone ? `${count(gone)} not in the output` : null].filter(Boolean).join(', ');
	return el('tr', {class: 'idle'}, el('th', {scope: 'row', class: 'num mono'}, offset(first.start)),
		el('td', {colspan: columns - 1}, `${plural(blocks.length, 'block')} without a count, ${bytes(size)}${where ? `: ${where}` : ''}`));
}

export function blocksTable(f, given, {code: {files}, plain}) {
	const known = {...given, edgesOf: leaving(given.edges, 'from'), callsOf: leaving(given.calls, 'block')};
	const all = groups(known.blocks);
	const shown = all.slice(0, SHOWN);
	const hasSource = known.blocks.some((block) => block.file !== null || block.line !== null);
	const most = Math.max(1, ...known.blocks.map((block) => block.count));
	const columns = hasSource ? 7 : 6;
	const rows = shown.map((group) => (group.block ? ranRow(group, known, {most, files, hasSource}) : idleRow(group, columns)));
	const left = known.more_blocks + all.slice(SHOWN).reduce((sum, group) => sum + group.blocks.length, 0);
	const table = el('table', {class: 'blocks'},
		el('caption', {class: 'unseen'}, `Blocks of ${f.name}`),
		el('thead', {}, el('tr', {}, ['Input', 'Size', plain ? 'Samples' : 'Count', 'Now', 'At', plain ? '' : 'Leads to', hasSource ? 'Source' : null]
			.filter((text) => text !== null).map((text, i) => el('th', {scope: 'col', class: i === 3 || i > 4 ? null : 'num'}, text)))),
		el('tbody', {}, rows));
	const gutter = el('div', {class: 'gutter', 'aria-hidden': 'true'});
	const wrap = el('div', {class: 'blocks-wrap', tabindex: 0, role: 'group', 'aria-label': 'Blocks'}, gutter, table);
	new ResizeObserver(() => gutter.replaceChildren(arcs(table, known))).observe(table);
	return el('div', {}, wrap,
		left ? el('p', {class: 'note'}, `${plural(left, 'more block')} of this function did not fit into the page.`) : null,
		known.more_edges ? el('p', {class: 'note'}, `${plural(known.more_edges, 'more edge')} of this function did not fit into the page.`) : null);
}
