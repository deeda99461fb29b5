//! The ten invariants of ARCHITECTURE.md that hold on one thread, each by its number. What only several threads can
//! break is in `tests/models`, and what only odd input can break in `tests/fuzz`.

mod answers;
mod failures;
mod limits;
mod locks;
mod many_connections;
#[path = "../support/messages.rs"]
mod messages;
mod paging;
mod sources;
mod support;
