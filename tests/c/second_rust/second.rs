//! A second static library of Rust in one program. It uses the standard library, its maps and its unwinding.

use std::collections::BTreeMap;

/// Returns the sum of the numbers below `n`, or `u64::MAX` if a panic ended it, as it does for 13.
#[unsafe(no_mangle)]
pub extern "C" fn second_sum(n: u64) -> u64 {
    std::panic::catch_unwind(|| {
        assert_ne!(n, 13, "as the test expects");
        let numbers: BTreeMap<u64, u64> = (0..n).map(|number| (number, number)).collect();
        numbers.values().sum()
    })
    .unwrap_or(u64::MAX)
}
