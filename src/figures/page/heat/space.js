// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses side by side: the parts of a binary without what lies between them, from 0 to 1.  A part is the wider the larger it
// is and the more of the heat it has, each by its square root, so that little hot code can be seen beside much cold code.  Within
// a part addresses are even.
import {firstBehind} from '../base/cells.js';

const FAR = 1 << 20; // bytes between cells outside of all sections that make two parts of them

/** Sections in order, each from the end of the one before it. */
function apart(sections) {
	const made = [];
	let end = 0;
	for (const section of [...sections].sort((a, b) => a.begin - b.begin)) {
		const begin = Math.max(section.begin, end);
		if (section.end > begin)
			made.push({name: section.name, begin, end: section.end});
		end = Math.max(end, section.end);
	}
	return made;
}

/** Parts without a name for cells that are in no section. */
function outside(sections, cells) {
	const made = [];
	let next = 0;
	for (const at of cells ? cells.at : []) {
		while (next < sections.length && sections[next].end <= at)
			next++;
		if (next < sections.length && at + cells.cell > sections[next].begin)
			continue;
		const last = made[made.length - 1];
		const fenced = next > 0 && last && sections[next - 1].begin >= last.end;
		if (last && !fenced && at - last.end < FAR)
			last.end = at + cells.cell;
		else
			made.push({name: '', begin: at, end: at + cells.cell});
	}
	return made;
}

/** The heat of each part. */
function heats(parts, cells) {
	const sums = parts.map(() => 0);
	let i = 0;
	cells?.at.forEach((at, cell) => {
		while (i < parts.length - 1 && parts[i].end <= at)
			i++;
		sums[i] += cells.value?.[cell] ?? 0;
	});
	return sums;
}

/** Each as a share of all of them. */
function shares(values) {
	const all = values.reduce((sum, v) => sum + v, 0);
	return values.map((v) => (all ? v / all : 0));
}

export function makeSpace(sections, cells) {
	const named = apart(sections);
	const parts = [...named, ...outside(named, cells)].sort((a, b) => a.begin - b.begin);
	const sizes = shares(parts.map((part) => part.end - part.begin));
	const hot = shares(heats(parts, cells));
	const widths = parts.map((_, i) => Math.sqrt(sizes[i]) + Math.sqrt(hot[i]));
	const all = widths.reduce((sum, w) => sum + w, 0);
	let from = 0;
	parts.forEach((part, i) => {
		part.from = from;
		from = i === parts.length - 1 ? 1 : from + widths[i] / all;
		part.to = from;
	});

	/** The first part that ends behind an address; behind all of them the last. */
	const partOf = (address) => parts.find((part) => address < part.end) ?? parts[parts.length - 1];
	const toUnit = (address) => {
		const part = partOf(address);
		const share = (address - part.begin) / (part.end - part.begin);
		return part.from + Math.max(0, Math.min(1, share)) * (part.to - part.from);
	};
	const toAddress = (unit) => {
		const part = parts.find((p) => unit < p.to) ?? parts[parts.length - 1];
		return Math.floor(part.begin + (unit - part.from) / (part.to - part.from) * (part.end - part.begin));
	};
	return {parts, partOf, toUnit, toAddress};
}

/** How many bytes a pixel has, in the middle of all parts that can be seen: of each by its width. */
export function bytesOfPixel(space, from, to, width) {
	let sum = 0;
	for (const part of space.parts) {
		const seen = Math.min(to, part.to) - Math.max(from, part.from);
		if (seen > 0)
			sum += seen / (to - from) * Math.log((part.end - part.begin) / ((part.to - part.from) / (to - from) * width));
	}
	return Math.exp(sum);
}

/** How many bytes lie between two places. */
export function bytesWithin(space, from, to) {
	return space.parts.reduce((sum, part) => {
		const low = Math.max(from, part.from);
		const high = Math.min(to, part.to);
		return high > low ? sum + (high - low) / (part.to - part.from) * (part.end - part.begin) : sum;
	}, 0);
}

/** The indices of the cells that can be seen: [first, behind the last]. */
export function cellsWithin(space, cells, from, to) {
	const first = firstBehind(cells, space.toAddress(from));
	const end = space.toAddress(to);
	let last = first;
	while (last < cells.at.length && cells.at[last] <= end)
		last++;
	return [first, last];
}
