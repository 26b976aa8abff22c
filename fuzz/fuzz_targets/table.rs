//! libFuzzer's way into the target `table`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::table::run(input));
