// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The line that says what is under the pointer or the cursor.
import {code, el} from '../base/dom.js';
import {valueAt} from '../base/cells.js';
import {placeWord} from '../base/colors.js';
import {address, bytes, percent, plural, ratio, short} from '../base/format.js';

const SHOWN = 2; // functions by name

function regionAt(regions, begin, end) {
	return regions.find((region) => region[0] < end && region[1] > begin)?.[2] ?? null;
}

/** The function with most samples first. */
function functionsIn(names, begin, end) {
	const found = new Map();
	for (const piece of names.within(begin, end))
		if (!found.has(piece.f))
			found.set(piece.f, piece);
	return [...found.values()].sort((a, b) => a.f.row - b.f.row);
}

function amount(value, block, model) {
	if (!value)
		return 'never seen to run';
	const {sum} = block.cells;
	const each = model.plain ? '' : `, each byte ${ratio(value / (block.end - block.begin))}× on average`;
	return `${short(value)} ${model.plain ? 'samples' : 'bytes run'} (${percent(100 * value / sum, 2)})${each}`;
}

export function makeReadout(model) {
	const element = el('div', {class: 'readout', role: 'status', 'aria-live': 'polite', id: 'heat-readout'});
	const hint = el('span', {class: 'muted'}, 'Point at a block, or move through them with the arrow keys.');
	element.append(hint);

	function show(track, block) {
		if (!block) {
			element.replaceChildren(hint);
			return;
		}
		const {begin, end, part} = block;
		const {cells} = track.level();
		const value = valueAt(cells, begin);
		const region = track.regions ? regionAt(track.regions, begin, end) : null;
		const found = functionsIn(track.names, begin, end);
		element.replaceChildren(
			el('span', {class: 'where'}, `${address(begin)} – ${address(end)}`),
			el('span', {}, code(part.name || 'no section'), region
				? el('span', {class: 'kind'}, el('span', {class: `chip place-${region}`}), placeWord(region)) : null),
			el('span', {class: 'who'}, found.length
				? [found.slice(0, SHOWN).map(({f, cold}, i) => [i ? ', ' : null, code(f.plain ?? f.name), cold ? ' (cold part)' : null]).flat(),
					found.length > SHOWN ? ` and ${plural(found.length - SHOWN, 'more')}` : null].flat()
				: el('span', {class: 'muted'}, 'no function with samples')),
			el('span', {class: 'much', 'data-value': value}, amount(value, {...block, cells}, model)),
			el('span', {class: 'muted'}, bytes(end - begin)));
	}
	return {element, show};
}
