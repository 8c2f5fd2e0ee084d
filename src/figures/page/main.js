// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page of batconv report: reads the data that stands in it, and draws its parts from top to bottom.
import {readModel} from './base/model.js';
import {shared} from './base/chosen.js';
import {el, visible} from './base/dom.js';
import {fileName} from './base/format.js';
import {againstPart} from './against/part.js';
import {checksPart} from './checks/part.js';
import {coveragePart} from './curve/part.js';
import {flowPart} from './flow/part.js';
import {followAddress} from './functions/link.js';
import {functionsPart} from './functions/part.js';
import {head, navigation} from './head.js';
import {heatPart} from './heat/part.js';
import {nextPart} from './verdict/next.js';
import {verdictPart} from './verdict/part.js';

const model = readModel(document.getElementById('data').textContent);
const chosen = shared();
const parts = [nextPart, verdictPart, flowPart, heatPart, coveragePart, functionsPart, againstPart, checksPart];
const page = document.getElementById('page');
const main = el('main', {id: 'main'});

page.append(head(model), navigation(model), main);
for (const part of parts)
	main.append(part(model, chosen));
followAddress(model, chosen);
document.title = `${visible(fileName(model.optimized))} · batconv report`;
