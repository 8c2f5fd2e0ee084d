// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Folded stacks of a BOLTed program -> the same with functions, addresses and lines of its input.
//!
//!     translate_folded BOLTED INPUT < FOLDED
//!
//! A stack is a line FRAME;FRAME;...;FRAME COUNT, its innermost frame last. A frame 0x... is a vaddr of BOLTED, every
//! other one stays as it is.
use batconv::{Lookup, Location, Translator};
use std::error::Error;
use std::ffi::CStr;

fn text(name: &str, file: Option<&CStr>, line: u32) -> String {
    file.map_or(name.to_string(), |file| format!("{name} {}:{line}", file.to_string_lossy()))
}

/// For one address: the function, then what was inlined into it, the innermost call last.
fn frames(location: &Location) -> String {
    let function = location.function.to_string_lossy();
    let name = match location.vaddr {
        Some(vaddr) => format!("{function} {vaddr:#x}"),
        None => format!("{function}+{:#x}", location.offset),
    };
    let mut out = vec![text(&name, location.file, location.line)];
    out.extend(location.inlined.iter().rev().map(|call| {
        let name = call.function.map_or("[inlined]".into(), |name| name.to_string_lossy());
        text(&name, call.file, call.line)
    }));
    out.join(";")
}

fn translated(translator: &mut Translator, stack: &str) -> Result<String, Box<dyn Error>> {
    let names: Vec<&str> = stack.split(';').collect();
    let address = |name: &&str| name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    // Innermost first; 0 for what is no address.
    let addresses: Vec<u64> = names.iter().rev().map(|name| address(name).unwrap_or(0)).collect();
    let locations = translator.translate_stack(&addresses)?;
    let out: Vec<String> = names
        .iter()
        .zip(locations.iter().rev())
        .map(|(name, location)| match location {
            Some(location) if address(name).is_some() => frames(location),
            _ => name.to_string(),
        })
        .collect();
    Ok(out.join(";"))
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [bolted, input] = paths.as_slice() else { return Err("usage: translate_folded BOLTED INPUT < FOLDED".into()) };
    let mut translator = Translator::open(bolted, Some(input.as_ref()), Lookup::Inlines)?;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (stack, count) = line.rsplit_once(' ').ok_or("a line without a count")?;
        println!("{} {count}", translated(&mut translator, stack)?);
    }
    Ok(())
}
