// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The top of a page: what it is of, and where to go.
import {el, code} from './base/dom.js';
import {count, fileName, plural} from './base/format.js';

export function fact(label, ...value) {
	return el('div', {class: 'fact'}, el('dt', {}, label), el('dd', {}, ...value));
}

/** skips: [id, text] of links that only the keyboard reaches. */
export function top(name, maker, skips, facts, banner = null) {
	return el('header', {class: 'top'},
		skips.map(([id, text]) => el('a', {class: 'skip', href: `#${id}`}, text)),
		el('div', {class: 'title'}, el('h1', {}, name), el('p', {class: 'maker'}, maker)),
		el('dl', {class: 'facts'}, facts),
		banner);
}

/** parts: [id, text] */
export function links(label, parts) {
	return el('nav', {class: 'nav', 'aria-label': label},
		el('ul', {}, parts.map(([id, text]) => el('li', {}, el('a', {href: `#${id}`}, text)))));
}

function sampleFiles(model) {
	const more = model.samples_all - model.samples.length;
	const files = model.samples.flatMap((file, i) => [i ? ', ' : null, code(file)]);
	return [...files, more > 0 ? ` and ${plural(more, 'more file')}` : null];
}

export function head(model) {
	const facts = [
		fact(model.bolted ? 'optimized' : 'binary', code(model.optimized)),
		model.input ? fact('input', code(model.input)) : null,
		model.samples_all ? fact(model.plain ? 'basic samples' : 'LBR (branch stacks)', ...sampleFiles(model)) : fact('counts', 'the compiler’s'),
		model.build_id ? fact('build-id', code(model.build_id)) : null,
		model.against ? fact('against', code(model.against)) : null,
	];
	return top(code(fileName(model.optimized)), `batconv ${model.batconv} · profile report`,
		[['main', 'Skip to the figures'], ['functions', 'Skip to the functions']], facts,
		model.partial ? el('p', {class: 'banner', role: 'note'}, 'A recording ended early: what is here is of the part that could be read.') : null);
}

export function navigation(model) {
	return links('Parts of the report', [
		['next', 'What to do now'],
		['verdict', 'Verdict'],
		['flow', 'Where samples went'],
		['heat', 'Heat'],
		['coverage', 'Coverage'],
		['functions', `Functions (${count(model.functions.all)})`],
		model.against ? ['against', 'Against'] : null,
		model.verify ? ['checks', 'Checks'] : null,
	].filter(Boolean));
}
