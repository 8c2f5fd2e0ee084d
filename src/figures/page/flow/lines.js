// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text in lines, as SVG does not break them.

/** Lines of at most so many characters, broken between words. */
export function lines(text, most) {
	const made = [''];
	for (const word of text.split(' ')) {
		const line = made[made.length - 1];
		if (line && line.length + 1 + word.length > most)
			made.push(word);
		else
			made[made.length - 1] = line ? `${line} ${word}` : word;
	}
	return made;
}
