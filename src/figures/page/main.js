// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of batconv report, or of batconv compare: reads its data, and draws its parts from top to bottom.
import {readModel} from './base/model.js';
import {shared} from './base/chosen.js';
import {el, visible} from './base/dom.js';
import {fileName} from './base/format.js';
import {againstPart} from './against/part.js';
import {checksPart} from './checks/part.js';
import {comparison} from './compare.js';
import {coveragePart} from './curve/part.js';
import {flowPart} from './flow/part.js';
import {followAddress} from './functions/link.js';
import {functionsPart} from './functions/part.js';
import {head, navigation} from './head.js';
import {heatPart} from './heat/part.js';
import {nextPart} from './verdict/next.js';
import {verdictPart} from './verdict/part.js';

const report = {
	read: readModel,
	title: (model) => `${visible(fileName(model.optimized))} · batconv report`,
	top: (model) => [head(model), navigation(model)],
	parts: [nextPart, verdictPart, flowPart, heatPart, coveragePart, functionsPart, againstPart, checksPart],
	after: followAddress,
};

const data = JSON.parse(document.getElementById('data').textContent);
const kind = data.format === 'batconv-compare-page' ? comparison : report;
const model = kind.read(data);
const chosen = shared();
const page = document.getElementById('page');
const main = el('main', {id: 'main'});

page.append(...kind.top(model), main);
for (const part of kind.parts)
	main.append(part(model, chosen));
kind.after(model, chosen);
document.title = kind.title(model);
