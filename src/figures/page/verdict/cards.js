// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in the card of each verdict: the figure that decides, and others beside it.
import {el} from '../base/dom.js';
import {bytes, count, percent, ratio, rest} from '../base/format.js';
import {PLACES} from '../base/colors.js';
import {figure, restFigure} from './figure.js';

const percent2 = (p) => percent(p, 2);

function big(shown, unit) {
	return el('p', {class: 'big'}, shown, el('span', {class: 'unit'}, unit));
}

function list(...rows) {
	return el('dl', {class: 'small'}, rows.filter(Boolean).map(([label, shown]) => el('div', {}, el('dt', {}, label), el('dd', {}, shown))));
}

function build(q) {
	const checked = q.plain ? 'addresses' : 'branches';
	return {
		main: big(restFigure(q, 'build.disagree_percent', 2), `of ${checked} agree with the code`),
		more: list([`${checked} that were checked`, figure(q, 'build.checked', count)], ['disagree', figure(q, 'build.disagree_percent', percent2)]),
	};
}

function kept(q) {
	return {
		main: big(figure(q, 'kept.percent', percent), 'of the usable data'),
		more: list(['usable', figure(q, 'kept.of', count)],
			...['samples', 'branches', 'traces'].filter((kind) => q.kept[kind]?.read).map((kind) =>
				[`${kind === 'traces' ? 'fall-throughs' : kind}, kept of read`,
					el('span', {}, figure(q, `kept.${kind}.kept`, count), ' / ', figure(q, `kept.${kind}.read`, count))])),
	};
}

function stability(q) {
	const {known, percent: has, enough_percent: enough} = q.stability;
	return {
		main: known ? el('div', {}, big(figure(q, 'stability.percent', percent), el('span', {}, 'stable; ', figure(q, 'stability.enough_percent', percent), ' is enough')),
			el('meter', {class: 'meter', min: 0, max: 100, low: enough, optimum: 100, value: has, 'aria-label': 'stability'})) : null,
		more: list(...(known ? [['layouts of two halves of the samples agree by', figure(q, 'stability.layout_percent', percent)],
			['blocks of the halves agree by', figure(q, 'stability.overlap_percent', percent)],
			['of what is hot in one half, not hot in the other', figure(q, 'stability.hot_differ_percent', percent)]] : []),
		['density, as perf2bolt has it', figure(q, 'density.density', ratio)],
		['functions measured', figure(q, 'density.profiled', count)],
		['not optimised by llvm-bolt', figure(q, 'density.not_simple', count)]),
	};
}

function coverage(q) {
	const {held} = q.coverage;
	const last = held.length - 1;
	const hasBytes = held.some((h) => 'bytes' in h);
	const row = (h, i) => el('tr', {}, el('th', {scope: 'row'}, percent(h.percent, 0)),
		el('td', {}, figure(q, `coverage.held.${i}.functions`, count)),
		hasBytes ? el('td', {}, figure(q, `coverage.held.${i}.bytes`, bytes)) : null);
	return {
		main: hasBytes
			? big(figure(q, `coverage.held.${last}.bytes`, bytes), `of code hold ${percent(held[last].percent, 0)}: the working set`)
			: big(figure(q, `coverage.held.${last}.functions`, count), `functions hold ${percent(held[last].percent, 0)}`),
		more: el('table', {class: 'held'},
			el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, `of ${q.plain ? 'samples' : 'branches'}`), el('th', {scope: 'col'}, 'functions'),
				hasBytes ? el('th', {scope: 'col'}, 'bytes') : null)),
			el('tbody', {}, held.map(row),
				el('tr', {}, el('th', {scope: 'row'}, 'all'), el('td', {}, figure(q, 'coverage.functions', count)),
					hasBytes ? el('td', {}, figure(q, 'coverage.bytes', bytes)) : null))),
	};
}

function places(q) {
	const shown = PLACES.filter(([key]) => q.places[key]?.samples);
	const misplaced = ['cold', 'old'].reduce((sum, key) => sum + (q.places[key]?.hottest_percent ?? 0), 0);
	const bar = el('div', {class: 'stack', 'aria-hidden': 'true'}, shown.map(([key]) => {
		const piece = el('span', {class: `place-${key}`});
		piece.style.flexGrow = q.places[key].hottest_percent;
		return piece;
	}));
	return {
		main: el('div', {}, big(rest(misplaced), 'of the hottest samples are in neither cold nor old code'), bar),
		more: el('dl', {class: 'small'}, shown.map(([key, word]) => el('div', {},
			el('dt', {}, el('span', {class: `chip place-${key}`, 'aria-hidden': 'true'}), word),
			el('dd', {}, figure(q, `places.${key}.hottest_percent`, percent))))),
	};
}

function inferred(q) {
	if (!q.inferred?.branches)
		return {main: null, more: null};
	const left = ['plt', 'no_graph', 'too_much', 'no_steps'].filter((key) => q.inferred[key].samples);
	const words = {plt: 'samples in PLT entries', no_graph: '… without a graph', too_much: '… too large', no_steps: '… out of steps'};
	return {
		main: big(restFigure(q, 'inferred.moved_percent'), 'of the samples count in the block where they were taken'),
		more: list(['in other blocks', figure(q, 'inferred.moved_percent', percent)], ['inferred from', el('span', {}, figure(q, 'inferred.percent', percent), ' of the samples')],
			['samples', figure(q, 'inferred.solved.samples', count)],
			['functions', figure(q, 'inferred.solved.functions', count)],
			...left.map((key) => [words[key], figure(q, `inferred.${key}.samples`, count)])),
	};
}

function flow(q) {
	if (!q.flow)
		return {main: null, more: null};
	const row = ([label, key]) => (key in q.flow ? [label, figure(q, `flow.${key}`, percent2)] : null);
	return {
		main: big(restFigure(q, 'flow.unreachable_percent', 2), 'of the counts are in blocks that counted branches lead to'),
		more: el('div', {},
			list(['the others', figure(q, 'flow.unreachable_percent', percent2)],
				['difference between what enters and what leaves a block, mean', figure(q, 'flow.bias_percent', percent2)],
				row(['the same with entries', 'deviation_percent'])),
			el('p', {class: 'group'}, 'The worst 5 % of ', figure(q, 'flow.functions', count), ' functions have more than this:'),
			list(row(['counts that no branch leads to', 'discontinuity_percent']), row(['difference between calls and entries', 'call_gap_percent']),
				row(['difference within the flow', 'flow_gap_percent']), row(['… of the worst hot block', 'worst_gap_percent']))),
	};
}

export const cards = {build, kept, stability, coverage, places, inferred, flow};
