//! Progress that the application reports.

/// How far the work on a request is.
pub(crate) struct Report {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}
