// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jumps between the rows of blocks, as arcs beside them: as thick as their count, longer ones farther out.
import {svg} from '../base/dom.js';

const WIDE = 56; // px
const MOST = 200; // arcs, the hottest

/** Does a block begin where another one ends? */
export const follows = (block, next) => block.size !== null && block.start + block.size === next.start;

/** The middle of each block's row, by its index. */
function middles(table) {
	const top = table.getBoundingClientRect().top;
	const found = new Map();
	for (const row of table.querySelectorAll('tr[data-block]')) {
		const box = row.getBoundingClientRect();
		found.set(Number(row.dataset.block), box.top - top + box.height / 2);
	}
	return found;
}

export function arcs(table, {edges, blocks}) {
	const at = middles(table);
	const height = table.offsetHeight;
	const drawn = edges.filter(({from, to}) => from !== to && !(to === from + 1 && follows(blocks[from], blocks[to])) && at.has(from) && at.has(to)).sort((a, b) => b.count - a.count).slice(0, MOST);
	const most = Math.max(1, ...drawn.map((edge) => edge.count));
	const far = Math.max(1, ...drawn.map(({from, to}) => Math.abs(at.get(to) - at.get(from))));
	return svg('svg', {width: WIDE, height, viewBox: `0 0 ${WIDE} ${height}`}, drawn.reverse().flatMap(({from, to, count}) => {
		const [y, z] = [at.get(from) + 3, at.get(to) - 3];
		const out = WIDE - 8 - (WIDE - 14) * Math.sqrt(Math.abs(z - y) / far);
		const thick = 0.8 + 2.4 * Math.sqrt(count / most);
		return [
			svg('path', {class: `arc${z < y ? ' back' : ''}`, 'stroke-width': thick.toFixed(2), d: `M${WIDE - 1} ${y}C${out} ${y} ${out} ${z} ${WIDE - 5} ${z}`}),
			svg('path', {class: `arc-head${z < y ? ' back' : ''}`, d: `M${WIDE} ${z}l-6 -3v6z`}),
		];
	}));
}
