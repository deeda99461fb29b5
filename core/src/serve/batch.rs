//! The unit of work that a driver hands to applications that run callbacks themselves.

use crate::event::Event;

/// The next work of an application that runs callbacks itself.
#[derive(Debug)]
pub enum Batch {
    /// Run these events.
    Events(Vec<Event>),
    /// The driver was interrupted.
    Interrupted,
    /// There is no work at the moment.
    Idle,
    /// The service has ended: call the driver's `finish`.
    Ended,
}
