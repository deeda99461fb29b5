//! The work that a driver returns to an application that runs callbacks itself.

use crate::event::Event;

/// The next step of an application that runs callbacks itself.
#[derive(Debug)]
pub enum Batch {
    /// Run these events.
    Events(Vec<Event>),
    /// Another thread interrupted the wait.
    Interrupted,
    /// There is no work at the moment.
    Idle,
    /// Call the driver's `finish`, because the service has ended.
    Ended,
}
