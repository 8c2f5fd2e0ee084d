// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One ledger as a flow diagram.
import {sankey, sankeyLeft, sankeyLinkHorizontal} from 'd3-sankey';
import {svg} from '../base/dom.js';
import {count, percent} from '../base/format.js';
import {lines} from './lines.js';

const BAR = 10; // px wide
const LINE = 16; // px of a line of text
const TEXT = 6.6; // px of a character, about

/** Nodes and links of d3-sankey: read, then kept or dropped, then the reasons. */
function graph({read, kept, dropped}) {
	const nodes = [{key: 'read', kind: 'read', value: read}];
	const links = [];
	const lead = (source, end) => {
		nodes.push(end);
		links.push({source, target: end.key, value: end.count, kind: end.kind});
	};
	if (kept.count)
		lead('read', {...kept});
	for (const end of [...dropped].sort((a, b) => (a.kind === b.kind ? b.count - a.count : a.kind === 'warning' ? -1 : 1)))
		lead('read', {...end});
	return {nodes, links};
}

/** Labels, each as high as its lines, from top to bottom without overlap. */
function place(labels, height) {
	let free = 0;
	for (const label of labels) {
		label.top = Math.max(free, label.middle - label.high / 2);
		free = label.top + label.high + 4;
	}
	let end = height;
	for (const label of [...labels].reverse()) {
		label.top = Math.min(label.top, end - label.high);
		end = label.top - 4;
	}
}

function label({node, top, text, x}, read) {
	const shown = svg('text', {x, y: top + 12, class: 'flow-label'});
	text.forEach((line, i) => shown.append(svg('tspan', {x, dy: i ? LINE : 0}, line)));
	shown.append(svg('tspan', {x, dy: LINE, class: 'flow-count'}, `${node.kind === 'warning' ? '▲ ' : ''}${count(node.count)} · ${percent(100 * node.count / read)}`));
	return shown;
}

export function drawFlow(ledger, width) {
	const {read} = ledger;
	const room = Math.min(260, Math.max(130, width * 0.52)); // of the labels
	const right = width - room;
	const ends = graph(ledger);
	const wrapped = ends.nodes.slice(1).map((node) => lines(node.text, Math.floor((room - 8) / TEXT)));
	const high = wrapped.reduce((sum, text) => sum + (text.length + 1) * LINE + 6, 0);
	const height = Math.max(150, high + 8);
	const layout = sankey().nodeId((n) => n.key).nodeAlign(sankeyLeft).nodeWidth(BAR).nodePadding(Math.min(14, 60 / wrapped.length))
		.nodeSort(null).linkSort(null).extent([[0, 4], [right, height - 4]]);
	const {nodes, links} = layout(ends);
	const labels = nodes.slice(1).map((node, i) => ({node, text: wrapped[i], x: right + 10, high: (wrapped[i].length + 1) * LINE, middle: (node.y0 + node.y1) / 2}));

	place(labels, height);
	return svg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true'},
		links.map((link) => svg('path', {class: `flow-link flow-${link.kind}`, d: sankeyLinkHorizontal()(link), 'stroke-width': Math.max(1, link.width)},
			svg('title', {}, `${link.target.text}: ${count(link.value)}`))),
		nodes.map((node) => svg('rect', {class: `flow-node flow-${node.kind}`, x: node.x0, y: node.y0, width: node.x1 - node.x0, height: Math.max(1.5, node.y1 - node.y0)})),
		labels.map((l) => label(l, read)));
}
