//! The driver for standard input and output.

use crate::error::{Result, invalid, thrown};
use crate::from_js;
use crate::raw::Js;
use crate::server::{Inner, Native};
#[cfg(target_os = "linux")]
use crate::stdin::{occupy, release};
use napi::bindgen_prelude::{Env, Function};
use napi_derive::napi;
use std::rc::Rc;
use wellhead::serve::{Driver, Interrupter, Stdio};

#[cfg(target_os = "linux")]
pub(crate) use crate::stdin::Quiet;
#[cfg(not(target_os = "linux"))]
pub(crate) type Quiet = std::convert::Infallible;

#[napi]
impl Native {
    /// Starts to serve standard input and output, and keeps the process alive until [`Native::stop`]. `options` is JSON.
    /// `guard`: its option. `touched`: whether JavaScript may read descriptor 0 through its event loop.
    #[napi]
    pub fn start(
        &self,
        env: Env,
        options: String,
        guard: bool,
        touched: Function<'_, (), bool>,
    ) -> Result<()> {
        let inner = &self.inner;
        if inner.driver().is_some() {
            return Err(invalid("run() was called already, and has not returned"));
        }
        let bell = inner.bell.clone();
        let stdio = from_js::options(Stdio::new(), &options).map_err(thrown)?;
        let start = || stdio.start(&inner.server, Some(Box::new(move || bell.ring()))).map_err(thrown);
        let touched = || touched.call(()).unwrap_or(true);
        let (driver, quiet) = if guard { occupy(start, touched)? } else { (start()?, None) };
        *inner.quiet.borrow_mut() = quiet;
        *inner.stdio.borrow_mut() = Some(Rc::new(driver));
        Js::new(&env).keep_alive(inner.bell.turn_function(), true);
        inner.bell.ring();
        Ok(())
    }

    /// Ends the service as the protocol requires: calls in flight may still be answered.
    #[napi]
    pub fn terminate(&self) {
        let interrupter: Option<Interrupter> = self.inner.driver().map(|driver| driver.interrupter());
        if let Some(interrupter) = interrupter {
            interrupter.terminate();
        }
    }

    /// Ends the driver and its threads at once. The process may end then, unless other work of this package is left.
    #[napi]
    pub fn stop(&self, env: Env) {
        self.inner.stop();
        self.inner.rest(Js::new(&env));
    }
}

impl Inner {
    pub(crate) fn driver(&self) -> Option<Rc<Driver>> {
        self.stdio.borrow().clone()
    }

    /// Drops the driver, which waits for its threads.
    pub(crate) fn stop(&self) {
        let driver = self.stdio.borrow_mut().take();
        let quiet = self.quiet.take();
        release(quiet, || self.bell.join(|| drop(driver)));
    }
}

/// Leaves descriptor 0 as the guard makes it, on systems other than Linux, where it is not known how event loops wait
/// for it.
#[cfg(not(target_os = "linux"))]
fn occupy<T>(start: impl FnOnce() -> Result<T>, _: impl FnOnce() -> bool) -> Result<(T, Option<Quiet>)> {
    Ok((start()?, None))
}

#[cfg(not(target_os = "linux"))]
fn release(_: Option<Quiet>, stop: impl FnOnce()) {
    stop();
}
