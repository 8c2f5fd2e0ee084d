// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Colors of what is drawn.  Heat is a scale of lightness (pale to dark on white, dark to bright on black), so it is read without
// telling hues apart; kinds of code are hues that stay apart for color-blind readers, and always have their word beside them.

const HEAT = {
	light: ['#f3dfb5', '#f2b765', '#e5813a', '#bf4a30', '#86233a', '#4a0f36'],
	dark: ['#3b2545', '#6d2b52', '#ac3b4a', '#df6a35', '#f6ad4a', '#fff0bd'],
};

/** Kinds of code: key, word, and what it means. */
export const PLACES = [
	['hot', 'hot', 'hot parts of functions that BOLT moved'],
	['cold', 'cold', 'cold parts, split off'],
	['original', 'original', 'original bodies (.bolt.org.text)'],
	['ignored', 'ignored', 'functions that BOLT ignored'],
	['plt', 'PLT', 'PLT entries'],
	['none', 'no function', 'in no function'],
];

export const placeWord = (place) => (PLACES.find(([key]) => key === place) ?? [place, place])[1];

function isDark() {
	return matchMedia('(prefers-color-scheme: dark)').matches && !matchMedia('print').matches;
}

const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** t from 0 to 1, 256 steps */
export function heatScale() {
	const stops = HEAT[isDark() ? 'dark' : 'light'].map(parts);
	const steps = [];
	for (let i = 0; i < 256; i++) {
		const place = i / 255 * (stops.length - 1);
		const low = Math.min(Math.floor(place), stops.length - 2);
		const [a, b, f] = [stops[low], stops[low + 1], place - low];
		steps.push(`rgb(${a.map((x, c) => Math.round(x + (b[c] - x) * f)).join(' ')})`);
	}
	return (t) => steps[Math.max(0, Math.min(255, Math.round(t * 255)))];
}

/** The value of a custom property of the page: token('ink') */
export function token(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const placeColor = (place) => token(`place-${place}`);
