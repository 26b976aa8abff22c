//! libFuzzer's way into the target `journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::journal::run(input));
