// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the page: each has a heading that the navigation leads to.
import {el} from './dom.js';

/** A section with its heading and a line that says what is to be seen. */
export function section(id, title, lead, ...content) {
	return el('section', {id, class: 'part', 'aria-labelledby': `${id}-title`, tabindex: -1},
		el('div', {class: 'part-head'}, el('h2', {id: `${id}-title`}, title), lead ? el('p', {class: 'lead'}, lead) : null),
		...content);
}

/** In place of what there is nothing of: why, and what to do. */
export function empty(why, hint = null) {
	return el('div', {class: 'empty'}, el('p', {}, why), hint ? el('p', {class: 'hint'}, hint) : null);
}
