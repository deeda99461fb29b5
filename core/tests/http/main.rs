//! Streamable HTTP without a socket: the endpoint, as clients of every era see it.

mod authorization;
mod client;
mod gate;
mod sessions;
mod stateless;
