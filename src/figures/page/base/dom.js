// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements, made without markup: whatever a binary calls its functions is text here.

const SVG = 'http://www.w3.org/2000/svg';

function fill(made, attributes, children) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === null || value === undefined || value === false)
			continue;
		if (name.startsWith('on'))
			made.addEventListener(name.slice(2), value);
		else
			made.setAttribute(name, value === true ? '' : String(value));
	}
	made.append(...children.flat().filter((child) => child !== null && child !== undefined));
	return made;
}

/** el('p', {class: 'note', onclick: f}, 'text', child, [more], null); null, undefined and false attributes are left out. */
export function el(tag, attributes = {}, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
	return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A name from a binary, shown so that it cannot reorder the line: direction marks and control characters become visible. */
export function visible(name) {
	return name.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
		(c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** <code> with a name in it, cut by CSS where it is too long, whole in its title. */
export function code(name, attributes = {}) {
	const shown = visible(name);
	return el('code', {title: shown, ...attributes}, el('bdi', {}, shown));
}

/** Calls draw() now, and whenever the width of the element, the color scheme or the medium changes. */
export function redrawn(element, draw) {
	let width = -1;
	const again = () => {
		width = element.clientWidth;
		if (width)
			draw(width);
	};
	new ResizeObserver(() => element.clientWidth !== width && again()).observe(element);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
	matchMedia('print').addEventListener('change', again);
	again();
}
