# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Addresses of a BOLTed program -> functions, addresses and source lines of the binary that llvm-bolt read.

    import batconv

    with batconv.Translator('prog.bolt', 'prog', lines=True) as translator:
        for location in translator.translate([0x401234, 0x402345]):
            print(location.function, location.offset, location.vaddr, location.file, location.line)

The C interface under this, with what it promises, is include/batconv/translate.h.
"""
import array
import ctypes
import os
import threading
from typing import Iterable, List, NamedTuple, Optional, Tuple

__all__ = ['Call', 'Error', 'Location', 'Translator', 'version']

_LINES, _INLINES = 4, 8  # enum batconv_lookup
_INSTRUCTIONS, _CALL_STACK = 0, 1  # enum batconv_addresses
_CODES = ('OK', 'NOMEM', 'IO', 'FORMAT', 'UNSUPPORTED', 'NOTFOUND', 'MISMATCH', 'ARGUMENT')  # enum batconv_code
_MAJOR, _MINOR = 1, 0  # the release whose structs are below


class Error(Exception):
    """What libbatconv refused, in one line.

    .code is NOMEM, IO, FORMAT, UNSUPPORTED, NOTFOUND, MISMATCH, ARGUMENT, or a word of a later release of libbatconv,
    'CODE 8' if that is not known here.
    """

    def __init__(self, code: str, text: str):
        super().__init__(text)
        self.code = code


class Call(NamedTuple):
    """A function that was inlined, and where in it the address is.  Later releases can add fields at the end."""
    function: Optional[str]
    file: Optional[str]
    line: int


class Location(NamedTuple):
    """Where an address was in the binary that llvm-bolt read.  Later releases can add fields at the end."""
    function: str  # as BOLT names it: 'main', 'emit/expr.c/1'
    offset: int  # bytes from its beginning
    vaddr: Optional[int]  # None: no input was given, or it has no such function
    file: Optional[str]  # None: not known, or not asked for
    line: int  # 0 as well
    inlined: Tuple[Call, ...]  # innermost first


class _Error(ctypes.Structure):
    _fields_ = [('code', ctypes.c_int), ('text', ctypes.c_char * 768), ('reserved', ctypes.c_uint64 * 2)]


class _Location(ctypes.Structure):
    _fields_ = [('function', ctypes.c_char_p), ('offset', ctypes.c_uint64), ('has_vaddr', ctypes.c_bool),
                ('vaddr', ctypes.c_uint64), ('file', ctypes.c_char_p), ('line', ctypes.c_uint32),
                ('inlined', ctypes.c_size_t), ('calls', ctypes.c_void_p), ('reserved', ctypes.c_uint64 * 2)]


class _Inlined(ctypes.Structure):
    _fields_ = [('function', ctypes.c_char_p), ('file', ctypes.c_char_p), ('line', ctypes.c_uint32),
                ('reserved', ctypes.c_uint64 * 2)]


def _library_path() -> str:
    """$BATCONV_LIBRARY, the library in this package (of a wheel), or the system's."""
    named = os.environ.get('BATCONV_LIBRARY')
    if named:
        return named
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'libbatconv.so')
    return own if os.path.exists(own) else 'libbatconv.so.1'


def _load() -> ctypes.CDLL:
    path = _library_path()
    try:
        library = ctypes.CDLL(path)
    except OSError as why:
        raise ImportError('libbatconv cannot be loaded (%s): install libbatconv1, or set BATCONV_LIBRARY to the path of '
                          'libbatconv.so' % why) from None
    if not hasattr(library, 'batconv_version'):
        raise ImportError('%s is not libbatconv: it has no batconv_version' % path)
    library.batconv_version.restype = ctypes.c_uint32
    number = library.batconv_version()
    major, minor = number // 1000000, number // 1000 % 1000
    if major != _MAJOR or minor < _MINOR:
        raise ImportError('libbatconv is version %d.%d; this package needs %d.%d, or a later one of %d: install that'
                          % (major, minor, _MAJOR, _MINOR, _MAJOR))
    error = ctypes.POINTER(_Error)
    library.batconv_translator_open.restype = ctypes.c_bool
    library.batconv_translator_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint32,
                                                ctypes.POINTER(ctypes.c_void_p), error]
    library.batconv_translator_close.restype = None
    library.batconv_translator_close.argtypes = [ctypes.c_void_p]
    library.batconv_translate.restype = ctypes.c_bool
    library.batconv_translate.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t,
                                          ctypes.POINTER(_Location), error]
    library.batconv_location_inlined.restype = ctypes.c_bool
    library.batconv_location_inlined.argtypes = [ctypes.POINTER(_Location), ctypes.c_size_t, ctypes.POINTER(_Inlined)]
    return library


_c = _load()


def version() -> str:
    """The version of libbatconv that is used."""
    number = _c.batconv_version()
    return '%d.%d.%d' % (number // 1000000, number // 1000 % 1000, number % 1000)


def _text(raw: Optional[bytes]) -> Optional[str]:
    return None if raw is None else os.fsdecode(raw)


def _path(path) -> bytes:
    raw = os.fsencode(path)
    if b'\0' in raw:  # C would take what is before
        raise ValueError('embedded null byte in a path')
    return raw


def _failed(error: _Error) -> Error:
    code = _CODES[error.code] if error.code < len(_CODES) else 'CODE %d' % error.code
    return Error(code, _text(error.text))


def _calls(location: _Location) -> Tuple[Call, ...]:
    out = _Inlined()
    calls = []
    for number in range(location.inlined):
        _c.batconv_location_inlined(ctypes.byref(location), number, ctypes.byref(out))
        calls.append(Call(_text(out.function), _text(out.file), out.line))
    return tuple(calls)


class Translator:
    """Translates addresses of one binary.  Threads can share it: they take turns.

    bolted   the binary that runs.  One without a translation table is its own input.
    input    the binary that llvm-bolt read (another one raises Error, .code MISMATCH); without it functions and offsets
             are known, vaddrs and lines are not
    lines    look for source files and lines, for which an input is needed
    inlines  look for inlined calls as well
    """

    def __init__(self, bolted, input=None, lines: bool = False, inlines: bool = False):
        self._handle = ctypes.c_void_p()
        self._turn = threading.Lock()  # a call of ctypes lets other threads run
        error = _Error()
        if not _c.batconv_translator_open(_path(bolted), None if input is None else _path(input),
                                          (_LINES if lines else 0) | (_INLINES if inlines else 0),
                                          ctypes.byref(self._handle), ctypes.byref(error)):
            raise _failed(error)

    def translate(self, addresses: Iterable[int], stack: bool = False) -> List[Optional[Location]]:
        """For each vaddr its Location, or None where no function is known.

        stack: the addresses are a call stack, innermost first: those after the first are return addresses,
        of which the call is looked up, one byte before.
        """
        at = array.array('Q', iter(addresses) if isinstance(addresses, (bytes, bytearray)) else addresses)  # not raw bytes
        out = (_Location * len(at))()
        error = _Error()
        with self._turn:
            if not self._handle:
                raise ValueError('the translator is closed')
            if not _c.batconv_translate(self._handle, _CALL_STACK if stack else _INSTRUCTIONS, at.buffer_info()[0], len(at),
                                        out, ctypes.byref(error)):
                raise _failed(error)
            return [None if location.function is None else
                    Location(_text(location.function), location.offset, location.vaddr if location.has_vaddr else None, _text(location.file),
                          location.line, _calls(location) if location.inlined else ()) for location in out]

    def close(self) -> None:
        """Give back what the translator holds; a second call does nothing."""
        with self._turn:
            _c.batconv_translator_close(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> 'Translator':
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def __del__(self):
        if getattr(self, '_handle', None):
            self.close()
