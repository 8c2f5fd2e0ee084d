// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Package batconv translates addresses of a BOLTed program to functions, addresses and source lines of the binary
// that llvm-bolt read.
//
// It calls libbatconv, which pkg-config finds. The C interface, with what it promises, is include/batconv/translate.h.
package batconv

/*
#cgo pkg-config: batconv
#include <stdlib.h>
#include "batconv/batconv.h"

// The headers that this package was compiled with, and the library that it runs with.
static uint32_t compiled_version(void) { return BATCONV_VERSION_NUMBER; }
*/
import "C"

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// What to look for beside functions and addresses, which needs an input.
const (
	Lines   = C.BATCONV_LOOKUP_LINES   // source files and lines
	Inlines = C.BATCONV_LOOKUP_INLINES // calls that were inlined as well
)

// Code says why a call failed. A later libbatconv can have others.
type Code int

const (
	NoMem       Code = C.BATCONV_ERROR_NOMEM       // out of memory
	IO          Code = C.BATCONV_ERROR_IO          // the system refused to open or read
	Format      Code = C.BATCONV_ERROR_FORMAT      // the file is damaged
	Unsupported Code = C.BATCONV_ERROR_UNSUPPORTED // the file is fine, but not of a kind handled here
	NotFound    Code = C.BATCONV_ERROR_NOTFOUND    // what was asked for is not there
	Mismatch    Code = C.BATCONV_ERROR_MISMATCH    // files that do not belong together
	Argument    Code = C.BATCONV_ERROR_ARGUMENT    // an option that this libbatconv does not know
)

// Error is what libbatconv refused, in one line.
type Error struct {
	Code Code
	Text string
}

func (e *Error) Error() string { return e.Text }

// Call is a function that was inlined, and where in it the address is.
type Call struct {
	Function string // "": DWARF has no name for it
	File     string // "": not known
	Line     uint32
}

// Location is where an address was in the binary that llvm-bolt read.
type Location struct {
	Function string // as BOLT names it: "main", "emit/expr.c/1"; "": in no function that is known
	Offset   uint64 // bytes from its beginning
	HasVaddr bool   // an input was given, and has that function
	Vaddr    uint64 // of the location in the input
	File     string // "": not known, or not asked for
	Line     uint32 // 0 as well
	Inlined  []Call // innermost first
}

// Translator translates addresses of one binary. Goroutines can share it: they take turns.
type Translator struct {
	turn   sync.Mutex
	handle *C.struct_batconv_translator
}

// Version is that of the library, such as "1.0.0".
func Version() string {
	number := uint32(C.batconv_version())
	return fmt.Sprintf("%d.%d.%d", number/1000000, number/1000%1000, number%1000)
}

func failed(err *C.struct_batconv_error) error {
	return &Error{Code(err.code), C.GoString(&err.text[0])}
}

// Open makes a translator, to be closed.
//
// bolted is the binary that runs; one without a translation table is its own input. input is the binary that llvm-bolt
// read, or "": functions and offsets are known without it, vaddrs and lines are not. An input that is another one's is
// refused (Mismatch). options are Lines, Inlines or 0.
func Open(bolted, input string, options uint) (*Translator, error) {
	number, compiled := uint32(C.batconv_version()), uint32(C.compiled_version())
	if number/1000000 != compiled/1000000 || number < compiled/1000*1000 {
		return nil, &Error{Unsupported, "libbatconv " + Version() + " is older than its headers, or of another major version"}
	}
	if uint(uint32(options)) != options {
		return nil, &Error{Argument, "options: a bit that is not known to this package"}
	}
	for _, path := range []string{bolted, input} {
		if strings.IndexByte(path, 0) >= 0 { // C would take what stands before
			return nil, &Error{IO, fmt.Sprintf("%q: a path with a NUL", path)}
		}
	}
	t := &Translator{}
	var err C.struct_batconv_error
	var cInput *C.char
	cBolted := C.CString(bolted)
	defer C.free(unsafe.Pointer(cBolted))
	if input != "" {
		cInput = C.CString(input)
		defer C.free(unsafe.Pointer(cInput))
	}
	if !C.batconv_translator_open(cBolted, cInput, C.uint32_t(options), &t.handle, &err) {
		return nil, failed(&err)
	}
	return t, nil
}

// Close gives back what the translator holds; a second call does nothing.
func (t *Translator) Close() {
	t.turn.Lock()
	defer t.turn.Unlock()
	C.batconv_translator_close(t.handle)
	t.handle = nil
}

// Translate finds the place of each vaddr. The result has one for each; its Function is "" where none is known.
func (t *Translator) Translate(addresses []uint64) ([]Location, error) {
	return t.translate(C.BATCONV_ADDRESSES_INSTRUCTIONS, addresses)
}

// TranslateStack does so for a call stack, innermost address first: those behind the first are return addresses, of
// which the call is looked up, one byte before.
func (t *Translator) TranslateStack(addresses []uint64) ([]Location, error) {
	return t.translate(C.BATCONV_ADDRESSES_CALL_STACK, addresses)
}

func (t *Translator) translate(kind C.enum_batconv_addresses, addresses []uint64) ([]Location, error) {
	t.turn.Lock()
	defer t.turn.Unlock()
	if t.handle == nil {
		return nil, &Error{NotFound, "the translator is closed"}
	}
	if len(addresses) == 0 {
		return nil, nil
	}
	var err C.struct_batconv_error
	raw := make([]C.struct_batconv_location, len(addresses))
	at := (*C.struct_batconv_vaddr)(unsafe.Pointer(&addresses[0])) // a struct of one uint64_t
	if !C.batconv_translate(t.handle, kind, at, C.size_t(len(addresses)), &raw[0], &err) {
		return nil, failed(&err)
	}
	names := map[*C.char]string{} // of the functions and files, which repeat
	locations := make([]Location, len(addresses))
	for i := range raw {
		locations[i] = location(&raw[i], names)
	}
	runtime.KeepAlive(t)
	return locations, nil
}

func text(at *C.char, names map[*C.char]string) string {
	if at == nil {
		return ""
	}
	name, known := names[at]
	if !known {
		name = C.GoString(at)
		names[at] = name
	}
	return name
}

func location(raw *C.struct_batconv_location, names map[*C.char]string) Location {
	out := Location{
		Function: text(raw.input.function, names), Offset: uint64(raw.input.offset), HasVaddr: bool(raw.has_vaddr),
		Vaddr: uint64(raw.vaddr.v), File: text(raw.file, names), Line: uint32(raw.line),
	}
	for number := C.size_t(0); number < raw.inlined; number++ {
		var call C.struct_batconv_inlined
		C.batconv_location_inlined(raw, number, &call)
		out.Inlined = append(out.Inlined, Call{text(call.function, names), text(call.file, names), uint32(call.line)})
	}
	return out
}
