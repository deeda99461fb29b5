//! A running HTTP listener, for applications that run callbacks themselves.

use super::batch::Batch;
use super::jobs::Jobs;
use super::shared::HttpShared;
use crate::sync::Lock;
use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;
use tokio::runtime::{Handle, Runtime};

/// The time that the network threads, which never block, may take to end.
const END: Duration = Duration::from_secs(5);

/// A running HTTP listener. Any thread may use it.
///
/// The application's threads take events, run them, and take the next ones. The listener sends the answers by itself.
pub struct Listening {
    shared: Arc<HttpShared>,
    runtime: Lock<Option<Runtime>>,
}

impl Listening {
    pub(super) fn new(shared: Arc<HttpShared>, runtime: Runtime) -> Self {
        Listening { shared, runtime: Lock::new(Some(runtime)) }
    }

    /// Blocks until there is something to do, and returns it. Never returns [`Batch::Idle`].
    pub fn next(&self) -> Batch {
        self.jobs().next()
    }

    /// Returns what there is to do, without blocking.
    pub fn try_next(&self) -> Batch {
        self.jobs().try_next()
    }

    /// Makes one [`Listening::next`] return [`Batch::Interrupted`]. May be called from any thread.
    pub fn interrupt(&self) {
        self.jobs().interrupt();
    }

    /// Closes the server. Answers may still be sent within the shutdown time, then the service ends.
    pub fn terminate(&self) {
        self.shared.server().close();
    }

    /// Ends the service at once, and waits for the network threads. Requests in progress are dropped; the server stays
    /// open. Must not be called from a callback on a network thread.
    pub fn stop(&self) {
        self.jobs().close();
        let runtime = self.runtime.with(|runtime, _| runtime.take());
        if let Some(runtime) = runtime {
            shut_down(runtime);
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

/// Ends the network threads. In async code a thread of its own waits for them, since tokio panics if a task does.
fn shut_down(runtime: Runtime) {
    if Handle::try_current().is_err() {
        return runtime.shutdown_timeout(END);
    }
    let (give, take) = sync_channel::<Runtime>(1);
    let wait = move || take.recv().map(|runtime| runtime.shutdown_timeout(END));
    match std::thread::Builder::new().spawn(wait) {
        Ok(thread) => {
            let _ = give.send(runtime);
            let _ = thread.join();
        }
        Err(_) => runtime.shutdown_background(), // no thread can wait for them
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening").finish_non_exhaustive()
    }
}
