// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of a space can be seen, as [from, to] of 0 to 1.

const CELLS_LEAST = 12; // cells across, when it is as near as can be

export function makeView(space, cell, changed) {
	const view = {from: 0, to: 1};

	/** How wide the view is at least, at a place. */
	const least = (unit) => {
		const part = space.partOf(space.toAddress(unit));
		return Math.min(1, CELLS_LEAST * cell / (part.end - part.begin) * (part.to - part.from));
	};
	view.set = (from, to) => {
		const middle = (from + to) / 2;
		const width = Math.min(1, Math.max(to - from, least(middle)));
		view.from = Math.max(0, Math.min(1 - width, middle - width / 2));
		view.to = view.from + width;
		changed();
	};
	/** Nearer (factor below 1) or farther, where the unit `around` stays in its place. */
	view.zoom = (factor, around = (view.from + view.to) / 2) => {
		const width = Math.min(1, Math.max((view.to - view.from) * factor, least(around)));
		const share = (around - view.from) / (view.to - view.from);
		const from = Math.max(0, Math.min(1 - width, around - share * width));
		view.from = from;
		view.to = from + width;
		changed();
	};
	view.pan = (by) => {
		const width = view.to - view.from;
		view.from = Math.max(0, Math.min(1 - width, view.from + by * width));
		view.to = view.from + width;
		changed();
	};
	view.whole = () => view.set(0, 1);
	/** Shows addresses, with a little on both sides. */
	view.show = (begin, end) => {
		const [from, to] = [space.toUnit(begin), space.toUnit(end)];
		const margin = Math.max((to - from) * 0.25, least((from + to) / 2) / 2);
		view.set(from - margin, to + margin);
	};
	view.isWhole = () => view.to - view.from > 0.9999;
	return view;
}
