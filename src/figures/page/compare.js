// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of batconv compare: verdicts, the interval of CPU time after each round, and counts.  Figures are those of compare's JSON.
import {code, el, visible} from './base/dom.js';
import {count, fileName, NONE, plural} from './base/format.js';
import {empty, section} from './base/section.js';
import {explored} from './curve/part.js';
import {drawRatios} from './curve/plot.js';
import {fact, links, top} from './head.js';
import {big, list} from './verdict/cards.js';
import {figure} from './verdict/figure.js';
import {badge} from './verdict/part.js';

const LOOKS = {faster: 'good', same: 'good', undecided: 'warning', slower: 'bad', differs: 'bad'};
const EVENTS = [['instructions', 'instructions'], ['taken_branches', 'taken branches'], ['line_misses', 'I-cache misses'], ['itlb_misses', 'iTLB misses'],
	['cycles', 'cycles'], ['page_faults', 'page faults']];
const COUNTS = [...EVENTS.slice(0, 3), ['lines', 'lines of code'], ['pages', 'pages of code']];

const name = ({binary}) => code(fileName(binary));
const ratio = (x) => (x === null || x === undefined ? NONE : x.toFixed(3));
const seconds = (x) => `${ratio(x)} s`;
const isKnown = (low, high) => low > 0 && high !== null;

/** The smallest difference, in percent, that the interval leaves no room for. */
const shownPercent = ({low, high}) => (100 * Math.max(1 / low - 1, high - 1)).toFixed(1);

function interval(compare, path, {low, high}) {
	return isKnown(low, high) ? el('span', {}, figure(compare, `${path}.low`, ratio), ' to ', figure(compare, `${path}.high`, ratio)) : 'too few rounds';
}

/* ---- verdicts ---- */

function sentence({verdict, cpu_ratio: is, rounds_for_margin: wanted}, {rounds, margin_percent: margin}) {
	if (verdict === 'same')
		return `the same within ${shownPercent(is)} %`;
	if (verdict !== 'undecided')
		return verdict;
	if (!isKnown(is.low, is.high))
		return 'undecided: too few rounds';
	const more = wanted > rounds ? `; about ${plural(wanted - rounds, 'more round')} would show ${margin} %` : '';
	return `no difference above ${shownPercent(is)} % could be shown${more}`;
}

function untimed(compare, i) {
	const {output_differs: differs} = compare.binaries[i];
	return {
		verdict: differs ? 'differs' : null,
		main: el('p', {class: 'sentence'}, differs ? 'its output or exit code differs.' : 'not timed.'),
		more: list(['exit code', figure(compare, `binaries.${i}.exit_code`, count)], ['bytes of output', figure(compare, `binaries.${i}.output_bytes`, count)]),
	};
}

function timed(compare, i) {
	const of = compare.binaries[i];
	const at = `binaries.${i}`;
	const wall = ['wall time', figure(compare, `${at}.wall_seconds`, seconds)];
	if (!i)
		return {verdict: null, main: big(figure(compare, `${at}.cpu_seconds`, seconds), 'CPU time'), more: list(wall)};
	return {
		verdict: of.verdict,
		main: el('div', {}, big(figure(compare, `${at}.cpu_ratio.ratio`, ratio), 'of the CPU time of the first binary'), el('p', {class: 'sentence'}, `${sentence(of, compare)}.`)),
		more: list(['interval of 95 %', interval(compare, `${at}.cpu_ratio`, of.cpu_ratio)],
			['ratio of wall time', figure(compare, `${at}.wall_ratio.ratio`, ratio)],
			['its interval', interval(compare, `${at}.wall_ratio`, of.wall_ratio)],
			['CPU time', figure(compare, `${at}.cpu_seconds`, seconds)], wall),
	};
}

function card(compare, i) {
	const {verdict, main, more} = compare.rounds ? timed(compare, i) : untimed(compare, i);
	return el('article', {class: verdict ? `card ${LOOKS[verdict]}` : 'card', 'data-binary': i, 'aria-labelledby': `card-${i}`},
		el('div', {class: 'card-head'}, el('h3', {id: `card-${i}`}, name(compare.binaries[i])), verdict ? badge(LOOKS[verdict], verdict) : null),
		main, more);
}

function summary({differ, rounds, served, worse, failed, max_loss: most}) {
	if (differ)
		return 'An output or exit code differs from that of the first binary, so nothing was timed.';
	if (!rounds)
		return 'Nothing was timed, as --rounds=0 asks.';
	const times = `Medians of ${plural(rounds, 'round')}${served ? ', of the server while it had load' : ''}.`;
	return worse ? `${times} A binary is slower by more than ${most} %, the limit of --max-loss.` : failed ? `${times} A comparison is undecided, and --decide was given.` : times;
}

function verdictPart({compare}) {
	return section('verdict', 'Verdict', summary(compare), el('div', {class: 'cards'}, compare.binaries.map((_, i) => card(compare, i))));
}

/* ---- rounds ---- */

function course(of, looks, i) {
	const words = (k) => {
		const [round, last, median, low, high] = looks[k];
		return `round ${count(round)}: ${ratio(last)}; median so far ${ratio(median)}, ${isKnown(low, high) ? `interval ${ratio(low)} to ${ratio(high)}` : 'too few rounds for an interval'}`;
	};
	return explored({id: `rounds-${i}`, title: visible(fileName(of.binary)), length: looks.length, words, rest: words(looks.length - 1),
		draw: (stage, width, looked) => drawRatios(stage, {looks, width, height: 260, looked})});
}

function roundsPart({compare, looks}) {
	const lead = 'CPU time of each round, as a ratio to the first binary’s: a point. The line is the median so far, the band the interval of 95 %; single rounds far away are not shown.';
	return section('rounds', 'Rounds', compare.rounds ? lead : null,
		compare.rounds ? el('div', {class: 'curves'}, compare.binaries.map((of, i) => (i ? course(of, looks[i], i) : null)).filter(Boolean)) : empty('There were no rounds.'));
}

/* ---- counts ---- */

/** rows: [word, cell(i) of each binary] */
function table(compare, id, title, rows) {
	const number = (child) => el('td', {class: 'num'}, child);
	return rows.length ? el('div', {id}, el('h3', {}, title), el('div', {class: 'wide'}, el('table', {class: 'checks'},
		el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'Count'), compare.binaries.map((of) => el('th', {scope: 'col', class: 'num'}, name(of))))),
		el('tbody', {}, rows.map(([word, cell]) => el('tr', {}, el('th', {scope: 'row'}, word), compare.binaries.map((_, i) => number(cell(i))))))))) : null;
}

function eventCell(compare, key, i) {
	const at = `binaries.${i}.events.${key}`;
	const is = compare.binaries[i].events[key].ratio;
	return el('span', {}, figure(compare, `${at}.median`, count), is ? [' (', figure(compare, `${at}.ratio.ratio`, ratio), '; ', interval(compare, `${at}.ratio`, is), ')'] : null);
}

function countCell(compare, key, i) {
	const {binaries} = compare;
	const first = binaries[0].counts[key];
	return el('span', {}, figure(compare, `binaries.${i}.counts.${key}`, count), i && first ? ` (${ratio(binaries[i].counts[key] / first)})` : null);
}

function countsPart({compare, counted_runs: runs}) {
	const {binaries} = compare;
	const events = EVENTS.filter(([key]) => binaries[0].events?.[key]).map(([key, word]) => [word, (i) => eventCell(compare, key, i)]);
	const counts = runs ? COUNTS.map(([key, word]) => [word, (i) => countCell(compare, key, i)]) : [];
	return section('counts', 'Counts', 'In parentheses: the ratio to the first binary’s.',
		table(compare, 'events', 'By processor and kernel: medians of all rounds, with the intervals of their ratios', events),
		table(compare, 'counted', `By valgrind: ${runs === 1 ? 'one run of each' : `medians of ${plural(runs, 'run')} of each`}`, counts),
		events.length + counts.length ? null : empty('Nothing was counted.', '--counted counts what each binary does, by valgrind.'));
}

/* ---- all of it ---- */

function head({compare, batconv}) {
	const [first, second, ...others] = compare.binaries;
	const facts = [...compare.binaries.map(({binary}, i) => fact(i ? 'compared' : 'first', code(binary))),
		compare.rounds ? fact('rounds', figure(compare, 'rounds', count)) : null,
		compare.rounds ? fact('took', `${compare.seconds.toFixed(1)} s`) : null,
		fact('margin', `${compare.margin_percent} %`)];
	return [top([name(first), ' and ', name(second), others.length ? ` and ${count(others.length)} more` : null], `batconv ${batconv} · comparison`, [['main', 'Skip to the verdict']], facts),
		links('Parts of the comparison', [['verdict', 'Verdict'], ['rounds', 'Rounds'], ['counts', 'Counts']])];
}

export const comparison = {
	read: (data) => data,
	title: ({compare}) => `${visible(fileName(compare.binaries[0].binary))} · batconv compare`,
	top: head,
	parts: [verdictPart, roundsPart, countsPart],
	after: () => {},
};
