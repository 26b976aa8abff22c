//! libFuzzer's way into the target `index`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::index::run(input));
