//! The only unsafe code of the binding, for what safe wrappers do not give:
//!
//! - a call of a JavaScript function at the price of the call, which needs raw values that live as long as a handle scope.
//!   Its wrappers take two to four times as long, and every read of a callback pays;
//! - a thread-safe function that keeps the process alive for a while only;
//! - a function that runs when its environment ends, whose wrapper never frees one that is removed;
//! - the event loop's descriptor, which is told that there is another file under descriptor 0.
//!
//! Raw values never leave the scope that made them, because their lifetime is the scope's; and an [`Js`] exists only
//! on the thread of its environment, since it is neither `Send` nor `Sync`.
#![allow(unsafe_code, reason = "see above")]

use crate::bell::Bell;
use crate::utf8::Transcoder;
use napi::bindgen_prelude::{Buffer, Env, External, FromNapiRef, JsValue, ToNapiValue};
use napi::sys;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use wellhead::{Body, SharedBytes};

/// Bytes of a buffer for strings: a string that fits is read by one call of Node-API.
const SCRATCH: usize = 4 << 10;
/// A string of at most this many UTF-16 units may be copied twice, as UTF-16 and as UTF-8, for speed.
const TWICE: usize = 4 << 20;

/// A token that this is the JavaScript thread, for as long as it runs code of this library.
#[derive(Clone, Copy)]
pub(crate) struct Js<'s> {
    env: sys::napi_env,
    scope: PhantomData<&'s mut &'s ()>,
}

/// A JavaScript value, valid in the handle scope that made it.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Value<'s> {
    raw: sys::napi_value,
    scope: PhantomData<&'s mut &'s ()>,
}

/// The types of JavaScript values that answers may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Nothing,
    Number,
    Object,
    Other,
}

impl<'s> Js<'s> {
    pub(crate) fn new(env: &'s Env) -> Js<'s> {
        Js { env: env.raw(), scope: PhantomData }
    }

    #[allow(clippy::unused_self, reason = "it lends its lifetime")]
    /// Returns an argument of a call from JavaScript as a value, valid as long as that call.
    pub(crate) fn value<'v>(self, value: &'s impl JsValue<'v>) -> Value<'s> {
        Value { raw: value.raw(), scope: PhantomData }
    }

    /// Runs a closure, and frees all handles of values that it made.
    pub(crate) fn scope<R>(self, f: impl for<'inner> FnOnce(Js<'inner>) -> R) -> R {
        let mut scope = ptr::null_mut();
        // SAFETY: on the JS thread; the scope is closed below, after everything that was opened inside.
        let opened = unsafe { sys::napi_open_handle_scope(self.env, &raw mut scope) } == sys::Status::napi_ok;
        let result = f(Js { env: self.env, scope: PhantomData });
        if opened {
            // SAFETY: opened above; values of it cannot be in `result`, whose type does not know their lifetime.
            unsafe { sys::napi_close_handle_scope(self.env, scope) };
        }
        result
    }

    fn made(
        self,
        make: impl FnOnce(sys::napi_env, *mut sys::napi_value) -> sys::napi_status,
    ) -> Option<Value<'s>> {
        let mut raw = ptr::null_mut();
        (make(self.env, &raw mut raw) == sys::Status::napi_ok).then_some(Value { raw, scope: PhantomData })
    }

    pub(crate) fn text(self, text: &str) -> Option<Value<'s>> {
        let length = isize::try_from(text.len()).ok()?;
        // SAFETY: the pointer and length are those of a live str; Node copies it.
        self.made(|env, out| unsafe { sys::napi_create_string_utf8(env, text.as_ptr().cast(), length, out) })
    }

    /// Makes a string with a character for each byte.
    pub(crate) fn latin1(self, bytes: &[u8]) -> Option<Value<'s>> {
        let length = isize::try_from(bytes.len()).ok()?;
        // SAFETY: the pointer and length are those of a live slice; Node copies it.
        self.made(|env, out| unsafe {
            sys::napi_create_string_latin1(env, bytes.as_ptr().cast(), length, out)
        })
    }

    /// Makes a `Buffer` of bytes, without a copy.
    pub(crate) fn bytes(self, bytes: Vec<u8>) -> Option<Value<'s>> {
        // SAFETY: on the JS thread.
        let raw = unsafe { Buffer::to_napi_value(self.env, bytes.into()) }.ok()?;
        Some(Value { raw, scope: PhantomData })
    }

    pub(crate) fn text_or_undefined(self, text: Option<&str>) -> Option<Value<'s>> {
        text.map_or_else(|| self.undefined(), |text| self.text(text))
    }

    pub(crate) fn number(self, number: f64) -> Option<Value<'s>> {
        // SAFETY: on the JS thread.
        self.made(|env, out| unsafe { sys::napi_create_double(env, number, out) })
    }

    pub(crate) fn boolean(self, is: bool) -> Option<Value<'s>> {
        // SAFETY: on the JS thread.
        self.made(|env, out| unsafe { sys::napi_get_boolean(env, is, out) })
    }

    pub(crate) fn undefined(self) -> Option<Value<'s>> {
        // SAFETY: on the JS thread.
        self.made(|env, out| unsafe { sys::napi_get_undefined(env, out) })
    }

    pub(crate) fn array(self, elements: &[Value<'s>]) -> Option<Value<'s>> {
        // SAFETY: on the JS thread.
        let array =
            self.made(|env, out| unsafe { sys::napi_create_array_with_length(env, elements.len(), out) })?;
        for (at, element) in (0u32..).zip(elements) {
            // SAFETY: both values are alive in this scope.
            unsafe { sys::napi_set_element(self.env, array.raw, at, element.raw) };
        }
        Some(array)
    }

    /// Calls a function. Returns `None` if it threw, which functions of this package do only when the environment is
    /// ending.
    pub(crate) fn call(self, function: Value<'_>, arguments: &[Value<'s>]) -> Option<Value<'s>> {
        let this = self.undefined()?;
        let raw: *const sys::napi_value = arguments.as_ptr().cast();
        // SAFETY: all values are alive; a `Value` is a napi_value in memory.
        let result = self.made(|env, out| unsafe {
            sys::napi_call_function(env, this.raw, function.raw, arguments.len(), raw, out)
        });
        if result.is_none() {
            let mut exception = ptr::null_mut();
            // SAFETY: clears what was thrown, so that the next call is possible.
            unsafe { sys::napi_get_and_clear_last_exception(self.env, &raw mut exception) };
        }
        result
    }

    /// Returns whether JavaScript may be called: not once its thread is being terminated.
    pub(crate) fn is_running(self) -> bool {
        let probe = |value: Value<'_>| {
            // SAFETY: the value is alive; it is looked at only if Node may run JavaScript.
            self.made(|env, out| unsafe { sys::napi_coerce_to_bool(env, value.raw, out) })
        };
        self.undefined().and_then(probe).is_some()
    }

    pub(crate) fn type_of(self, value: Value<'_>) -> Type {
        let mut kind = 0;
        // SAFETY: the value is alive.
        if unsafe { sys::napi_typeof(self.env, value.raw, &raw mut kind) } != sys::Status::napi_ok {
            return Type::Other;
        }
        match kind {
            sys::ValueType::napi_undefined | sys::ValueType::napi_null => Type::Nothing,
            sys::ValueType::napi_number => Type::Number,
            sys::ValueType::napi_object => Type::Object,
            _ => Type::Other,
        }
    }

    pub(crate) fn as_number(self, value: Value<'_>) -> Option<f64> {
        let mut number = 0.0;
        // SAFETY: the value is alive.
        (unsafe { sys::napi_get_value_double(self.env, value.raw, &raw mut number) } == sys::Status::napi_ok)
            .then_some(number)
    }

    /// Returns the UTF-8 form of a string, in which lone surrogates become U+FFFD. Returns `None` for another value.
    pub(crate) fn as_text(self, value: Value<'_>) -> Option<String> {
        let mut scratch = [0u8; SCRATCH];
        let mut length = 0;
        // SAFETY: at most SCRATCH bytes are written, the last of them a zero.
        let status = unsafe {
            sys::napi_get_value_string_utf8(
                self.env,
                value.raw,
                scratch.as_mut_ptr().cast(),
                SCRATCH,
                &raw mut length,
            )
        };
        if status != sys::Status::napi_ok {
            return None;
        }
        // A character that did not fit is left out whole: up to three bytes more may have been free.
        if length < SCRATCH - 4 {
            return std::str::from_utf8(&scratch[..length]).ok().map(str::to_owned);
        }
        if self.units(value)? > TWICE {
            return self.as_long_text(value);
        }
        Some(Transcoder::new().text(&self.as_units(value)?))
    }

    /// Returns the UTF-8 form of a long string. Node converts it: that is slower, but needs no second buffer.
    fn as_long_text(self, value: Value<'_>) -> Option<String> {
        let mut length = 0;
        // SAFETY: the value is alive; without a buffer only the length is told.
        unsafe {
            sys::napi_get_value_string_utf8(self.env, value.raw, ptr::null_mut(), 0, &raw mut length);
        }
        let mut bytes = vec![0u8; length + 1];
        // SAFETY: the buffer has the room that is stated, the closing zero included.
        unsafe {
            sys::napi_get_value_string_utf8(
                self.env,
                value.raw,
                bytes.as_mut_ptr().cast(),
                bytes.len(),
                &raw mut length,
            );
        }
        bytes.truncate(length);
        String::from_utf8(bytes).ok()
    }

    /// Returns the number of UTF-16 units of a string; `None` for another value.
    fn units(self, value: Value<'_>) -> Option<usize> {
        let mut length = 0;
        // SAFETY: the value is alive; without a buffer only the length is told.
        let status = unsafe {
            sys::napi_get_value_string_utf16(self.env, value.raw, ptr::null_mut(), 0, &raw mut length)
        };
        (status == sys::Status::napi_ok).then_some(length)
    }

    /// Returns the UTF-16 units of a string; `None` for another value.
    pub(crate) fn as_units(self, value: Value<'_>) -> Option<Vec<u16>> {
        let mut length = self.units(value)?;
        let mut units = vec![0u16; length + 1];
        // SAFETY: the buffer has the room that is stated, the closing zero included.
        unsafe {
            sys::napi_get_value_string_utf16(
                self.env,
                value.raw,
                units.as_mut_ptr(),
                units.len(),
                &raw mut length,
            );
        }
        units.truncate(length);
        Some(units)
    }

    pub(crate) fn as_bool(self, value: Value<'_>) -> Option<bool> {
        let mut is = false;
        // SAFETY: the value is alive.
        (unsafe { sys::napi_get_value_bool(self.env, value.raw, &raw mut is) } == sys::Status::napi_ok)
            .then_some(is)
    }

    /// Returns the first `count` numbers of a `Float64Array`; `None` if it is shorter, or for another value.
    pub(crate) fn as_numbers(self, value: Value<'_>, count: usize) -> Option<Vec<f64>> {
        let (kind, length, data) = self.typed_array(value)?;
        if kind != sys::TypedarrayType::float64_array || length < count {
            return None;
        }
        if count == 0 {
            return Some(Vec::new()); // its memory may be nowhere
        }
        // SAFETY: Node says that at least `count` numbers are there, and no JavaScript runs while they are copied.
        Some(unsafe { std::slice::from_raw_parts(data.cast::<f64>(), count) }.to_vec())
    }

    /// Returns the type, the length and the memory of a typed array; `None` for another value.
    fn typed_array(self, value: Value<'_>) -> Option<(sys::napi_typedarray_type, usize, *const c_void)> {
        let mut is_typed = false;
        // SAFETY: the value is alive.
        if unsafe { sys::napi_is_typedarray(self.env, value.raw, &raw mut is_typed) } != sys::Status::napi_ok
            || !is_typed
        {
            return None;
        }
        let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
        // SAFETY: the value is a typed array.
        let status = unsafe {
            sys::napi_get_typedarray_info(
                self.env,
                value.raw,
                &raw mut kind,
                &raw mut length,
                &raw mut data,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        (status == sys::Status::napi_ok).then_some((kind, length, data.cast_const()))
    }

    /// Returns the elements of an array; `None` for another value.
    pub(crate) fn elements(self, value: Value<'_>) -> Option<Vec<Value<'s>>> {
        let (mut is_array, mut length) = (false, 0);
        // SAFETY: the value is alive; its length is asked only if it is an array.
        let measured = unsafe {
            sys::napi_is_array(self.env, value.raw, &raw mut is_array) == sys::Status::napi_ok
                && is_array
                && sys::napi_get_array_length(self.env, value.raw, &raw mut length) == sys::Status::napi_ok
        };
        if !measured {
            return None;
        }
        // SAFETY: the value is alive, and an array.
        (0..length)
            .map(|at| self.made(|env, out| unsafe { sys::napi_get_element(env, value.raw, at, out) }))
            .collect()
    }

    pub(crate) fn property(self, object: Value<'_>, name: &std::ffi::CStr) -> Option<Value<'s>> {
        // SAFETY: the value is alive, the name ends with a zero.
        self.made(|env, out| unsafe { sys::napi_get_named_property(env, object.raw, name.as_ptr(), out) })
    }

    /// Copies the bytes of a `Uint8Array`, whose memory JavaScript may change, resize or transfer once it runs again.
    /// The bytes of a `SharedBytes` were copied before. Returns `None` for another value.
    pub(crate) fn as_bytes(self, value: Value<'_>) -> Option<Body> {
        let Some((kind, length, data)) = self.typed_array(value) else { return self.as_shared(value) };
        if kind != sys::TypedarrayType::uint8_array {
            return None;
        }
        if length == 0 {
            return Some(Body::from(Vec::new())); // its memory may be nowhere
        }
        // SAFETY: Node says that `length` bytes are there, and no JavaScript of this thread runs while they are copied.
        Some(Body::from(unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }))
    }

    fn as_shared(self, value: Value<'_>) -> Option<Body> {
        // SAFETY: the value is alive; napi looks whether it is ours and of this type.
        let shared = unsafe { External::<SharedBytes>::from_napi_ref(self.env, value.raw) }.ok()?;
        Some(Body::Blob((**shared).clone()))
    }

    /// Keeps an object from being garbage-collected. Returns `None` if Node-API refused.
    pub(crate) fn keep(self, object: Value<'_>, bell: &Arc<Bell>) -> Option<Kept> {
        let mut reference = ptr::null_mut();
        // SAFETY: the value is alive.
        let status = unsafe { sys::napi_create_reference(self.env, object.raw, 1, &raw mut reference) };
        (status == sys::Status::napi_ok).then(|| Kept { reference: Reference(reference), bell: bell.clone() })
    }

    /// Returns the object that `kept` keeps.
    pub(crate) fn kept(self, kept: &Kept) -> Option<Value<'s>> {
        // SAFETY: made by `keep` in this environment, and not handed back while it is borrowed.
        self.made(|env, out| unsafe { sys::napi_get_reference_value(env, kept.reference.0, out) })
    }

    /// Deletes a reference, so that its object may be garbage-collected.
    pub(crate) fn release(self, reference: Reference) {
        // SAFETY: made by `keep` in this environment, and handed here once, by the drop of its `Kept`.
        unsafe { sys::napi_delete_reference(self.env, reference.0) };
    }

    /// Sets whether a thread-safe function keeps the process alive.
    pub(crate) fn keep_alive(self, function: sys::napi_threadsafe_function, on: bool) {
        // SAFETY: on the JS thread, with a function that its owner has not released.
        unsafe {
            if on {
                sys::napi_ref_threadsafe_function(self.env, function);
            } else {
                sys::napi_unref_threadsafe_function(self.env, function);
            }
        }
    }
}

impl ToNapiValue for Value<'_> {
    unsafe fn to_napi_value(_: sys::napi_env, value: Self) -> napi::Result<sys::napi_value> {
        Ok(value.raw)
    }
}

/// Borrows the descriptor with that number, which must be open.
#[cfg(target_os = "linux")]
pub(crate) fn descriptor(number: i32) -> rustix::fd::BorrowedFd<'static> {
    // SAFETY: it is not -1. It is used for one system call at once, which is refused if it was closed meanwhile.
    unsafe { rustix::fd::BorrowedFd::borrow_raw(number) }
}

/// A function that runs on the JS thread when its environment ends.
pub(crate) struct AtEnd(*mut Box<dyn FnOnce()>);

impl AtEnd {
    /// Registers `run`. Returns `None` if Node refused it.
    pub(crate) fn new(env: &Env, run: impl FnOnce() + 'static) -> Option<AtEnd> {
        let data = Box::into_raw(Box::new(Box::new(run) as Box<dyn FnOnce()>));
        // SAFETY: on the JS thread. Node gives the data to `run_at_end` once, unless `remove` is called before.
        let status = unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(run_at_end), data.cast()) };
        if status == sys::Status::napi_ok {
            return Some(AtEnd(data));
        }
        // SAFETY: made above, and Node did not take it.
        drop(unsafe { Box::from_raw(data) });
        None
    }

    /// Removes and frees the function, which must not have run.
    pub(crate) fn remove(self, env: &Env) {
        // SAFETY: on the JS thread, with the function and the data that were added there.
        let status = unsafe { sys::napi_remove_env_cleanup_hook(env.raw(), Some(run_at_end), self.0.cast()) };
        if status == sys::Status::napi_ok {
            // SAFETY: made by `new`, and Node has let go of it.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

unsafe extern "C" fn run_at_end(data: *mut c_void) {
    // SAFETY: made by `AtEnd::new`, and handed here once.
    let run = unsafe { Box::from_raw(data.cast::<Box<dyn FnOnce()>>()) };
    run();
}

/// A reference that keeps an object from being garbage-collected. Only the JS thread may read or delete it.
pub(crate) struct Reference(sys::napi_ref);

// SAFETY: an opaque number to every thread but the JS thread.
unsafe impl Send for Reference {}
// SAFETY: as above.
unsafe impl Sync for Reference {}

/// An object that is not garbage-collected until this value is dropped, on any thread.
pub(crate) struct Kept {
    reference: Reference,
    bell: Arc<Bell>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        let reference = std::mem::replace(&mut self.reference, Reference(ptr::null_mut()));
        self.bell.give_back(reference);
    }
}
