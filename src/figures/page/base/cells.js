// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat: values of cells of a power of two bytes, by address.  Only cells with a value are kept.

function* numbers(base64) {
	const packed = atob(base64);
	let value = 0;
	let weight = 1;
	for (let i = 0; i < packed.length; i++) {
		const byte = packed.charCodeAt(i);
		value += (byte & 127) * weight; // in floating point: 64 bits of it do not fit into shifts
		weight *= 128;
		if (byte < 128) {
			yield value;
			value = 0;
			weight = 1;
		}
	}
}

/** {cell, at: addresses of cells, ascending, value, sum, max}; null if there is nothing. */
export function readCells(packed) {
	if (!packed || !packed.cells)
		return null;
	const at = new Float64Array(packed.cells);
	const value = new Float64Array(packed.cells);
	const next = numbers(packed.data);
	let cursor = packed.begin / packed.cell;
	for (let i = 0; i < packed.cells;) {
		const gap = next.next().value;
		const run = gap % 2 ? next.next().value : 1;
		const each = next.next().value;
		cursor += Math.floor(gap / 2);
		for (const end = i + run; i < end; i++) {
			at[i] = cursor++ * packed.cell;
			value[i] = each;
		}
	}
	return {cell: packed.cell, wanted: packed.wanted, at, value, sum: packed.sum, max: packed.max};
}

/** The same in blocks of a larger power of two. */
export function coarser(cells, size) {
	if (size <= cells.cell)
		return cells;
	const at = new Float64Array(cells.at.length);
	const value = new Float64Array(cells.at.length);
	let blocks = 0;
	for (let i = 0; i < cells.at.length; i++) {
		const begin = Math.floor(cells.at[i] / size) * size;
		if (!blocks || at[blocks - 1] !== begin)
			at[blocks++] = begin;
		value[blocks - 1] += cells.value[i];
	}
	const made = {cell: size, wanted: cells.wanted, at: at.slice(0, blocks), value: value.slice(0, blocks), sum: cells.sum};
	made.max = made.value.reduce((most, v) => Math.max(most, v), 0);
	return made;
}

/** The index of the first cell that ends behind an address. */
export function firstBehind(cells, address) {
	let low = 0;
	let high = cells.at.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (cells.at[middle] + cells.cell > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/** The value of the cell that has an address; 0 if it has none. */
export function valueAt(cells, address) {
	const i = firstBehind(cells, address);
	return i < cells.at.length && cells.at[i] <= address ? cells.value[i] : 0;
}
