//! libFuzzer's way into the target `tds`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| mainstay_fuzzing::tds::run(input));
