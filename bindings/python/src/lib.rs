//! `wellhead._core`: the native half of the Python package. Its public names are those of the package.
//!
//! Rust holds the state and calls the host's callables, with no lock held; Python (`python/wellhead/`) holds what is
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
mod completion;
mod connection;
mod context;
mod descriptor;
mod directory;
mod driver;
mod errors;
mod exchange;
mod exit;
mod explain;
mod fork;
mod given;
mod handle;
mod hook;
mod host;
mod http;
mod icon;
mod imported;
mod later;
mod limits;
mod lock;
mod log;
mod method;
mod observer;
mod options;
mod registration;
mod request;
mod responder;
mod server;
mod server_docs;
mod service;
mod table;
mod values;
mod verification;
mod waker;

use pyo3::prelude::pymodule;

#[pymodule(gil_used = false)]
mod _core {
    use pyo3::prelude::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_export]
    use crate::{
        access::Caller,
        asgi::{Endpoint, HttpExchange, Job},
        cache::CacheHint,
        call::Call,
        completion::Completion,
        connection::Connection,
        driver::{Driver, at_exit},
        exchange::Exchange,
        explain::{Explanation, PassedOver, expand},
        fork::{forked, forking, has_forked},
        handle::Handle,
        icon::Icon,
        limits::Limits,
        observer::{Counters, Observed},
        server::Server,
        values::{Contents, NotModified, Page, Resource},
        verification::Grant,
    };

    #[pymodule_init]
    fn constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::fork::guard();
        module.add("NOT_MODIFIED", NotModified)
    }
}
