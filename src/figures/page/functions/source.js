// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the code of a block comes from.
import {code} from '../base/dom.js';

/** file:line of a block, as far as it is known; null: it is not. */
export function source({file, line}, files) {
	if (file === null || file === undefined)
		return line ? `line ${line}` : null;
	return code(line ? `${files[file]}:${line}` : files[file]);
}
