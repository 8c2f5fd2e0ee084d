# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of nm and eu-addr2line, as in tests/release/api/test_api.c."""
import os
import re
import subprocess
import sys
import threading
import unittest

import batconv

LINES = os.path.join(os.environ['INPUTS'], 'lines')
BOLTED, INPUT = os.path.join(LINES, 'g4.b22'), os.path.join(LINES, 'g4')


class TranslatorTest(unittest.TestCase):
    def test_places(self):
        with batconv.Translator(BOLTED, INPUT, lines=True, inlines=True) as translator:
            main, cold, nothing = translator.translate([0x6010, 0x6343, 0x999999])
        self.assertEqual(main, batconv.Location('main', 0x10, 0x1110, '/src/main.cc', 25,
                                             (batconv.Call('atoi', '/usr/include/stdlib.h', 364),)))
        self.assertEqual((cold.function, cold.vaddr, cold.line, cold.inlined), ('rare_c', 0x1443, 8, ()))
        self.assertIsNone(nothing)

    def test_stack(self):
        with batconv.Translator(BOLTED) as translator:
            locations = translator.translate([0x6343, 0x6166], stack=True)
            self.assertEqual([location.function for location in locations], ['rare_c', '_Z4rarei'])
            self.assertEqual([location.vaddr for location in locations], [None, None])
            self.assertEqual(translator.translate([]), [])

    def test_errors(self):
        for arguments, code in ((('/nowhere',), 'IO'), ((BOLTED, None, True), 'NOTFOUND'), ((__file__,), 'FORMAT'),
                                ((INPUT, BOLTED), 'MISMATCH'), ((BOLTED, os.path.join(LINES, 'g5')), 'MISMATCH')):
            with self.assertRaises(batconv.Error) as raised:
                batconv.Translator(*arguments)
            self.assertEqual(raised.exception.code, code)
        translator = batconv.Translator(BOLTED)
        translator.close()
        translator.close()
        self.assertRaises(ValueError, translator.translate, [1])
        with batconv.Translator(BOLTED) as translator:
            self.assertRaises(OverflowError, translator.translate, [-1])

    def test_paths_with_a_nul(self):
        self.assertRaises(ValueError, batconv.Translator, BOLTED + '\0.old')
        self.assertRaises(ValueError, batconv.Translator, BOLTED, INPUT.encode() + b'\0')

    def test_bytes_are_numbers(self):
        with batconv.Translator(BOLTED) as translator:
            for addresses in b'12345678', bytearray(3):
                self.assertEqual(translator.translate(addresses), [None] * len(addresses))

    def test_another_library(self):
        done = subprocess.run([sys.executable, '-c', 'import batconv'], stderr=subprocess.PIPE, check=False,
                              env=dict(os.environ, BATCONV_LIBRARY='libc.so.6'))
        self.assertIn(b'ImportError: libc.so.6 is not libbatconv', done.stderr)

    def test_threads(self):
        with batconv.Translator(BOLTED, INPUT, lines=True) as translator:
            def run(first):
                for _ in range(50):
                    locations = translator.translate(range(0x6000 + first, 0x63bc, 7))
                    seen.append([location.line for location in locations if location] == expected[first])
            expected = {first: [p.line for p in translator.translate(range(0x6000 + first, 0x63bc, 7)) if p] for first in range(4)}
            seen = []
            threads = [threading.Thread(target=run, args=(first,)) for first in expected]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(seen, [True] * 200)

    def test_codes_of_later_releases(self):
        self.assertEqual(batconv._failed(batconv._Error(7, b'why')).code, 'ARGUMENT')
        self.assertEqual(batconv._failed(batconv._Error(99, b'why')).code, 'CODE 99')

    def test_version(self):
        self.assertTrue(re.fullmatch(r'\d+\.\d+\.\d+', batconv.version()))
