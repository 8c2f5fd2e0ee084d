// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The function that is chosen, of which table, heat and blocks show the same.

/** A value that tells who listens: {get, set(value, who), listen(f)}; f(value, who) */
export function shared(value = null) {
	const listeners = [];
	return {
		get: () => value,
		set(next, who = null) {
			if (next === value)
				return;
			value = next;
			for (const listener of listeners)
				listener(value, who);
		},
		listen: (listener) => listeners.push(listener),
	};
}
