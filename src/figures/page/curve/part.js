// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coverage: how few functions and bytes hold how much of the profile.
import {el, redrawn} from '../base/dom.js';
import {bytes, count, percent, plural} from '../base/format.js';
import {empty, section} from '../base/section.js';
import {drawCurve} from './plot.js';

/** A plot with a readout, which the pointer and keys move along: words(i) is what it says of a point, rest what it says else.  draw(stage, width, looked)
 * returns {destroy(), cursor(i)}, and calls looked(i, or null). */
export function explored({id, title, length, words, rest, draw}) {
	const readout = el('p', {class: 'curve-readout', role: 'status', 'aria-live': 'polite'});
	const stage = el('div', {class: 'curve-stage', id, tabindex: 0, role: 'application', 'aria-roledescription': 'curve',
		'aria-label': `${title}: arrow keys move along the curve`});
	let plot = null;
	let at = null;
	const say = (i) => {
		readout.textContent = i === null ? rest : words(i);
		readout.classList.toggle('muted', i === null);
	};
	const move = (next) => {
		at = Math.max(0, Math.min(length - 1, next));
		plot.cursor(at);
		say(at);
	};
	const keys = {ArrowLeft: () => move((at ?? 1) - 1), ArrowRight: () => move((at ?? -1) + 1), Home: () => move(0), End: () => move(length - 1),
		PageUp: () => move((at ?? 10) - 10), PageDown: () => move((at ?? -10) + 10)};
	stage.addEventListener('keydown', (event) => {
		if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.altKey || event.metaKey)
			return;
		event.preventDefault();
		keys[event.key]();
	});
	redrawn(stage, (width) => {
		plot?.destroy();
		plot = draw(stage, width, (i) => {
			at = i;
			say(i);
		});
	});
	say(null);
	return el('figure', {class: 'curve'}, el('figcaption', {}, el('h3', {}, title)), readout, stage);
}

/** words(n): so many of what is counted; ticks(n): the same at an axis. */
function curve({id, title, points, marks, words, ticks}) {
	if (!points.length)
		return null;
	return explored({id, title, length: points.length, words: (i) => `the hottest ${words(points[i][0])} ${points[i][0] === 1 ? 'holds' : 'hold'} ${percent(points[i][1])}`,
		rest: marks.map(([share, n]) => `${percent(share, 0)}: ${words(n)}`).join('  ·  '),
		draw: (stage, width, looked) => drawCurve(stage, {points, marks, width, height: 240, ticks, looked})});
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
