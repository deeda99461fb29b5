//! A listener that serves, for hosts that run callbacks in a way of their own.

use super::batch::Batch;
use super::jobs::Jobs;
use super::shared::Shared;
use crate::sync::Lock;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long threads of the network, which never wait for anybody, may take to end.
const END: Duration = Duration::from_secs(5);

/// A listener that serves. Any thread may use it.
///
/// The threads that ask for events run them and ask again; the answers go out by themselves.
pub struct Listening {
    shared: Arc<Shared>,
    runtime: Lock<Option<Runtime>>,
}

impl Listening {
    pub(super) fn new(shared: Arc<Shared>, runtime: Runtime) -> Self {
        Listening { shared, runtime: Lock::new(Some(runtime)) }
    }

    /// Waits for what there is to do. Never [`Batch::Idle`].
    pub fn next(&self) -> Batch {
        self.jobs().next(true)
    }

    /// The same without waiting.
    pub fn try_next(&self) -> Batch {
        self.jobs().next(false)
    }

    /// Makes one [`Listening::next`] return [`Batch::Interrupted`], from any thread.
    pub fn interrupt(&self) {
        self.jobs().interrupt();
    }

    /// Closes the server: answers under way may go out within the drain time, then the service is over.
    pub fn terminate(&self) {
        self.shared.server().close();
    }

    /// Ends the service at once, and waits for the threads of the network. What is under way is dropped; the server
    /// stays open. Not from a callback that runs on such a thread.
    pub fn stop(&self) {
        self.jobs().close();
        let runtime = self.runtime.with(|runtime, _| runtime.take());
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(END);
        }
    }

    fn jobs(&self) -> &Jobs {
        self.shared.jobs.as_ref().expect("a listener that is started has a queue")
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").finish_non_exhaustive()
    }
}
