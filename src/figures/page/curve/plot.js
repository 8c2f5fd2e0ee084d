// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cumulative curve, and ratios by round, drawn by uPlot.
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

/** Dashed lines, each through points of the canvas. */
function dashed({ctx}, lines) {
	ctx.save();
	ctx.strokeStyle = token('ink-3');
	ctx.lineWidth = devicePixelRatio || 1;
	ctx.setLineDash([3, 3]);
	for (const points of lines) {
		ctx.beginPath();
		for (const [x, y] of points)
			ctx.lineTo(x, y);
		ctx.stroke();
	}
	ctx.restore();
}

const pixel = (u, value, scale) => Math.round(u.valToPos(value, scale, true)) + 0.5;

/** Lines from the axes to the curve where it reaches 50, 90 and 99 %. */
function drawMarks(u, marks) {
	const {left, top, height} = u.bbox;
	dashed(u, marks.filter(([, n]) => n).map(([share, n]) => {
		const [x, y] = [pixel(u, n, 'x'), pixel(u, share, 'y')];
		return [[left, y], [x, y], [x, top + height]];
	}));
}

/** A line where both take the same time. */
function drawOne(u) {
	const y = pixel(u, 1, 'y');
	dashed(u, [[[u.bbox.left, y], [u.bbox.left + u.bbox.width, y]]]);
}

const axis = () => ({font: FONT, stroke: token('ink-2'), ticks: {stroke: token('line'), width: 1, size: 4}, grid: {stroke: token('line'), width: 1}});

/** A plot of what both have in common; at(i): where the cursor is at a point. */
function draw(stage, {width, height, looked, drawn, ...how}, columns, at) {
	const u = new uPlot({
		width, height, legend: {show: false}, padding: [8, 12, 0, 0],
		cursor: {y: false, drag: {x: false, y: false}, points: {size: 8, fill: token('accent')}},
		...how,
		hooks: {draw: [drawn], setCursor: [(plot) => looked(plot.cursor.left < 0 ? null : plot.cursor.idx ?? null)]},
	}, columns, stage);
	return {
		destroy: () => u.destroy(),
		cursor: (i) => u.setCursor({left: u.valToPos(columns[0][i], 'x'), top: u.valToPos(at[i], 'y')}, false),
	};
}

/** how: {points: [[n, percent]], marks, width, height, ticks(n), looked(index or null)} */
export function drawCurve(stage, {points, marks, width, height, ticks, looked}) {
	const x = points.map(([n]) => n);
	const y = points.map(([, p]) => p);
	const last = x[x.length - 1];
	const isBytes = x[0] === 64;
	return draw(stage, {
		width, height, looked, drawn: (u) => drawMarks(u, marks),
		scales: {x: {time: false, distr: 3, log: 10, range: [x[0], Math.max(last, x[0] * 10)]}, y: {range: [0, 100]}},
		axes: [
			{...axis(), size: 30, splits: (_, __, low, high) => splits(low, high, isBytes ? 16 : 10), filter: (_, all) => all, values: (_, all) => all.map(ticks)},
			{...axis(), size: 46, splits: () => [0, 25, 50, 75, 100], values: (_, all) => all.map((p) => `${p} %`)},
		],
		series: [{}, {stroke: token('accent'), width: 2, fill: token('accent-wash'), points: {show: points.length === 1, size: 8, fill: token('accent')}}],
	}, [x, y], y);
}

/** From where to where: 1, the last interval, and all rounds but those far away, one in twenty on each side. */
function seen(ratios, ends) {
	const sorted = [...ratios].sort((a, b) => a - b);
	const cut = Math.floor(sorted.length / 20);
	const all = [1, sorted[cut], sorted[sorted.length - 1 - cut], ...ends];
	const [low, high] = [Math.min(...all), Math.max(...all)];
	const margin = Math.max((high - low) / 10, 0.002);
	return [low - margin, high + margin];
}

/** how: {looks: [[round, ratio, median, low, high]], width, height, looked(index or null)}; low is 0 and high null while no interval is known. */
export function drawRatios(stage, {looks, width, height, looked}) {
	const column = (k) => looks.map((look) => look[k]);
	const end = (k) => looks.map((look) => (look[3] > 0 && look[4] !== null ? look[k] : null));
	const [x, ratios, medians, lows, highs] = [column(0), column(1), column(2), end(3), end(4)];
	const [low, high] = seen(ratios, [lows.at(-1), highs.at(-1)].filter((ratio) => ratio !== null));
	const edge = {stroke: token('accent'), width: 1, points: {show: false}};
	return draw(stage, {
		width, height, looked, drawn: drawOne,
		scales: {x: {time: false, range: [0, x[x.length - 1] + 1]}, y: {range: [low, high]}},
		axes: [
			{...axis(), size: 30, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000]},
			{...axis(), size: 52, values: (_, all) => all.map((ratio) => ratio.toFixed(high - low < 0.1 ? 3 : 2))},
		],
		series: [{}, edge, edge, {...edge, width: 2},
			{stroke: token('ink-2'), paths: () => null, points: {show: true, size: 5, width: 1, stroke: token('ink-2'), fill: token('card')}}],
		bands: [{series: [1, 2], fill: token('accent-wash')}],
	}, [x, highs, lows, medians, ratios], medians);
}
