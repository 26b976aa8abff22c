//! libFuzzer's way into the target `dbf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::dbf::run(input));
