//! `wellhead._core`: the native half of the Python package. Its public names are those of the package.
//!
//! Rust holds the state and calls the application's callables, with no lock held; Python (`python/wellhead/`) holds what is
//! idiomatic there: exceptions, signatures, signals, the asyncio loop.

#![allow(clippy::doc_markdown, reason = "docstrings are written for `help()`, as Python writes them")]

mod access;
mod alive;
mod answer;
mod arguments;
mod asgi;
mod bell;
mod body;
mod cache;
mod call;
mod callbacks;
mod command;
mod completion;
mod connection;
mod context;
mod convert;
mod descriptor;
mod directory;
mod driver;
mod errors;
mod exchange;
mod exit;
mod explain;
mod fork;
mod handle;
mod hook;
mod http;
mod icon;
mod imported;
mod interpreter;
mod late_answers;
mod lifespan;
mod limits;
mod lock;
mod log;
mod method;
mod named;
mod observer;
mod options;
mod registration;
mod request;
mod responder;
mod server;
mod server_docs;
mod service;
mod session;
mod socket_pair;
mod table;
mod values;
mod verification;
mod waker;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::check(module.py())?; // before a class is made, because classes are shared by the whole process
    module.add_class::<access::Caller>()?;
    module.add_class::<asgi::Endpoint>()?;
    module.add_class::<asgi::HttpExchange>()?;
    module.add_class::<asgi::Job>()?;
    module.add_class::<cache::CacheHint>()?;
    module.add_class::<call::Call>()?;
    module.add_class::<completion::Completion>()?;
    module.add_class::<connection::Connection>()?;
    module.add_class::<driver::Driver>()?;
    module.add_class::<exchange::Exchange>()?;
    module.add_class::<explain::Explanation>()?;
    module.add_class::<explain::PassedOver>()?;
    module.add_class::<handle::Handle>()?;
    module.add_class::<icon::Icon>()?;
    module.add_class::<limits::Limits>()?;
    module.add_class::<observer::Counters>()?;
    module.add_class::<observer::Observed>()?;
    module.add_class::<server::Server>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<values::Contents>()?;
    module.add_class::<values::NotModified>()?;
    module.add_class::<values::Page>()?;
    module.add_class::<values::Resource>()?;
    module.add_class::<verification::Grant>()?;
    module.add_function(wrap_pyfunction!(command::run_command, module)?)?;
    module.add_function(wrap_pyfunction!(driver::at_exit, module)?)?;
    module.add_function(wrap_pyfunction!(explain::expand, module)?)?;
    module.add_function(wrap_pyfunction!(convert::check_mime_type, module)?)?;
    module.add_function(wrap_pyfunction!(fork::forked, module)?)?;
    module.add_function(wrap_pyfunction!(fork::forking, module)?)?;
    module.add_function(wrap_pyfunction!(fork::has_forked, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("NOT_MODIFIED", values::NotModified)?;
    fork::guard();
    Ok(())
}
