// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What batconv quality says: a card for each verdict, the figures that it rests on in it.
import {el} from '../base/dom.js';
import {section} from '../base/section.js';
import {plural} from '../base/format.js';
import {cards} from './cards.js';

const WORDS = {good: ['✓', 'good'], warning: ['▲', 'warning'], bad: ['✕', 'bad']};
const TITLES = {build: 'Build', kept: 'Kept', gain: 'Gain', stability: 'Stability', coverage: 'Coverage', layout: 'Layout', inferred: 'Inferred', flow: 'Flow'};
const ASKED = {
	build: 'Are the samples of this build?',
	kept: 'How much of the usable data is in the profile?',
	gain: 'What will the next binary gain, and are these samples enough?',
	stability: 'Would more samples change the layout?',
	coverage: 'Which part of the code is it about?',
	layout: 'Does the binary fit the workload?',
	inferred: 'The samples are basic (no LBR): are their branches known?',
	flow: 'Do counts add up?',
};

export function badge(look, word = WORDS[look][1]) {
	const [sign] = WORDS[look];
	return el('span', {class: `badge ${look}`}, el('span', {'aria-hidden': 'true'}, sign), ` ${word}`);
}

function summary(verdicts) {
	const of = (word) => verdicts.filter((v) => v.verdict === word).length;
	const [bad, warning] = [of('bad'), of('warning')];
	if (!verdicts.length)
		return 'There is nothing to judge.';
	if (bad)
		return `${plural(bad, 'figure is', 'figures are')} bad: do not optimize with this profile before that is explained.`;
	if (warning)
		return `${plural(warning, 'figure has a warning', 'figures have a warning')}; the others are good.`;
	return 'All figures are good.';
}

function gate(g) {
	const bound = 'min' in g ? `at least ${g.min}` : `at most ${g.max}`;
	const is = 'value' in g ? `is ${g.value}` : 'is not known';
	return el('li', {}, badge(g.passed ? 'good' : 'bad'), ` ${g.figure} ${is}, wanted is ${bound}`);
}

function card(verdict, quality) {
	const {main, more} = cards[verdict.about]?.(quality) ?? {main: null, more: null};
	return el('article', {class: `card ${verdict.verdict}`, 'data-about': verdict.about, 'aria-labelledby': `card-${verdict.about}`},
		el('div', {class: 'card-head'},
			el('h3', {id: `card-${verdict.about}`}, TITLES[verdict.about] ?? verdict.about), badge(verdict.verdict)),
		el('p', {class: 'asked'}, ASKED[verdict.about]),
		main,
		el('p', {class: 'sentence'}, verdict.text, '.'),
		more);
}

export function verdictPart({quality}) {
	return section('verdict', 'Verdict', summary(quality.verdicts),
		el('div', {class: 'cards'}, quality.verdicts.map((verdict) => card(verdict, quality))),
		quality.gates?.length ? el('ul', {class: 'gates', 'aria-label': 'Gates'}, quality.gates.map(gate)) : null);
}
