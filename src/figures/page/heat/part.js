// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat over addresses: the optimized binary, below it the same code at its places in the input.
import {code, el, redrawn} from '../base/dom.js';
import {bytes, percent} from '../base/format.js';
import {empty, section} from '../base/section.js';
import {footprintTables} from './footprint.js';
import {inputNames, outputNames} from './names.js';
import {linksAt, makeLinks} from './links.js';
import {makeLegend} from './legend.js';
import {makeReadout} from './readout.js';
import {makeRibbons} from './ribbons.js';
import {makeSpace} from './space.js';
import {BLOCKS, makeTrack} from './track.js';

const HELP = 'Left and right move by a block (with Shift by 16), up and down zoom, N and P go to the next block that ran, Page Up and Page Down move the view, Enter chooses the function, 0 shows all.';

function blockChoice(tracks, cell) {
	const choose = el('select', {id: 'block-size', onchange: () => {
		for (const track of tracks) {
			track.size = Number(choose.value);
			track.ask();
		}
	}}, el('option', {value: 0}, 'by zoom'), BLOCKS.filter((size) => size >= cell).map((size) => el('option', {value: size}, bytes(size))));
	return el('label', {class: 'choice'}, 'Blocks ', choose);
}

function sectionChoice(track) {
	const parts = track.space.parts.filter((part) => part.name);
	const choose = el('select', {id: 'go-section', onchange: () => {
		const part = parts[Number(choose.value)];
		if (part)
			track.view.set(part.from, part.to);
		else
			track.view.whole();
	}}, el('option', {value: -1}, 'all sections'), parts.map((part, i) => el('option', {value: i}, code(part.name).textContent)));
	return el('label', {class: 'choice'}, 'Show ', choose);
}

/** Why there is no picture of the input. */
function withoutInput(model) {
	if (!model.bolted)
		return empty('This binary was not rewritten by BOLT: its code lies where the compiler and the linker put it.');
	return empty('The locations of this code in the input are not known.',
		model.input ? 'None of the executed code has a location in it.' : 'With --input=INPUT, the binary that BOLT read, the report shows both and connects them.');
}

function notes(model) {
	const {output, input, input_lost: lost} = model.heat;
	const said = [];
	if (output.cell > output.wanted)
		said.push(`Blocks below ${bytes(output.cell)} did not fit into the page.`);
	if (input && lost)
		said.push(`${percent(100 * lost / output.sum)} of the executed code has no location in the input binary: code that BOLT inserted, or functions that are not known.`);
	said.push('A large section is drawn wide, and so is a hot one: its width is the sum of the square roots of its shares of all bytes and of all heat. Within a section every byte is equally wide.');
	return el('p', {class: 'note'}, said.join(' '));
}

function makePicture(model, chosen) {
	const names = {output: outputNames(model.functions), input: inputNames(model.functions, model.code)};
	const links = model.heat.input ? makeLinks(model) : [];
	const readout = makeReadout(model);
	const legend = makeLegend(model);
	let input = null;
	let ribbons = null;
	let marked = [];

	const linksOf = (f) => links.filter((link) => link.f === f);
	const mark = (found, side) => {
		marked = found;
		if (!input)
			return;
		input.marks = side === 'out' ? found.map((link) => [link.in, link.inEnd]) : [];
		output.marks = side === 'in' ? found.map((link) => [link.out, link.outEnd]) : [];
	};
	const heard = {
		moved: () => {},
		changed: (track) => {
			if (track === output)
				legend.draw(track.level().shade);
			ribbons?.ask(marked);
		},
		looked: (track, block) => {
			const side = track === output ? 'out' : 'in';
			readout.show(track, block);
			mark(block ? linksAt(links, side, block.begin, block.end) : linksOf(chosen.get()), side);
			if (input)
				(track === output ? input : output).ask();
		},
		picked: (track, address) => {
			const {begin, end} = track.blockAt(address);
			const found = track.names.at(address) ?? track.names.within(begin, end).sort((a, b) => a.f.row - b.f.row)[0];
			if (found)
				chosen.set(found.f, 'heat');
		},
	};
	const output = makeTrack({id: 'heat-output', title: model.bolted ? 'Optimized binary' : 'The binary', label: 'Heat of the binary', help: 'heat-help',
		space: makeSpace(model.sections, model.heat.output), cells: model.heat.output, names: names.output, regions: model.regions}, heard);
	if (model.heat.input) {
		input = makeTrack({id: 'heat-input', title: 'Input: the same code where BOLT found it', label: 'Heat of the input', help: 'heat-help', mirrored: true,
			space: makeSpace(model.heat.input_sections ?? [], model.heat.input), cells: model.heat.input, names: names.input}, heard);
		ribbons = makeRibbons(links, output, input);
	}

	chosen.listen((f, who) => {
		for (const track of [output, input].filter(Boolean)) {
			track.chosen = f;
			track.ask();
		}
		mark(f ? linksOf(f) : [], 'out');
		if (!f || who === 'heat')
			return;
		if (f.fragments.length)
			output.view.show(f.fragments[0].address, f.fragments[0].address + f.fragments[0].size);
		const there = linksOf(f);
		if (input && there.length)
			input.view.show(Math.min(...there.map((link) => link.in)), Math.max(...there.map((link) => link.inEnd)));
	});

	const tracks = [output, input].filter(Boolean);
	const picture = el('div', {class: 'heat-picture'}, output.element, ribbons?.element ?? null, input?.element ?? null);
	redrawn(picture, () => tracks.forEach((track) => track.draw()));
	return [
		el('div', {class: 'toolbar'}, blockChoice(tracks, model.heat.output.cell), sectionChoice(output), legend.element),
		readout.element, picture,
		el('p', {class: 'unseen', id: 'heat-help'}, HELP),
		input ? null : withoutInput(model),
		el('details', {class: 'help'}, el('summary', {}, 'How to move in the heat map'),
			el('p', {}, 'Drag over a part to see it nearer, double-click to zoom in, hold Ctrl or Shift and turn the wheel to zoom. A click chooses the function. ', HELP)),
		notes(model),
		...footprintTables(model),
	];
}

export function heatPart(model, chosen) {
	const lead = model.heat.input
		? 'Where code ran, by address. Above as BOLT laid it out, below where the same code was before; a ribbon connects the two.'
		: 'Where code ran, by address.';
	return section('heat', 'Heat', lead, model.heat.output ? makePicture(model, chosen)
		: empty('No code of this binary was seen to run.', 'Samples of other programs, or none at all: the flow above says which.'));
}
