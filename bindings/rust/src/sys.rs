// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The calls of include/batconv/translate.h that this crate uses, as they are in C.
use std::ffi::{c_char, c_int, c_void};

pub const LINES: u32 = 4;
pub const INLINES: u32 = 8;
pub const INSTRUCTIONS: c_int = 0;
pub const CALL_STACK: c_int = 1;

#[repr(C)]
pub struct Error {
    pub code: c_int,
    pub text: [c_char; 768],
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct Location {
    pub function: *const c_char,
    pub offset: u64,
    pub has_vaddr: bool,
    pub vaddr: u64,
    pub file: *const c_char,
    pub line: u32,
    pub inlined: usize,
    pub calls: *const c_void,
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct Inlined {
    pub function: *const c_char,
    pub file: *const c_char,
    pub line: u32,
    pub reserved: [u64; 2],
}

#[repr(C)]
pub struct Translator {
    _private: [u8; 0],
}

extern "C" {
    pub fn batconv_version() -> u32;
    pub fn batconv_translator_open(
        bolted: *const c_char,
        input: *const c_char,
        lookup: u32,
        out: *mut *mut Translator,
        err: *mut Error,
    ) -> bool;
    pub fn batconv_translator_close(translator: *mut Translator);
    pub fn batconv_translate(
        translator: *mut Translator,
        kind: c_int,
        at: *const u64,
        count: usize,
        out: *mut Location,
        err: *mut Error,
    ) -> bool;
    pub fn batconv_location_inlined(location: *const Location, number: usize, out: *mut Inlined) -> bool;
}
