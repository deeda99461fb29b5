//! Responders: one allocation that holds the call, what was added to the answer, and who owns it.
//!
//! The frame that runs the callback holds a reference until the callback returns. `keep` makes one more, the application's,
//! which the answer gives back. When the last one goes without an answer, the drop of what is inside answers.
//!
//! Each responder spells out its `keep`, `call`, `free` and `failed`, because cbindgen reads functions and no macros.

use crate::boundary::{Promise, answer, guard, invalid};
use crate::held_call::wellhead_call;
use crate::status::wellhead_status;
use crate::types::wellhead_str;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::{Reply, Responder, Result};

/// The kind of a responder: its answer, and how it is put together.
pub trait Kind {
    type Answer: Reply;
    /// The parts of an answer that were added so far.
    type Added: Default + Send;

    /// Answers a failure; `why` goes to the log.
    fn fail(responder: Responder<Self::Answer>, why: &str);
}

/// A responder, such as `wellhead_read`.
pub struct Pending<K: Kind> {
    pub(crate) call: wellhead_call,
    /// None once the call is answered.
    open: Mutex<Option<Open<K>>>,
    /// True while the application holds a reference.
    kept: AtomicBool,
}

struct Open<K: Kind> {
    responder: Responder<K::Answer>,
    added: K::Added,
    /// The reason why the first part was refused: the application got a status only.
    refused: Option<String>,
}

impl<K: Kind> Open<K> {
    /// Answers a failure. `why` goes to the log, with the reason for which a part was refused before.
    fn fail(self, why: Option<&str>) {
        let why = match (why, self.refused) {
            (Some(why), Some(refused)) => format!("{why} (after a part was refused: {refused})"),
            (Some(why), None) => why.to_owned(),
            (None, Some(refused)) => format!("a part was refused: {refused}"),
            (None, None) => return drop(self.responder), // whose drop answers the failure
        };
        K::fail(self.responder, &why);
    }
}

impl<K: Kind> Pending<K> {
    /// Runs a callback on a call; both are valid until it returns.
    pub(crate) fn run(
        call: wellhead_call,
        responder: Responder<K::Answer>,
        callback: impl FnOnce(&wellhead_call, *mut Pending<K>),
    ) {
        let open = Mutex::new(Some(Open { responder, added: K::Added::default(), refused: None }));
        let pending = Arc::new(Pending { call, open, kept: AtomicBool::new(false) });
        callback(&pending.call, Arc::as_ptr(&pending).cast_mut());
        if let Some(pending) = Arc::into_inner(pending)
            && let Some(open) = pending.open.into_inner()
        {
            open.fail(None);
        }
    }
}

fn answered() -> wellhead::Error {
    invalid("the call was answered already")
}

/// Makes the application an owner. Returns NULL if the call was answered already.
///
/// # Safety
/// `responder` is NULL or was given to a callback that has not returned.
pub(crate) unsafe fn keep<K: Kind>(responder: *mut Pending<K>) -> *mut Pending<K> {
    if responder.is_null() {
        return responder;
    }
    answer(std::ptr::null_mut(), || {
        // SAFETY: the callback's frame keeps it alive.
        let pending = unsafe { &*responder };
        if pending.open.lock().is_none() {
            return std::ptr::null_mut();
        }
        if !pending.kept.swap(true, Ordering::AcqRel) {
            // SAFETY: `run` made it as an `Arc`, and still holds it.
            unsafe { Arc::increment_strong_count(responder.cast_const()) };
        }
        responder
    })
}

/// Returns the call of a responder, or NULL if `responder` is NULL.
///
/// # Safety
/// `responder` is NULL or valid.
pub(crate) unsafe fn call<K: Kind>(responder: *const Pending<K>) -> *const wellhead_call {
    if responder.is_null() {
        return std::ptr::null();
    }
    // SAFETY: our caller's promise.
    unsafe { &raw const (*responder).call }
}

/// Adds what `make` returns to the answer. If that is dropped, no lock is held, because dropping it may call the
/// application.
///
/// # Safety
/// `responder` is NULL or valid.
pub(crate) unsafe fn add<K: Kind, T>(
    responder: *mut Pending<K>,
    make: impl FnOnce(&Promise, &wellhead_call) -> Result<T>,
    put: impl FnOnce(&Promise, &mut K::Added, T) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let pending = promise.handle(responder.cast_const(), "responder")?;
            let part = make(promise, &pending.call);
            let mut lock = pending.open.lock();
            let Some(open) = lock.as_mut() else {
                drop(lock);
                return part.and(Err(answered()));
            };
            let put = part.and_then(|part| put(promise, &mut open.added, part));
            put.inspect_err(|why| {
                open.refused.get_or_insert_with(|| why.to_string());
            })
        })
    }
}

/// Answers with what `make` makes of the parts that were added. If `make` fails, answers "internal error". Consumes a
/// kept responder in either case.
///
/// # Safety
/// `responder` is NULL or valid, as the header says.
pub(crate) unsafe fn finish<K: Kind>(
    responder: *mut Pending<K>,
    make: impl FnOnce(&Promise, &wellhead_call, K::Added) -> Result<K::Answer>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        consume(responder, |promise, call, open| match make(promise, call, open.added) {
            Ok(answer) => {
                open.responder.finish(answer);
                Ok(())
            }
            Err(e) => {
                K::fail(open.responder, &e.to_string());
                Err(e)
            }
        })
    }
}

/// Answers "internal error".
///
/// # Safety
/// As for [`finish`].
pub(crate) unsafe fn fail<K: Kind>(responder: *mut Pending<K>, why: wellhead_str) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        consume(responder, |promise, _, open| {
            let said = promise.optional(why, "why");
            open.fail(Some(&reason(&said)));
            said.map(drop)
        })
    }
}

/// Returns what the log says of a failure for which the application gave this reason.
pub(crate) fn reason(said: &Result<Option<&str>>) -> String {
    said.as_ref().map_or_else(ToString::to_string, |why| why.unwrap_or("no reason given").to_owned())
}

/// Takes the open call out of a responder, answers it by `answer`, and gives back the application's reference. Fails if
/// the call was answered already.
unsafe fn consume<K: Kind>(
    responder: *mut Pending<K>,
    answer: impl FnOnce(&Promise, &wellhead_call, Open<K>) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let pending = promise.handle(responder.cast_const(), "responder")?;
            let open = pending.open.lock().take().ok_or_else(answered)?;
            let host = take_kept(responder, pending);
            let result = answer(promise, &pending.call, open);
            drop(host); // perhaps the last reference
            result
        })
    }
}

/// Gives back the application's reference, or None if it has none.
///
/// # Safety
/// `responder` is valid, and used no more unless its callback has not returned.
unsafe fn take_kept<K: Kind>(responder: *mut Pending<K>, pending: &Pending<K>) -> Option<Arc<Pending<K>>> {
    // SAFETY: the reference that `keep` made.
    pending.kept.swap(false, Ordering::AcqRel).then(|| unsafe { Arc::from_raw(responder.cast_const()) })
}

/// Gives up a kept responder: "internal error".
///
/// # Safety
/// `responder` is NULL or kept, and used no more.
pub(crate) unsafe fn give_up<K: Kind>(responder: *mut Pending<K>) {
    if responder.is_null() {
        return;
    }
    answer((), || {
        // SAFETY: our caller's promise.
        let pending = unsafe { &*responder };
        // SAFETY: as above.
        let host = unsafe { take_kept(responder, pending) };
        if host.is_some() {
            let open = pending.open.lock().take();
            if let Some(open) = open {
                open.fail(None); // with no lock held
            }
        }
    });
}
