//! libFuzzer's way into the target `basic`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::basic::run(input));
