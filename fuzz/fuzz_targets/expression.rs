//! libFuzzer's way into the target `expression`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::expression::run(input));
