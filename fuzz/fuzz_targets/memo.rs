//! libFuzzer's way into the target `memo`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::memo::run(input));
