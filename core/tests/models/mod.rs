//! The concurrent shell under a model checker: shuttle runs each model under many schedules, chosen at random and by
//! PCT, from fixed seeds. `make test-models` builds them; an ordinary test run has none of them.
//!
//! A model that can hang is caught hanging: shuttle fails when every thread waits.

mod cancelled_requests;
mod cancelling;
mod drains;
mod driver;
mod exchanges;
mod input;
#[path = "../support/messages.rs"]
mod messages;
mod planted;
mod responders;
mod resuming;
mod revoking;
mod support;
mod wakes;
mod watching;
