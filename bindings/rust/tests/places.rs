// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Facts of nm and eu-addr2line, as in tests/release/api/test_api.c.
use batconv::{Code, Lookup, Translator};
use std::ffi::CStr;

fn path(name: &str) -> String {
    format!("{}/lines/{name}", std::env::var("INPUTS").expect("INPUTS names the unpacked inputs"))
}

fn c(text: &str) -> &CStr {
    CStr::from_bytes_with_nul(text.as_bytes()).unwrap()
}

fn open(lookup: Lookup) -> Translator {
    Translator::open(path("g4.b22"), Some(path("g4").as_ref()), lookup).unwrap()
}

#[test]
fn locations() {
    let mut translator = open(Lookup::Inlines);
    let locations = translator.translate(&[0x6010, 0x6343, 0x999999]).unwrap();
    let main = locations[0].as_ref().unwrap();
    assert_eq!((main.function, main.offset, main.vaddr, main.line), (c("main\0"), 0x10, Some(0x1110), 25));
    assert_eq!(main.file.unwrap().to_str(), Ok("/src/main.cc"));
    assert_eq!(main.inlined.len(), 1);
    assert_eq!(main.inlined[0].function.unwrap().to_str(), Ok("atoi"));
    assert_eq!(main.inlined[0].line, 364);
    let cold = locations[1].as_ref().unwrap();
    assert_eq!((cold.function, cold.vaddr, cold.line), (c("rare_c\0"), Some(0x1443), 8));
    assert!(locations[2].is_none());
}

#[test]
fn a_stack() {
    let mut translator = open(Lookup::Nothing);
    let locations = translator.translate_stack(&[0x6343, 0x6166]).unwrap();
    let caller = locations[1].as_ref().unwrap();
    assert_eq!((caller.function, caller.file), (c("_Z4rarei\0"), None));
    assert!(translator.translate(&[]).unwrap().is_empty());
}

#[test]
fn errors() {
    let code = |bolted: &str, lookup| Translator::open(bolted, None, lookup).err().unwrap().code;
    assert_eq!(code("/nowhere", Lookup::Nothing), Code::Io);
    assert_eq!(code(&path("g4.b22"), Lookup::Lines), Code::NotFound);
    assert_eq!(code("nul\0", Lookup::Nothing), Code::Io);
    let swapped = Translator::open(path("g4"), Some(path("g4.b22").as_ref()), Lookup::Nothing);
    assert_eq!(swapped.err().unwrap().code, Code::Mismatch);
}

/// Addresses a second of one core: cargo test --release -- --ignored --nocapture
#[test]
#[ignore]
fn speed() {
    let mut translator = open(Lookup::Nothing);
    let addresses: Vec<u64> = (0..10_000).map(|i| 0x6000 + i * 7919 % 0x3bc).collect();
    let begin = std::time::Instant::now();
    for _ in 0..300 {
        assert_eq!(translator.translate(&addresses).unwrap().len(), addresses.len());
    }
    println!("{:.1} million addresses a second", 3.0 / begin.elapsed().as_secs_f64());
}
