#!/usr/bin/env python3
"""The address of a function, as hex digits: symbol.py BINARY NAME"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../scripts'))
from bat_reader import Elf  # noqa: E402

print(*['%x' % at for name, at in Elf(sys.argv[1]).function_names if name == sys.argv[2]])
