//! Sends notifications and lines of the log: what the functions of calls and of sessions share.

use crate::boundary::Promise;
use crate::foreign::object;
use crate::types::wellhead_str;
use std::ffi::c_int;
use wellhead::{Json, Result};

/// Sends a notification by `pass_on`, which returns whether it was sent.
pub(crate) fn notify(
    promise: &Promise,
    [method, params]: [wellhead_str; 2],
    sent: *mut c_int,
    pass_on: impl FnOnce(&str, Option<&Json>) -> Result<bool>,
) -> Result<()> {
    let params = object(promise, params, "params")?;
    let was = pass_on(promise.text(method, "method")?, params.as_ref())?;
    promise.put(sent, c_int::from(was));
    Ok(())
}

/// Sends a log message by `pass_on`, which gets the level, the text and the logger, and returns whether it was sent.
pub(crate) fn log(
    promise: &Promise,
    [level, text, logger]: [wellhead_str; 3],
    sent: *mut c_int,
    pass_on: impl FnOnce(&str, &str, Option<&str>) -> Result<bool>,
) -> Result<()> {
    let (level, text) = (promise.text(level, "level")?, promise.text(text, "text")?);
    let was = pass_on(level, text, promise.optional(logger, "logger")?)?;
    promise.put(sent, c_int::from(was));
    Ok(())
}
