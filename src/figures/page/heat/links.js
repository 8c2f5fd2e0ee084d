// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same code in both binaries: where it is in the output, where it was in the input.
import {inputSize} from './names.js';

/** Of a function with blocks: neighbors that lie side by side in both are one. */
function blockLinks(f, {blocks}) {
	const made = [];
	blocks.forEach((block, i) => {
		if (block.address === null || block.place === 'none')
			return;
		const size = block.size ?? 1;
		const last = made[made.length - 1];
		const link = {out: block.address, outEnd: block.address + size, in: f.input + block.start, inEnd: f.input + block.start + size,
			f, place: f.place === 'hot' ? block.place : f.place, weight: block.count};
		if (last && made.lastBlock === i - 1 && last.place === link.place && Math.abs(last.outEnd - link.out) < 16) {
			last.outEnd = link.outEnd;
			last.inEnd = link.inEnd;
			last.weight = Math.max(last.weight, link.weight);
		} else {
			made.push(link);
		}
		made.lastBlock = i;
	});
	return made;
}

/** Of others: each piece is given as much of the function as it has of its code. */
function pieceLinks(f, size) {
	let at = f.input;
	return f.fragments.map(({address, size: bytes, cold}) => {
		const share = f.size ? size * bytes / f.size : size;
		const link = {out: address, outEnd: address + bytes, in: at, inEnd: Math.min(at + share, f.input + size), f,
			place: cold ? 'cold' : f.place, weight: cold ? 0 : f.samples};
		at += share;
		return link;
	});
}

/** All links, the coldest first, as the hottest are drawn last. */
export function makeLinks({functions, code}) {
	const links = functions.listed.filter((f) => f.input !== null).flatMap((f) => {
		const blocks = code.byRow.get(f.row);
		return blocks?.blocks.length ? blockLinks(f, blocks) : pieceLinks(f, inputSize(f, code));
	});
	return links.sort((a, b) => a.weight - b.weight);
}

/** The links of a side ('out', 'in') that reach [begin, end). */
export function linksAt(links, side, begin, end) {
	return links.filter((link) => link[side] < end && link[`${side}End`] > begin);
}
