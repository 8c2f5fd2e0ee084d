// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What to do now: the adviser's sentence and command, above all figures.
import {el, visible} from '../base/dom.js';
import {section} from '../base/section.js';

const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Words that stay whole: a browser would end a line behind the dashes of an option. */
const words = (command) => command.split(/( )/).map((word) => (word === ' ' ? word : el('span', {class: 'word'}, word)));

export function nextPart({quality: {next, verdicts}}) {
	const bad = verdicts.some((v) => v.verdict === 'bad');
	const command = next.command ? visible(next.command) : null;
	const copy = command ? el('button', {type: 'button', class: 'tool', onclick: () => navigator.clipboard?.writeText(next.command).then(() => {
		copy.textContent = 'Copied';
	}, () => {})}, 'Copy') : null;
	return section('next', 'What to do now', null,
		el('p', {class: `next ${bad ? 'bad' : ''}`}, `${upper(next.text)}.`),
		command ? el('div', {class: 'command'}, el('pre', {tabindex: 0, 'aria-label': 'Command'}, el('code', {}, words(command))), copy) : null);
}
