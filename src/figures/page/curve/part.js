// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coverage: how few functions and bytes hold how much of the profile.
import {el, redrawn} from '../base/dom.js';
import {bytes, count, percent, plural} from '../base/format.js';
import {empty, section} from '../base/section.js';
import {drawCurve} from './plot.js';

/** One curve with its readout; kind: what is counted, with the words for n of them. */
function curve({id, title, points, marks, words, ticks}) {
	if (!points.length)
		return null;
	const told = (i) => `the hottest ${words(points[i][0])} ${points[i][0] === 1 ? 'holds' : 'hold'} ${percent(points[i][1])}`;
	const readout = el('p', {class: 'curve-readout', role: 'status', 'aria-live': 'polite'});
	const stage = el('div', {class: 'curve-stage', id, tabindex: 0, role: 'application', 'aria-roledescription': 'curve',
		'aria-label': `${title}: arrow keys move along the curve`});
	const rest = marks.map(([share, n]) => `${percent(share, 0)}: ${words(n)}`).join('  ·  ');
	let plot = null;
	let at = null;
	const say = (i) => {
		readout.textContent = i === null ? rest : told(i);
		readout.classList.toggle('muted', i === null);
	};
	const move = (next) => {
		at = Math.max(0, Math.min(points.length - 1, next));
		plot.cursor(at);
		say(at);
	};
	const keys = {ArrowLeft: () => move((at ?? 1) - 1), ArrowRight: () => move((at ?? -1) + 1), Home: () => move(0), End: () => move(points.length - 1),
		PageUp: () => move((at ?? 10) - 10), PageDown: () => move((at ?? -10) + 10)};
	stage.addEventListener('keydown', (event) => {
		if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	});
	redrawn(stage, (width) => {
		plot?.destroy();
		plot = drawCurve(stage, {points, marks, width, height: 240, ticks, looked: (i) => {
			at = i;
			say(i);
		}});
	});
	say(null);
	return el('figure', {class: 'curve'}, el('figcaption', {}, el('h3', {}, title)), readout, stage);
}

export function coveragePart({curve: curves, quality, counted}) {
	const held = quality.coverage?.percentiles ?? [];
	const shown = [
		curve({id: 'curve-functions', title: 'By functions, the hottest first', points: curves.functions, words: (n) => plural(n, 'function'),
			ticks: (n) => count(n), marks: held.map((h) => [h.percent, h.functions])}),
		curve({id: 'curve-bytes', title: 'By bytes of code, the hottest first', points: curves.bytes, words: bytes,
			ticks: bytes, marks: held.filter((h) => 'bytes' in h).map((h) => [h.percent, h.bytes])}),
	].filter(Boolean);
	return section('coverage', 'Coverage', `How many of the ${counted} the hottest functions, and the hottest bytes, hold together. The scale below is logarithmic.`,
		shown.length ? el('div', {class: 'curves'}, shown) : empty('No function has a sample.'));
}
