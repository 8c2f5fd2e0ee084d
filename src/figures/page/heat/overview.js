// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thin bar below a track: which part of the whole can be seen.
import {el} from '../base/dom.js';

export function overview(track) {
	const thumb = el('span', {class: 'thumb'});
	const element = el('div', {class: 'overview', 'aria-hidden': 'true'}, thumb);
	element.addEventListener('pointerdown', (event) => {
		const box = element.getBoundingClientRect();
		const {from, to} = track.view;
		const middle = (event.clientX - box.left) / box.width;
		track.view.set(middle - (to - from) / 2, middle + (to - from) / 2);
	});
	return {
		element,
		draw() {
			element.classList.toggle('all', track.view.isWhole());
			thumb.style.left = `${100 * track.view.from}%`;
			thumb.style.width = `${100 * (track.view.to - track.view.from)}%`;
		},
	};
}
