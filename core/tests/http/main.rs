//! Streamable HTTP without a socket: the endpoint, as clients of every era see it.

mod authorization;
mod buffered;
mod calls;
mod client;
mod context;
mod eras;
mod gate;
mod polling;
mod refusals;
mod resuming;
mod sessionless;
mod sessions;
mod shares;
mod stateless;
mod waiting;
