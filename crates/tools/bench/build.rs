//! Passes the compiler's version and the profile to the report, without which a time means nothing.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok().and_then(|out| String::from_utf8(out.stdout).ok());
    println!("cargo::rustc-env=MAINSTAY_BENCH_RUSTC={}", version.unwrap_or_default().trim());
    for name in ["PROFILE", "OPT_LEVEL", "TARGET"] {
        println!("cargo::rustc-env=MAINSTAY_BENCH_{name}={}", std::env::var(name).unwrap_or_default());
    }
    println!("cargo::rerun-if-changed=build.rs");
}
