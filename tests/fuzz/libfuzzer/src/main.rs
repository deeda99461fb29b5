//! [`wellhead_fuzz::run`] under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| wellhead_fuzz::run(input));
