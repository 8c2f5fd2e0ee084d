// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions as a table of which only the visible rows exist.
import {code, el} from '../base/dom.js';

const ROW = 28; // px
const AROUND = 6; // rows above and below what can be seen
const PRINTED = 60;

function heading(column, sort) {
	return el('span', {role: 'columnheader', 'aria-sort': 'none', 'data-column': column.key, class: column.key === 'name' ? 'name' : 'num'},
		el('button', {type: 'button', title: column.about, onclick: () => sort(column)}, column.title, el('span', {class: 'arrow', 'aria-hidden': 'true'})));
}

/** how: {columns, pick(f), sort(column)}; returns {element, show(rows), choose(f), order(column, up)} */
export function makeTable({columns, pick, sort}) {
	let rows = [];
	let cursor = 0;
	let chosen = null;
	let printing = false;
	const heads = columns.map((column) => heading(column, sort));
	const header = el('div', {class: 'row head', role: 'row', 'aria-rowindex': 1}, heads);
	const body = el('div', {class: 'rows', role: 'rowgroup'});
	const scroller = el('div', {class: 'scroller', role: 'grid', id: 'functions-grid', tabindex: 0, 'aria-label': 'Functions: arrow keys move, Enter shows the blocks',
		'aria-colcount': columns.length}, header, body);
	scroller.style.setProperty('--columns', columns.length - 1);

	const cell = (column, f) => (column.key === 'name'
		? el('span', {role: 'gridcell', class: 'name'}, code(f.plain ?? f.name, f.plain ? {title: f.name} : {}))
		: el('span', {role: 'gridcell', class: 'num'}, column.show(f)));

	function row(f, i) {
		const made = el('div', {class: `row${i === cursor ? ' cursor' : ''}${f === chosen ? ' chosen' : ''}`, role: 'row', id: `function-row-${i}`,
			'aria-rowindex': i + 2, 'aria-selected': String(f === chosen), 'data-row': f.row, onclick: () => {
				cursor = i;
				pick(f);
			}}, columns.map((column) => cell(column, f)));
		made.style.top = `${i * ROW}px`;
		const share = made.querySelector('.name');
		share.style.setProperty('--share', `${Math.min(100, f.share * 100 / most())}%`);
		return made;
	}

	let largest = null;
	function most() {
		largest ??= Math.max(1e-9, ...rows.map((f) => f.share));
		return largest;
	}

	function draw() {
		body.style.height = `${(printing ? Math.min(rows.length, PRINTED) : rows.length) * ROW}px`;
		const first = printing ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW) - AROUND);
		const last = printing ? Math.min(rows.length, PRINTED) : Math.min(rows.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + AROUND);
		body.replaceChildren(...rows.slice(first, last).map((f, i) => row(f, first + i)));
		scroller.setAttribute('aria-activedescendant', rows.length ? `function-row-${cursor}` : '');
	}

	function moveTo(next) {
		cursor = Math.max(0, Math.min(rows.length - 1, next));
		const top = cursor * ROW;
		const room = scroller.clientHeight - ROW; // below the header
		if (top < scroller.scrollTop)
			scroller.scrollTop = top;
		else if (top + ROW > scroller.scrollTop + room)
			scroller.scrollTop = top + ROW - room;
		draw();
	}

	const page = () => Math.max(1, Math.floor(scroller.clientHeight / ROW) - 2);
	const keys = {ArrowUp: () => moveTo(cursor - 1), ArrowDown: () => moveTo(cursor + 1), PageUp: () => moveTo(cursor - page()),
		PageDown: () => moveTo(cursor + page()), Home: () => moveTo(0), End: () => moveTo(rows.length - 1),
		Enter: () => rows[cursor] && pick(rows[cursor]), ' ': () => rows[cursor] && pick(rows[cursor])};
	scroller.addEventListener('keydown', (event) => {
		if (event.target !== scroller || event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key))
			return;
		event.preventDefault();
		keys[event.key]();
	});
	scroller.addEventListener('scroll', draw);
	new ResizeObserver(draw).observe(scroller);
	const print = (on) => {
		printing = on;
		draw();
	};
	addEventListener('beforeprint', () => print(true));
	addEventListener('afterprint', () => print(false));
	matchMedia('print').addEventListener('change', (event) => print(event.matches));

	return {
		element: scroller,
		show(next) {
			rows = next;
			largest = null;
			cursor = Math.max(0, rows.indexOf(chosen));
			scroller.setAttribute('aria-rowcount', rows.length + 1);
			if (rows.length && chosen && rows.includes(chosen))
				moveTo(cursor);
			else {
				scroller.scrollTop = 0;
				draw();
			}
		},
		choose(f) {
			chosen = f;
			const at = rows.indexOf(f);
			if (at >= 0)
				moveTo(at);
			else
				draw();
		},
		order(column, up) {
			heads.forEach((head, i) => head.setAttribute('aria-sort', columns[i] === column ? (up ? 'ascending' : 'descending') : 'none'));
		},
	};
}
