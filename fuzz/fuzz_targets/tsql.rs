//! libFuzzer's way into the target `tsql`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::tsql::run(input));
