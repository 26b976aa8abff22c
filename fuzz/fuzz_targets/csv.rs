//! libFuzzer's way into the target `csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::csv::run(input));
