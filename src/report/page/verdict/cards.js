// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What stands in the card of each verdict: the figure that decides, and others beside it.
import {el} from '../base/dom.js';
import {bytes, count, percent, ratio} from '../base/format.js';
import {PLACES} from '../base/colors.js';
import {figure} from './figure.js';

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
		main: big(figure(q, 'build.disagree_percent', percent2), `of ${checked} disagree with the code`),
		more: list([`${checked} that were checked`, figure(q, 'build.checked', count)]),
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

function density(q) {
	const {density: has, enough, times_more_samples: times} = q.density;
	return {
		main: el('div', {}, big(figure(q, 'density.density', ratio), el('span', {}, 'of ', figure(q, 'density.enough', ratio), ' that are enough')),
			el('meter', {class: 'meter', min: 0, max: enough, value: Math.min(has, enough), 'aria-label': 'density, of what is enough'})),
		more: list(times ? ['samples needed', el('span', {}, figure(q, 'density.times_more_samples', (x) => `${x.toFixed(1)}×`), ' as many')] : null,
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
			el('thead', {}, el('tr', {}, el('th', {scope: 'col'}, 'of samples'), el('th', {scope: 'col'}, 'functions'),
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
		main: el('div', {}, big(percent(misplaced), 'of the hottest samples in cold or old code'), bar),
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
		main: big(figure(q, 'inferred.moved_percent', percent), 'count in other blocks'),
		more: list(['inferred from', el('span', {}, figure(q, 'inferred.percent', percent), ' of the samples')],
			['samples', figure(q, 'inferred.solved.samples', count)],
			['functions', figure(q, 'inferred.solved.functions', count)],
			...left.map((key) => [words[key], figure(q, `inferred.${key}.samples`, count)])),
	};
}

function flow(q) {
	if (!q.flow)
		return {main: null, more: null};
	const rows = [
		['deviation', 'deviation_percent'], ['discontinuity', 'discontinuity_percent'], ['unreachable', 'unreachable_percent'],
		['gap of calls', 'call_gap_percent'], ['gap in the flow', 'flow_gap_percent'], ['… of hot blocks', 'worst_gap_percent'],
	];
	return {
		main: big(figure(q, 'flow.bias_percent', percent2), 'bias of blocks'),
		more: list(...rows.filter(([, key]) => key in q.flow).map(([label, key]) => [label, figure(q, `flow.${key}`, percent2)]),
			['functions', figure(q, 'flow.functions', count)]),
	};
}

export const cards = {build, kept, density, coverage, places, inferred, flow};
