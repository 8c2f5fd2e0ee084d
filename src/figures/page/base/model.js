// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program wrote into the page, with names in place of columns.
import {readCells} from './cells.js';
import {setBase} from './format.js';

function objects(columns, rows) {
	return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
}

function readFunctions(data) {
	const listed = objects(data.columns, data.rows);
	listed.forEach((f, row) => {
		f.row = row;
		f.density = f.size && f.executed !== null ? f.executed / f.size : null;
		f.share = data.samples ? 100 * f.samples / data.samples : 0;
		f.hot_size = f.size - f.cold_size;
		f.key = `${f.name}\n${f.plain ?? ''}`.toLowerCase();
		f.fragments = f.fragments.map(([address, size, cold]) => ({address, size, cold: Boolean(cold)}));
	});
	return {...data, listed, listedCount: data.listed};
}

/** Blocks of functions, by the row of the function. */
function readCode(data) {
	const byRow = new Map();
	for (const f of data.functions)
		byRow.set(f.row, {
			...f,
			blocks: objects(data.block_columns, f.blocks),
			edges: objects(data.edge_columns, f.edges),
			calls: objects(data.call_columns, f.calls),
		});
	return {...data, byRow, listingOf: new Map(data.listings.map((one) => [one.row, one]))};
}

export function readModel(data) {
	setBase(data.base);
	return {
		...data,
		functions: readFunctions(data.functions),
		code: readCode(data.code),
		heat: {...data.heat, output: readCells(data.heat.output), input: readCells(data.heat.input)},
		plain: data.unit === 'samples',
		counted: data.unit === 'samples' ? 'samples' : 'branches', // what a function has counts of
		bolted: data.regions.some(([, , kind]) => kind === 'hot' || kind === 'cold' || kind === 'original'),
	};
}
