//! libFuzzer's way into the target `checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::checkpoint::run(input));
