// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for people; the same words as batconv prints.

export const NONE = '–';

const known = (value) => value !== null && value !== undefined;

/** 175,670 */
export function count(n) {
	return known(n) ? String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',') : NONE;
}

/** 12.5 k, 3.1 M: for where there is little room. */
export function short(n) {
	for (const [unit, size] of [['T', 1e12], ['G', 1e9], ['M', 1e6], ['k', 1e3]])
		if (n >= size * 0.9995)
			return `${three(n / size)} ${unit}`;
	return n >= 100 || n === Math.round(n) ? count(n) : three(n);
}

function three(n) {
	return n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n >= 0.1 || n === 0 ? n.toFixed(2) : n.toPrecision(2);
}

/** 45.9 %; small ones keep a digit that says something. */
export function percent(p, digits = 1) {
	if (!known(p))
		return NONE;
	if (p > 0 && p < 10 ** -digits / 2)
		return `< ${(10 ** -digits).toFixed(digits)} %`;
	return `${p.toFixed(digits)} %`;
}

/** What is left of 100 %: never 100 %, unless it is all. */
export function rest(p, digits = 1) {
	if (known(p) && p > 0 && p < 10 ** -digits / 2)
		return `> ${(100 - 10 ** -digits).toFixed(digits)} %`;
	return percent(known(p) ? 100 - p : p, digits);
}

/** 58.8 KiB */
export function bytes(n) {
	if (!known(n))
		return NONE;
	for (const [unit, size] of [['GiB', 2 ** 30], ['MiB', 2 ** 20], ['KiB', 2 ** 10]])
		if (n >= size) {
			const value = n / size;
			return `${Number.isInteger(value) || value >= 1000 ? value.toFixed(0) : value.toFixed(1)} ${unit}`;
		}
	return `${count(n)} B`;
}

let base = 0n;

/** Addresses of a kernel do not fit into numbers here: they are told from a base on. */
export function setBase(text) {
	base = BigInt(text ?? 0);
}

/** 0x401a40 */
export function address(a) {
	return known(a) ? `0x${(base + BigInt(a)).toString(16)}` : NONE;
}

/** A density or another ratio: three digits that count. */
export function ratio(x) {
	return !known(x) ? NONE : x >= 1000 ? count(x) : three(x);
}

export function plural(n, one, many = `${one}s`) {
	return `${count(n)} ${n === 1 ? one : many}`;
}

/** The last part of a path. */
export function fileName(path) {
	return path.slice(path.lastIndexOf('/') + 1) || path;
}
