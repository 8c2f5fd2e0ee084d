// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The card of each verdict: the figure that decides, and others.
import {el} from '../base/dom.js';
import {bytes, count, percent, ratio, rest} from '../base/format.js';
import {PLACES} from '../base/colors.js';
import {figure, restFigure} from './figure.js';

const percent2 = (p) => percent(p, 2);

export function big(shown, unit) {
	return el('p', {class: 'big'}, shown, el('span', {class: 'unit'}, unit));
}

export function list(...rows) {
	return el('dl', {class: 'small'}, rows.filter(Boolean).map(([label, shown]) => el('div', {}, el('dt', {}, label), el('dd', {}, shown))));
}

function build(q) {
	const checked = q.basic ? 'addresses' : 'branches';
	return {
		main: big(restFigure(q, 'build.mismatch_percent', 2), `of ${checked} match the code`),
		more: list([`${checked} that were checked`, figure(q, 'build.checked', count)], ['mismatch', figure(q, 'build.mismatch_percent', percent2)]),
	};
}

function kept(q) {
	return {
		main: big(figure(q, 'kept.percent', percent), 'of the usable data'),
		more: list(['usable', figure(q, 'kept.total', count)],
			...['samples', 'branches', 'traces'].filter((kind) => q.kept[kind]?.read).map((kind) =>
				[`${kind === 'traces' ? 'fall-throughs' : kind}, kept of read`,
					el('span', {}, figure(q, `kept.${kind}.kept`, count), ' / ', figure(q, `kept.${kind}.read`, count))])),
	};
}

function gain(q) {
	const whole = q.gain.whole_percent;
	return {
		main: el('div', {}, big(figure(q, 'gain.expected_percent', percent), 'fewer taken branches than without llvm-bolt'),
			el('meter', {class: 'meter', min: 0, max: Math.max(whole, 1), optimum: whole, value: q.gain.expected_percent, 'aria-label': 'expected gain'})),
		more: list(['from', figure(q, 'gain.low_percent', percent)], ['to', figure(q, 'gain.high_percent', percent)],
			['with a profile of every branch', figure(q, 'gain.whole_percent', percent)], ['of that', figure(q, 'gain.of_whole_percent', percent)], ['half of the samples', figure(q, 'gain.half_percent', percent)],
			['more samples would add', figure(q, 'gain.more_percent', percent)],
			q.gain.times ? ['times as many samples are enough', figure(q, 'gain.times', ratio)] : null,
			['unevenness of samples in a block', figure(q, 'gain.uneven', ratio)],
			['layouts of two halves of the samples agree by', figure(q, 'stability.layout_percent', percent)],
			['blocks of the halves agree by', figure(q, 'stability.overlap_percent', percent)],
			['profile density, as perf2bolt computes it', figure(q, 'density.density', ratio)],
			['functions measured', figure(q, 'density.profiled', count)],
			['not optimized by llvm-bolt', figure(q, 'density.non_simple', count)]),
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
		['profile density, as perf2bolt computes it', figure(q, 'density.density', ratio)],
		['functions measured', figure(q, 'density.profiled', count)],
		['not optimized by llvm-bolt', figure(q, 'density.non_simple', count)]),
	};
}

function coverage(q) {
	const {percentiles} = q.coverage;
	const last = percentiles.length - 1;
	const hasBytes = percentiles.some((h) => 'bytes' in h);
	const row = (h, i) => el('tr', {}, el('th', {scope: 'row'}, percent(h.percent, 0)),
		el('td', {}, figure(q, `coverage.percentiles.${i}.functions`, count)),
		hasBytes ? el('td', {}, figure(q, `coverage.percentiles.${i}.bytes`, bytes)) : null);
	return {
		main: hasBytes
			? big(figure(q, `coverage.percentiles.${last}.bytes`, bytes), `of code hold ${percent(percentiles[last].percent, 0)}: the working set`)
			: big(figure(q, `coverage.percentiles.${last}.functions`, count), `functions hold ${percent(percentiles[last].percent, 0)}`),
		more: el('table', {class: 'held'},
			el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, `of ${q.basic ? 'samples' : 'branches'}`), el('th', {scope: 'col'}, 'functions'),
				hasBytes ? el('th', {scope: 'col'}, 'bytes') : null)),
			el('tbody', {}, percentiles.map(row),
				el('tr', {}, el('th', {scope: 'row'}, 'all'), el('td', {}, figure(q, 'coverage.functions', count)),
					hasBytes ? el('td', {}, figure(q, 'coverage.bytes', bytes)) : null))),
	};
}

function layout(q) {
	const shown = PLACES.filter(([key]) => q.layout[key]?.samples);
	const misplaced = ['cold', 'original'].reduce((sum, key) => sum + (q.layout[key]?.hottest_percent ?? 0), 0);
	const bar = el('div', {class: 'stack', 'aria-hidden': 'true'}, shown.map(([key]) => {
		const piece = el('span', {class: `place-${key}`});
		piece.style.flexGrow = q.layout[key].hottest_percent;
		return piece;
	}));
	return {
		main: el('div', {}, big(rest(misplaced), 'of the hottest samples are in neither cold code nor original bodies'), bar),
		more: el('dl', {class: 'small'}, shown.map(([key, word]) => el('div', {},
			el('dt', {}, el('span', {class: `chip place-${key}`, 'aria-hidden': 'true'}), word),
			el('dd', {}, figure(q, `layout.${key}.hottest_percent`, percent))))),
	};
}

function inferred(q) {
	if (!q.inferred?.branches)
		return {main: null, more: null};
	const left = ['plt', 'no_cfg', 'too_large', 'step_limit'].filter((key) => q.inferred[key].samples);
	const words = {plt: 'samples in PLT entries', no_cfg: '… without a CFG', too_large: '… too large', step_limit: '… beyond the step limit'};
	return {
		main: big(restFigure(q, 'inferred.reassigned_percent'), 'of the samples count in the block where they were taken'),
		more: list(['in other blocks', figure(q, 'inferred.reassigned_percent', percent)], ['inferred from', el('span', {}, figure(q, 'inferred.percent', percent), ' of the samples')],
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
				['difference between inflow and outflow of a block, mean', figure(q, 'flow.bias_percent', percent2)],
				row(['the same with entries', 'deviation_percent'])),
			el('p', {class: 'group'}, 'The worst 5 % of ', figure(q, 'flow.functions', count), ' functions have more than this:'),
			list(row(['counts that no branch leads to', 'discontinuity_percent']), row(['difference between calls and entries', 'call_gap_percent']),
				row(['difference within the flow', 'flow_gap_percent']), row(['… of the worst hot block', 'worst_gap_percent']))),
	};
}

export const cards = {build, kept, gain, stability, coverage, layout, inferred, flow};
