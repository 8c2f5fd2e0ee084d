// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The blocks of a function in the order of the input: counts, where BOLT put them, where they lead.
// The program writes those that ran, and how many did not.
import {code, el} from '../base/dom.js';
import {address, bytes, count, plural} from '../base/format.js';
import {placeWord} from '../base/colors.js';
import {arcs, follows} from './arcs.js';
import {source} from './source.js';

const EDGES = 4; // of a block, the hottest

const offset = (start) => `+0x${start.toString(16)}`;

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
	const items = made.slice(0, EDGES).map((edge) => el('span', {class: 'edge'}, `${follows(blocks[index], blocks[edge.to]) ? '↓' : edge.to <= index ? '↑' : '→'} ${offset(blocks[edge.to].start)} `, el('b', {}, count(edge.count))));
	if (made.length > EDGES)
		items.push(el('span', {class: 'edge muted'}, `${plural(made.length - EDGES, 'more edge')}`));
	for (const call of callsOf(index))
		items.push(el('span', {class: 'edge call'}, 'calls ', code(call.name), ' ', el('b', {}, count(call.count))));
	return items;
}

/** The offset of a block; if its instructions are here, it leads to them. */
function place({start}, listed) {
	const text = offset(start);
	return listed.has(start) ? el('button', {type: 'button', class: 'to-listing', title: 'Its instructions', onclick: () => {
		document.querySelector(`[data-listing="${start}"]`)?.scrollIntoView({block: 'start'});
	}}, text) : text;
}

function row(block, index, known, {most, files, hasSource, listed}) {
	const bar = el('span', {class: `count-bar place-${block.place}`, 'aria-hidden': 'true'});
	bar.style.width = `${100 * block.count / most}%`;
	return el('tr', {'data-block': index},
		el('th', {scope: 'row', class: 'num mono'}, place(block, listed)),
		el('td', {class: 'num'}, block.size === null ? '' : bytes(block.size)),
		el('td', {class: 'num counted'}, bar, el('span', {}, count(block.count))),
		el('td', {}, el('span', {class: 'kind'}, el('span', {class: `chip place-${block.place}`, 'aria-hidden': 'true'}), block.place === 'none' ? 'not in the output' : placeWord(block.place))),
		el('td', {class: 'num mono'}, block.address === null ? '' : address(block.address)),
		el('td', {class: 'edges'}, leadsTo(index, known)),
		hasSource ? el('td', {class: 'source'}, source(block, files)) : null);
}

/** What the table does not list, and why. */
function leftOut(known, plain) {
	const {idle_blocks: idle, more_blocks: blocks, more_edges: edges} = known;
	const said = [idle ? `${plural(idle, 'other block')} of this function ${plain ? `${idle === 1 ? 'has' : 'have'} no sample` : 'did not run in these samples'}.` : null,
		blocks ? `${plural(blocks, 'more block')} ran, less often than those above; a page has at most ${count(known.blocks.length)} of a function.` : null,
		edges ? `${plural(edges, 'more edge')} between blocks, or from and to blocks that are not listed, ${edges === 1 ? 'is' : 'are'} left out.` : null];
	return said.filter(Boolean).join(' ');
}

export function blocksTable(f, given, {code: {files, listingOf}, plain}) {
	const known = {...given, edgesOf: leaving(given.edges, 'from'), callsOf: leaving(given.calls, 'block')};
	const hasSource = known.blocks.some((block) => block.file !== null || block.line !== null);
	const most = Math.max(1, ...known.blocks.map((block) => block.count));
	const listed = new Set((listingOf.get(f.row)?.blocks ?? []).map(([start]) => start));
	const rows = known.blocks.map((block, index) => row(block, index, known, {most, files, hasSource, listed}));
	const table = el('table', {class: 'blocks'},
		el('caption', {class: 'unseen'}, `Blocks of ${f.name}`),
		el('thead', {}, el('tr', {}, ['Input', 'Size', plain ? 'Samples' : 'Count', 'Now', 'At', plain ? '' : 'Leads to', hasSource ? 'Source' : null]
			.filter((text) => text !== null).map((text, i) => el('th', {scope: 'col', class: i === 3 || i > 4 ? null : 'num'}, text)))),
		el('tbody', {}, rows));
	const gutter = el('div', {class: 'gutter', 'aria-hidden': 'true'});
	const wrap = el('div', {class: 'blocks-wrap', tabindex: 0, role: 'group', 'aria-label': 'Blocks'}, gutter, table);
	new ResizeObserver(() => gutter.replaceChildren(arcs(table, known))).observe(table);
	return el('div', {}, wrap,
		el('p', {class: 'note', id: 'blocks-left'}, leftOut(known, plain)));
}
