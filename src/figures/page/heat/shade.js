// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How hot a value is, from 0 to 1: by the logarithm, over at most five decades below the largest.

export function makeShade(cells) {
	const {max, value} = cells;
	let min = max;
	for (const v of value)
		if (v > 0 && v < min)
			min = v;
	const range = Math.max(10, Math.min(1e5, max / min));
	const shade = (v) => (v > 0 ? Math.max(0, 1 + Math.log(v / max) / Math.log(range)) : 0);
	shade.low = max / range;
	shade.high = max;
	shade.cell = cells.cell;
	return shade;
}
