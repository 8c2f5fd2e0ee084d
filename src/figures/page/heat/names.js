// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies where: pieces of functions by address.

/** Pieces by address: {begin, end, f, cold}; at(address), within(begin, end). */
function byAddress(pieces) {
	let reached = 0; // a piece within another one has that one's name: so ends ascend, too
	pieces = pieces.sort((a, b) => a.begin - b.begin || b.end - a.end).filter(({end}) => end > reached && (reached = end));
	const firstBehind = (address) => {
		let low = 0;
		let high = pieces.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (pieces[middle].end > address)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	};
	const within = (begin, end) => {
		const found = [];
		for (let i = firstBehind(begin); i < pieces.length && pieces[i].begin < end; i++)
			if (pieces[i].end > begin)
				found.push(pieces[i]);
		return found;
	};
	return {within, at: (address) => within(address, address + 1)[0] ?? null};
}

export function outputNames(functions) {
	return byAddress(functions.listed.flatMap((f) => f.fragments.filter(({size}) => size)
		.map(({address, size, cold}) => ({begin: address, end: address + size, f, cold}))));
}

/** How long a function is in the input: as its blocks say where that is not known, or about as long as its code is in the output. */
export function inputSize(f, code) {
	if (f.input_size)
		return f.input_size;
	const blocks = code.byRow.get(f.row)?.blocks;
	const last = blocks?.[blocks.length - 1];
	return Math.max(last ? last.start + (last.size ?? 1) : 0, f.size, 1);
}

export function inputNames(functions, code) {
	const placed = functions.listed.filter((f) => f.input !== null).sort((a, b) => a.input - b.input);
	return byAddress(placed.map((f, i) => {
		const next = placed[i + 1]?.input ?? Infinity;
		return {begin: f.input, end: Math.min(f.input + inputSize(f, code), next > f.input ? next : Infinity), f, cold: false};
	}));
}
