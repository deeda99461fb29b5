//! Generated steps for a while, on stable Rust. `FUZZ_SECONDS` says how long (10), `FUZZ_SEED` from where (1); what it
//! prints on a failure, `FUZZ_INPUT`, runs that one input again.
//!
//! Inputs come from a generator of pseudo-random numbers, so a seed gives the same inputs everywhere.

use std::fmt::Write;
use std::time::{Duration, Instant};

/// `SplitMix64`.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn input(&mut self) -> Vec<u8> {
        let length = 20 + self.next() % 600;
        (0..length).map(|_| self.next().to_be_bytes()[0]).collect()
    }
}

fn main() {
    if let Ok(hex) = std::env::var("FUZZ_INPUT") {
        wellhead_fuzz::run(&bytes(&hex).expect("FUZZ_INPUT is pairs of hexadecimal digits"));
        eprintln!("this input breaks nothing");
        return;
    }
    let number = |name: &str, otherwise| {
        std::env::var(name).map_or(otherwise, |n| n.parse().unwrap_or_else(|_| panic!("{name} is a number")))
    };
    let (seconds, seed) = (number("FUZZ_SECONDS", 10), number("FUZZ_SEED", 1));
    eprintln!("{seconds} s from seed {seed}");
    let (began, mut numbers, mut inputs) = (Instant::now(), Numbers(seed), 0_u64);
    while began.elapsed() < Duration::from_secs(seconds) {
        let input = numbers.input();
        if std::panic::catch_unwind(|| wellhead_fuzz::run(&input)).is_err() {
            let hex = input.iter().fold(String::new(), |mut hex, byte| {
                write!(hex, "{byte:02x}").expect("a string takes all");
                hex
            });
            eprintln!("input {inputs} of seed {seed}; again with\nFUZZ_INPUT={hex}");
            std::process::exit(1);
        }
        inputs += 1;
    }
    eprintln!("{inputs} inputs, nothing broken");
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = (0..hex.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()).collect()
}
