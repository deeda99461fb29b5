//! A report of progress by the application.

/// The progress of one request: the amount done, the whole amount if it is known, and a text for people.
pub(crate) struct Report {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}
