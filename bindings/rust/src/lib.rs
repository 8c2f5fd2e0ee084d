// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Addresses of a BOLTed program -> functions, addresses and source lines of the binary that llvm-bolt read.
//!
//! ```no_run
//! let mut translator = batconv::Translator::open("prog.bolt", Some("prog".as_ref()), batconv::Lookup::Lines)?;
//! for location in translator.translate(&[0x401234, 0x402345])?.into_iter().flatten() {
//!     println!("{}+{:#x} {:?}", location.function.to_string_lossy(), location.offset, location.file);
//! }
//! # Ok::<(), batconv::Error>(())
//! ```
//!
//! It calls libbatconv, which pkg-config finds. The C interface, with what it promises, is
//! include/batconv/translate.h.
mod sys;

use std::ffi::{c_char, CStr, CString};
use std::mem::MaybeUninit;
use std::path::Path;
use std::{fmt, ptr};

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Code {
    NoMem,
    Io,
    Format,
    Unsupported,
    NotFound,
    Mismatch,
    Argument,
    /// of a later libbatconv
    Other(i32),
}

/// What libbatconv refused, in one line.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Error {
    pub code: Code,
    pub text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

/// What to look for beside functions and addresses; anything but `Nothing` needs an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lookup {
    Nothing,
    /// source files and lines
    Lines,
    /// lines, and calls that were inlined
    Inlines,
}

/// A function that was inlined, and where in it the address is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Call<'a> {
    /// None: DWARF has no name for it.
    pub function: Option<&'a CStr>,
    pub file: Option<&'a CStr>,
    pub line: u32,
}

/// Where an address was in the binary that llvm-bolt read. Its strings are those of the translator, with the bytes that
/// the binary has.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Location<'a> {
    /// As BOLT names it: `main`, `emit/expr.c/1`.
    pub function: &'a CStr,
    /// Bytes from its beginning.
    pub offset: u64,
    /// None: no input was given, or it has no such function.
    pub vaddr: Option<u64>,
    /// None: not known, or not asked for.
    pub file: Option<&'a CStr>,
    /// 0 as well.
    pub line: u32,
    /// Innermost first.
    pub inlined: Vec<Call<'a>>,
}

/// Translates addresses of one binary. It can be sent to another thread, and is used by one at a time.
pub struct Translator {
    handle: *mut sys::Translator,
}

// SAFETY: address.h: a translator is tied to no thread; `&mut self` keeps others out.
unsafe impl Send for Translator {}

/// The version of the library, such as "1.0.0".
pub fn version() -> String {
    // SAFETY: it takes nothing and always answers.
    let number = unsafe { sys::batconv_version() };
    format!("{}.{}.{}", number / 1_000_000, number / 1000 % 1000, number % 1000)
}

fn failed(raw: &sys::Error) -> Error {
    let code = match raw.code {
        1 => Code::NoMem,
        2 => Code::Io,
        3 => Code::Format,
        4 => Code::Unsupported,
        5 => Code::NotFound,
        6 => Code::Mismatch,
        7 => Code::Argument,
        other => Code::Other(other),
    };
    // SAFETY: a call that failed filled the text, which ends with a NUL.
    let text = unsafe { CStr::from_ptr(raw.text.as_ptr()) };
    Error { code, text: text.to_string_lossy().into_owned() }
}

/// Major and minor number.
fn minor_version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|word| word.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn c_path(path: &Path) -> Result<CString, Error> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes())
        .map_err(|_| Error { code: Code::Io, text: format!("{}: a path with a NUL", path.display()) })
}

/// SAFETY: `at` is NULL, or a string of the translator that lives as long as 'a.
unsafe fn string<'a>(at: *const c_char) -> Option<&'a CStr> {
    (!at.is_null()).then(|| CStr::from_ptr(at))
}

impl Translator {
    /// `bolted` is the binary that runs; one without a translation table is its own input. `input` is the binary that
    /// llvm-bolt read: without it functions and offsets are known, vaddrs and lines are not. An input that is another
    /// one's is refused (`Code::Mismatch`).
    pub fn open(bolted: impl AsRef<Path>, input: Option<&Path>, lookup: Lookup) -> Result<Translator, Error> {
        let bolted = c_path(bolted.as_ref())?;
        let input = input.map(c_path).transpose()?;
        let lookup = match lookup {
            Lookup::Nothing => 0,
            Lookup::Lines => sys::LINES,
            Lookup::Inlines => sys::LINES | sys::INLINES,
        };
        // The structs of sys.rs are those of this release.
        let (theirs, ours) = (minor_version(&version()), minor_version(env!("CARGO_PKG_VERSION")));
        if theirs.0 != ours.0 || theirs.1 < ours.1 {
            let text = format!("libbatconv {}.{} is older than this crate, or of another major version: {}.{}", theirs.0, theirs.1, ours.0, ours.1);
            return Err(Error { code: Code::Unsupported, text });
        }
        let mut handle = ptr::null_mut();
        let mut err = MaybeUninit::uninit();
        // SAFETY: the strings live until the call returns; the error is filled where it returns false.
        unsafe {
            let input = input.as_ref().map_or(ptr::null(), |path| path.as_ptr());
            if !sys::batconv_translator_open(bolted.as_ptr(), input, lookup, &mut handle, err.as_mut_ptr()) {
                return Err(failed(err.assume_init_ref()));
            }
        }
        Ok(Translator { handle })
    }

    /// The place of each vaddr; None where no function is known.
    pub fn translate(&mut self, addresses: &[u64]) -> Result<Vec<Option<Location<'_>>>, Error> {
        self.locations(sys::INSTRUCTIONS, addresses)
    }

    /// The same for a call stack, innermost address first: those behind the first are return addresses, of which the
    /// call is looked up, one byte before.
    pub fn translate_stack(&mut self, addresses: &[u64]) -> Result<Vec<Option<Location<'_>>>, Error> {
        self.locations(sys::CALL_STACK, addresses)
    }

    fn locations(&mut self, kind: std::ffi::c_int, addresses: &[u64]) -> Result<Vec<Option<Location<'_>>>, Error> {
        let mut raw: Vec<sys::Location> = Vec::with_capacity(addresses.len());
        let mut err = MaybeUninit::uninit();
        // SAFETY: there is room for a place of each address, and all are set where it returns true.
        unsafe {
            if !sys::batconv_translate(self.handle, kind, addresses.as_ptr(), addresses.len(), raw.as_mut_ptr(), err.as_mut_ptr()) {
                return Err(failed(err.assume_init_ref()));
            }
            raw.set_len(addresses.len());
            Ok(raw.iter().map(|raw| Self::location(raw)).collect())
        }
    }

    /// SAFETY: `raw` was filled by a translator that lives as long as 'a.
    unsafe fn location<'a>(raw: &sys::Location) -> Option<Location<'a>> {
        let inlined = (0..raw.inlined)
            .map(|number| {
                let mut call = MaybeUninit::<sys::Inlined>::uninit();
                let there = sys::batconv_location_inlined(raw, number, call.as_mut_ptr());
                assert!(there, "libbatconv has fewer inlined calls than it said");
                let call = call.assume_init();
                Call { function: string(call.function), file: string(call.file), line: call.line }
            })
            .collect();
        Some(Location {
            function: string(raw.function)?,
            offset: raw.offset,
            vaddr: raw.has_vaddr.then_some(raw.vaddr),
            file: string(raw.file),
            line: raw.line,
            inlined,
        })
    }
}

impl Drop for Translator {
    fn drop(&mut self) {
        // SAFETY: it was opened, and no location borrows it any more.
        unsafe { sys::batconv_translator_close(self.handle) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    #[test]
    fn versions() {
        assert_eq!(minor_version("1.12.3"), (1, 12));
        assert_eq!(minor_version(env!("CARGO_PKG_VERSION")), minor_version(&version()));
    }

    /// Sizes that tests/release/api/test_api.c asserts in C.
    #[test]
    fn structs_are_those_of_c() {
        assert_eq!(size_of::<sys::Error>(), 792);
        assert_eq!(size_of::<sys::Location>(), 80);
        assert_eq!(offset_of!(sys::Location, calls), 56);
        assert_eq!(size_of::<sys::Inlined>(), 40);
    }
}
