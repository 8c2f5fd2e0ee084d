// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of the table of functions.
import {bytes, count, percent, ratio} from '../base/format.js';

/** key, title, what it is, text of a function; up: sorts upwards at first.  plain: are there plain samples, else branches? */
const columns = (plain) => [
	{key: 'name', title: 'Function', about: 'name in the profile', of: (f) => f.plain ?? f.name, up: true},
	{key: 'samples', title: plain ? 'Samples' : 'Branches', about: plain ? 'samples in it' : 'counts of the branches in it, taken or not', show: (f) => count(f.samples)},
	{key: 'share', title: 'Share', about: `of all ${plain ? 'samples' : 'branches'}`, show: (f) => percent(f.share, 2)},
	{key: 'density', title: 'Density', about: 'bytes that ran, over bytes of its code', show: (f) => ratio(f.density)},
	{key: 'hot_size', title: 'Bytes hot', about: 'of its code, without cold parts', show: (f) => bytes(f.hot_size)},
	{key: 'cold_size', title: 'Bytes cold', about: 'of its cold parts', show: (f) => (f.cold_size ? bytes(f.cold_size) : '–')},
	{key: 'lost_percent', title: 'Unreached', about: 'counts in blocks that no counted branch reaches', show: (f) => percent(f.lost_percent)},
	{key: 'call_gap_percent', title: 'Call gap', about: 'between its executions and the counts of its callers', show: (f) => percent(f.call_gap_percent)},
	{key: 'flow_gap_percent', title: 'Flow gap', about: 'between what enters and leaves its blocks, weighted', show: (f) => percent(f.flow_gap_percent)},
	{key: 'worst_gap_percent', title: 'Worst gap', about: 'the same, of its worst hot block', show: (f) => percent(f.worst_gap_percent)},
];

const valueOf = (column, f) => (column.of ? column.of(f).toLowerCase() : f[column.key]);

/** Sorted; what is not known stands last either way, equals stay in the order of their counts. */
export function sorted(functions, column, up) {
	const sign = up ? 1 : -1;
	return [...functions].sort((a, b) => {
		const [x, y] = [valueOf(column, a), valueOf(column, b)];
		if (x === null || y === null)
			return (x === null) - (y === null) || a.row - b.row;
		return x < y ? -sign : x > y ? sign : a.row - b.row;
	});
}

/** Columns of which something is known. */
export function knownColumns(functions, plain) {
	return columns(plain).filter(({key, of}) => of || functions.some((f) => f[key] !== null && f[key] !== undefined));
}
