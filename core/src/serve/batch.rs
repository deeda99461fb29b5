//! What a driver hands to hosts that run callbacks in a way of their own.

use crate::event::Event;

/// What there is to do.
#[derive(Debug)]
pub enum Batch {
    /// Run these.
    Events(Vec<Event>),
    /// The driver was interrupted.
    Interrupted,
    /// Nothing at the moment.
    Idle,
    /// The service is over: call the driver's `finish`.
    Ended,
}
