//! The stdio driver, as a client sees it that has started the application as its child.
//!
//! The application is this very program (see [`host`]). The usual test harness would print on its standard output, so the
//! tests are run by a harness that can stay silent.

#[cfg(unix)]
mod client;
#[cfg(unix)]
mod ending;
#[cfg(unix)]
mod host;
#[cfg(unix)]
mod pressure;
#[cfg(unix)]
mod threads;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod wire;

#[cfg(unix)]
fn main() {
    if let Ok(control) = std::env::var(client::CONTROL) {
        return host::main(&control);
    }
    let tests = [wire::tests(), threads::tests(), pressure::tests(), ending::tests()];
    let tests = tests.into_iter().flatten().collect();
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), tests).exit();
}

#[cfg(windows)]
fn main() {
    if let Ok(threads) = std::env::var(windows::THREADS) {
        return windows::host(&threads);
    }
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), windows::tests()).exit();
}

/// The named functions as tests.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        pub(crate) fn tests() -> Vec<libtest_mimic::Trial> {
            vec![$(libtest_mimic::Trial::test(concat!(module_path!(), "::", stringify!($test)), || {
                $test();
                Ok(())
            })),*]
        }
    };
}
pub(crate) use tests;
