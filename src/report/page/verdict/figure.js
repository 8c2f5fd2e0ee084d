// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One figure of quality's JSON, which the element names: data-figure="density.density".
import {el} from '../base/dom.js';

/** figure(quality, 'density.density', ratio, {class}): its text is show(value). */
export function figure(quality, path, show, attributes = {}) {
	const value = path.split('.').reduce((at, key) => at?.[key], quality);
	return el('span', {...attributes, 'data-figure': path, 'data-value': value ?? null}, show(value));
}
