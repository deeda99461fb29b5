//! Responders: one allocation that holds the call, what was added to the answer, and who owns it.
//!
//! The frame that runs the callback holds a reference until the callback returns. `keep` makes one more, the host's,
//! which the answer gives back. When the last one goes without an answer, the call's own drop answers for it.

use crate::boundary::{Promise, answer, guard, invalid};
use crate::call::wellhead_call;
use crate::status::wellhead_status;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use wellhead::Result;

/// A responder, `wellhead_read` or `wellhead_list`. `T` is what an answer of several parts is gathered in.
pub struct Pending<T> {
    pub(crate) call: wellhead_call,
    /// What was added so far.
    added: Mutex<T>,
    answered: AtomicBool,
    /// The host holds a reference.
    kept: AtomicBool,
}

impl<T: Default + Send> Pending<T> {
    /// Runs a callback on a call; both pointers are valid until it returns.
    pub(crate) fn run(call: wellhead_call, callback: impl FnOnce(*const wellhead_call, *mut Pending<T>)) {
        let pending = Arc::new(Pending {
            call,
            added: Mutex::new(T::default()),
            answered: AtomicBool::new(false),
            kept: AtomicBool::new(false),
        });
        callback(&raw const pending.call, Arc::as_ptr(&pending).cast_mut());
    }

    /// Adds to the answer.
    pub(crate) fn add(&self, add: impl FnOnce(&mut T) -> Result<()>) -> Result<()> {
        if self.answered.load(Ordering::Acquire) {
            return Err(answered());
        }
        add(&mut self.added.lock())
    }
}

fn answered() -> wellhead::Error {
    invalid("the call was answered already")
}

/// Makes the host an owner. NULL if there is nothing left to answer.
///
/// # Safety
/// `responder` is NULL or was given to a callback that has not returned.
pub(crate) unsafe fn keep<T: Send>(responder: *mut Pending<T>) -> *mut Pending<T> {
    if responder.is_null() {
        return responder;
    }
    answer(std::ptr::null_mut(), || {
        // SAFETY: the callback's frame keeps it alive.
        let pending = unsafe { &*responder };
        if pending.answered.load(Ordering::Acquire) {
            return std::ptr::null_mut();
        }
        if !pending.kept.swap(true, Ordering::AcqRel) {
            // SAFETY: `run` made it as an `Arc`, and still holds it.
            unsafe { Arc::increment_strong_count(responder.cast_const()) };
        }
        responder
    })
}

/// Gives back the host's reference.
///
/// # Safety
/// `responder` is valid, and used no more unless its callback has not returned.
unsafe fn let_go<T>(responder: *mut Pending<T>, pending: &Pending<T>) -> Option<Arc<Pending<T>>> {
    // SAFETY: the reference that `keep` made.
    pending.kept.swap(false, Ordering::AcqRel).then(|| unsafe { Arc::from_raw(responder.cast_const()) })
}

/// Answers with what `finish` makes of the call and what was added. Consumes a kept responder, whatever it returns.
///
/// # Safety
/// `responder` is NULL or valid, as the header says.
pub(crate) unsafe fn consume<T: Default + Send>(
    responder: *mut Pending<T>,
    finish: impl FnOnce(&Promise, &wellhead_call, T) -> Result<()>,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        guard(std::ptr::null_mut(), |promise| {
            let pending = promise.handle(responder.cast_const(), "responder")?;
            if pending.answered.swap(true, Ordering::AcqRel) {
                return Err(answered());
            }
            let host = let_go(responder, pending);
            let added = std::mem::take(&mut *pending.added.lock());
            let result = finish(promise, &pending.call, added);
            drop(host); // perhaps the last one
            result
        })
    }
}

/// Gives up a kept responder: "internal error".
///
/// # Safety
/// `responder` is NULL or kept, and used no more.
pub(crate) unsafe fn give_up<T: Send>(responder: *mut Pending<T>) {
    if responder.is_null() {
        return;
    }
    answer((), || {
        // SAFETY: our caller's promise.
        let pending = unsafe { &*responder };
        // SAFETY: as above.
        let host = unsafe { let_go(responder, pending) };
        if host.is_some() && !pending.answered.swap(true, Ordering::AcqRel) {
            pending.call.give_up();
        }
    });
}
