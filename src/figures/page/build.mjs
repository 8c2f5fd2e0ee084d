// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the page of index.html, the style sheets, and main.js with what it imports: node build.mjs PAGE LICENSES
// The page is one file; its policy forbids all that is not in it, by the hashes of its own script and style.
import {build} from 'esbuild';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

const SIZE_MAX = 200000; // bytes of a page without its data
const LINE_MAX = 512; // characters: what has longer lines has no source, to lintian
const [page, licenses] = process.argv.slice(2);
const common = {bundle: true, minify: true, write: false, charset: 'utf8', legalComments: 'none', lineLimit: 100, target: ['chrome100', 'firefox100', 'safari15.4']};

const script = await build({...common, entryPoints: ['main.js'], format: 'iife', metafile: true});
const style = await build({...common, entryPoints: ['style/main.css'], metafile: true});

/** The packages that went into the page, by name. */
function packages() {
	const found = new Set();
	const outputs = [script, style].flatMap(({metafile}) => Object.values(metafile.outputs));
	for (const [file, {bytesInOutput}] of outputs.flatMap(({inputs}) => Object.entries(inputs))) {
		const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file);
		if (name && bytesInOutput)
			found.add(name[1]);
	}
	return [...found].sort();
}

function license(name) {
	const folder = join('node_modules', name);
	const {version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
	const text = readFileSync(join(folder, 'LICENSE'), 'utf8').replaceAll('\r', '').trim();
	return `${name} ${version} (${license})\n\n${text}\n`;
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const code = script.outputFiles[0].text.trim().replaceAll('</script', '<\\/script');
const css = style.outputFiles[0].text.trim();
const terms = `The page of batconv report contains these libraries:\n\n${packages().map(license).join(`\n${'-'.repeat(72)}\n\n`)}`;
const escaped = terms.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(css)}; img-src data:; base-uri 'none'; form-action 'none'`;

const parts = {STYLE: css, SCRIPT: code, LICENSES: escaped, POLICY: policy};
const made = readFileSync('index.html', 'utf8').replace(/@(STYLE|SCRIPT|LICENSES|POLICY)@/g, (_, part) => parts[part]);
if (Buffer.byteLength(made) > SIZE_MAX)
	throw new Error(`the page has ${Buffer.byteLength(made)} bytes, more than ${SIZE_MAX}`);
if (made.split('@BATCONV_REPORT_DATA@').length !== 2)
	throw new Error('the place of the data must be there once');
if (made.split('\n').some((line) => line.length > LINE_MAX))
	throw new Error(`a line of the page has more than ${LINE_MAX} characters`);
writeFileSync(page, made);
writeFileSync(licenses, terms);
console.log(`${Buffer.byteLength(made)} bytes: script ${Buffer.byteLength(code)}, style ${Buffer.byteLength(css)}, licenses ${Buffer.byteLength(escaped)}`);
