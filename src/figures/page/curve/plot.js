// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cumulative curve, drawn by uPlot.
import uPlot from 'uplot';
import {token} from '../base/colors.js';

const FONT = '11px Inter, system-ui, sans-serif';

/** Ticks at powers of ten, or of 1024 where a curve is of bytes. */
function splits(low, high, step) {
	const made = [];
	for (let n = step === 10 ? 1 : 64; n <= high * 1.0001; n *= step === 10 ? 10 : 16)
		if (n >= low)
			made.push(n);
	return made;
}

/** Lines from the axes to the curve where it reaches 50, 90 and 99 %. */
function drawMarks(u, marks) {
	const {ctx} = u;
	const {left, top, height} = u.bbox;
	ctx.save();
	ctx.strokeStyle = token('ink-3');
	ctx.lineWidth = devicePixelRatio || 1;
	ctx.setLineDash([3, 3]);
	for (const [share, n] of marks) {
		if (!n)
			continue;
		const x = Math.round(u.valToPos(n, 'x', true)) + 0.5;
		const y = Math.round(u.valToPos(share, 'y', true)) + 0.5;
		ctx.beginPath();
		ctx.moveTo(left, y);
		ctx.lineTo(x, y);
		ctx.lineTo(x, top + height);
		ctx.stroke();
	}
	ctx.restore();
}

/** how: {points: [[n, percent]], marks, width, height, ticks(n), looked(index or null)} */
export function drawCurve(stage, {points, marks, width, height, ticks, looked}) {
	const x = points.map(([n]) => n);
	const y = points.map(([, p]) => p);
	const last = x[x.length - 1];
	const isBytes = x[0] === 64;
	const axis = {font: FONT, stroke: token('ink-2'), ticks: {stroke: token('line'), width: 1, size: 4}, grid: {stroke: token('line'), width: 1}};
	const u = new uPlot({
		width, height, legend: {show: false}, padding: [8, 12, 0, 0],
		cursor: {y: false, drag: {x: false, y: false}, points: {size: 8, fill: token('accent')}},
		scales: {x: {time: false, distr: 3, log: 10, range: [x[0], Math.max(last, x[0] * 10)]}, y: {range: [0, 100]}},
		axes: [
			{...axis, size: 30, splits: (_, __, low, high) => splits(low, high, isBytes ? 16 : 10), filter: (_, all) => all, values: (_, all) => all.map(ticks)},
			{...axis, size: 46, splits: () => [0, 25, 50, 75, 100], values: (_, all) => all.map((p) => `${p} %`)},
		],
		series: [{}, {stroke: token('accent'), width: 2, fill: token('accent-wash'), points: {show: points.length === 1, size: 8, fill: token('accent')}}],
		hooks: {
			draw: [(plot) => drawMarks(plot, marks)],
			setCursor: [(plot) => looked(plot.cursor.left < 0 ? null : plot.cursor.idx ?? null)],
		},
	}, [x, y], stage);
	return {
		destroy: () => u.destroy(),
		cursor: (i) => u.setCursor({left: u.valToPos(x[i], 'x'), top: u.valToPos(y[i], 'y')}, false),
	};
}
