// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One figure of quality's JSON, which the element names: data-figure="density.density".  What is shown of it can be the rest of
// 100 percent: data-rest.
import {el} from '../base/dom.js';
import {rest} from '../base/format.js';

/** figure(quality, 'density.density', ratio, {class}): its text is show(value). */
export function figure(quality, path, show, attributes = {}) {
	const value = path.split('.').reduce((at, key) => at?.[key], quality);
	return el('span', {...attributes, 'data-figure': path, 'data-value': value ?? null}, show(value));
}

/** The other part: restFigure(quality, 'build.mismatch_percent', 2) is how much agrees. */
export const restFigure = (quality, path, digits = 1) => figure(quality, path, (p) => rest(p, digits), {'data-rest': digits});
