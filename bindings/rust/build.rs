// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Finds libbatconv by pkg-config.
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let out = Command::new("pkg-config")
        .args(["--libs", "--print-errors", "batconv"])
        .output()
        .expect("pkg-config, which finds libbatconv, cannot be run");
    if !out.status.success() {
        panic!("pkg-config does not find libbatconv: {}", String::from_utf8_lossy(&out.stderr));
    }
    for word in String::from_utf8_lossy(&out.stdout).split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(name) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={name}");
        }
    }
}
