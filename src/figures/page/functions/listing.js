// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of a function's hottest blocks: in the optimized binary, and beside that in the input.
import {code, el, visible} from '../base/dom.js';
import {address, count, percent, plural} from '../base/format.js';
import {source} from './source.js';

/** Packed as the program writes it (listing.h) -> [{at, text}, {source}, {more}] */
function* unpacked(packed, files) {
	let at = null;
	for (let i = 0; i < packed.length; i++) {
		const one = packed[i];
		if (Array.isArray(one) && one.length === 1)
			[at] = one;
		else if (Array.isArray(one))
			yield {source: `${files[one[0]]}:${one[1]}`};
		else if (typeof one === 'object')
			yield {more: one.more};
		else {
			yield {at, text: packed[++i]};
			at += one;
		}
	}
}

function line({at, text, source, more}) {
	if (source !== undefined)
		return el('div', {class: 'asm-source'}, code(source));
	if (more !== undefined)
		return el('div', {class: 'muted'}, `… and ${plural(more, 'more byte')}`);
	return el('div', {class: 'asm'}, el('span', {class: 'asm-at'}, address(at)), el('span', {class: 'asm-text'}, el('bdi', {}, visible(text))));
}

function side(packed, title, nothing, files) {
	return el('div', {class: 'asm-side', role: 'group', 'aria-label': title}, el('div', {class: 'asm-title'}, title), packed === null
		? el('div', {class: 'muted'}, nothing) : el('div', {class: 'asm-lines'}, [...unpacked(packed, files)].map(line)));
}

const offset = (start) => `+0x${start.toString(16)}`;

function block([start, output, input], blockAt, {bolted, plain, input: hasInput, code: {files}}) {
	const known = blockAt.get(start);
	const from = known ? source(known, files) : null;
	return el('section', {class: 'asm-block', 'data-listing': start, 'aria-label': `Block ${offset(start)}`},
		el('h4', {}, el('span', {class: 'mono'}, offset(start)), known ? el('span', {class: 'muted'}, plain ? plural(known.count, 'sample') : `ran ${plural(known.count, 'time')}`) : null, from),
		el('div', {class: 'asm-sides'},
			side(output, bolted ? 'Optimized binary' : 'Binary', 'No code of its own: llvm-bolt removed it, or joined it with another block.', files),
			hasInput && bolted ? side(input, 'Input', 'Not known: the input has no such function, or the end of the block is not known.', files) : null));
}

/** Why a function has no instructions here. */
function missing({code: {has_instructions: has, listings_of: of, all}}) {
	if (!has)
		return 'The instructions are not in this page: no libLLVM was found when it was made.';
	return `The instructions are not in this page: those of the hottest ${plural(of, 'function')} of ${count(all)} are; more did not fit.`;
}

function lead(found, plain) {
	const shown = found.blocks.length;
	return shown < found.ran ? `The ${count(shown)} hottest of ${plural(found.ran, 'block')} that ${plain ? 'have samples' : 'ran'}: these hold ${percent(found.percent)} of ${plain ? 'the samples' : 'the counts of its blocks'}.`
		: `All ${plural(shown, 'block')} that ${plain ? 'have samples' : 'ran'}.`;
}

export function listing(f, known, model) {
	const found = model.code.listingOf.get(f.row);
	if (!found)
		return el('p', {class: 'note', id: 'no-listing'}, missing(model));
	const blockAt = new Map(known.blocks.map((one) => [one.start, one]));
	return el('div', {class: 'listing', id: 'listing'},
		el('h3', {}, 'Instructions'), el('p', {class: 'muted'}, lead(found, model.plain)),
		found.blocks.map((one) => block(one, blockAt, model)));
}
