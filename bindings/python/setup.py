# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a wheel that carries the library that BATCONV_LIBRARY names, for the machine that it was built on; without it
one for a system that has libbatconv."""
import os
import shutil

from setuptools import setup
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

library = os.environ.get('BATCONV_LIBRARY')


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return bool(library)


class AnyPython(bdist_wheel):
    """The library is tied to the machine, and to no version of Python."""

    def get_tag(self):
        return ('py3', 'none', super().get_tag()[2])


if library:
    shutil.copy(library, os.path.join('batconv', 'libbatconv.so'))
setup(distclass=WithLibrary, cmdclass={'bdist_wheel': AnyPython})
