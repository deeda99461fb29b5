//! Wellhead for Node: the native half of `lib/*.ts`, which alone uses it.
//!
//! ```text
//!  reader thread ── bell ──▶ tsfn ──▶ turn (JS) ──▶ Native.turn ──▶ ask (JS) ──▶ the application's callback
//!                                                       ▲                                          │ now
//!                                                       └────────────── Native.finish ◀────────────┘ or later
//! ```
//!
//! Callables stay in JavaScript, found by the number of their registration, so that its garbage collector sees them.
//! Rust holds the responders, found by a number that JavaScript gives back.
#![allow(
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "numbers of JavaScript: exact up to 2^53, and casts back saturate"
)]
#![allow(clippy::needless_pass_by_value, reason = "napi hands arguments over as they come from JavaScript")]
#![allow(unreachable_pub, reason = "napi makes functions of JavaScript from public ones only")]
#![cfg_attr(test, allow(dead_code, reason = "in a test build napi registers nothing with Node"))]

mod answer;
mod bell;
mod calls;
mod command;
mod connection;
mod descriptor;
mod error;
mod exists;
mod from_js;
mod http;
mod inbox;
mod live;
mod options;
mod page;
mod question;
mod raw;
mod registration;
mod server;
mod session;
#[cfg(target_os = "linux")]
mod stdin;
mod stdio;
mod utf8;
mod version;
mod worker;
