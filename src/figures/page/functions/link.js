// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The address of the page with a function: page.html#function=NAME, with the name in the profile.
const MARK = '#function=';

export const linkTo = (f) => MARK + encodeURIComponent(f.name);

/** The function that the address of the page names, or null. */
function named(functions) {
	if (!location.hash.startsWith(MARK))
		return null;
	try {
		const name = decodeURIComponent(location.hash.slice(MARK.length));
		return functions.listed.find((f) => f.name === name) ?? null;
	} catch {
		return null; // it is cut within a character
	}
}

/** Chooses what the address names, now and when it changes; a choice changes the address. */
export function followAddress(model, chosen) {
	const follow = () => {
		const f = named(model.functions);
		if (!f)
			return;
		chosen.set(f, 'address');
		document.getElementById('detail').scrollIntoView({block: 'start'});
	};
	chosen.listen((f, who) => f && who !== 'address' && history.replaceState(null, '', linkTo(f)));
	addEventListener('hashchange', follow);
	follow();
}
