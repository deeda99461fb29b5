//! Pointers and bytes of the application that the library gives back.

use crate::boundary::{Promise, invalid};
use crate::types::{wellhead_destroy_callback, wellhead_str, wellhead_wake_callback};
use std::ffi::c_void;
use std::sync::Arc;
use wellhead::{Body, Error, ErrorKind, Result, Revocable};

/// A pointer of the application. Dropping it calls the destroy function of the application.
pub(crate) struct UserData {
    data: *mut c_void,
    destroy: wellhead_destroy_callback,
}

// SAFETY: the header says that callbacks and `destroy` run on any thread.
unsafe impl Send for UserData {}
// SAFETY: as above; we only pass the pointer on.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(data: *mut c_void, destroy: wellhead_destroy_callback) -> Self {
        UserData { data, destroy }
    }

    pub(crate) fn get(&self) -> *mut c_void {
        self.data
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the header: called once, after the last use.
            unsafe { destroy(self.data) };
        }
    }
}

/// The caller of a connection or a token, with the type that its maker gave it.
pub(crate) struct ApplicationCaller {
    data: UserData,
    kind: *const c_void,
}

// SAFETY: `kind` is an address that is compared and never read.
unsafe impl Send for ApplicationCaller {}
// SAFETY: as above.
unsafe impl Sync for ApplicationCaller {}

impl ApplicationCaller {
    pub(crate) fn new(data: *mut c_void, destroy: wellhead_destroy_callback, kind: *const c_void) -> Self {
        ApplicationCaller { data: UserData::new(data, destroy), kind }
    }

    pub(crate) fn get(&self) -> *mut c_void {
        self.data.get()
    }

    /// Returns the caller if it was given with this type, else None.
    pub(crate) fn of_type(&self, kind: *const c_void) -> Option<*mut c_void> {
        (!kind.is_null() && kind == self.kind).then(|| self.data.get())
    }
}

/// A function that tells the application that there is something to do, until the handle that it belongs to is freed.
pub(crate) type Notice = Revocable<Box<dyn Fn() + Send + Sync>>;

pub(crate) fn notice(call: wellhead_wake_callback, data: UserData) -> Arc<Notice> {
    Arc::new(Revocable::new(Box::new(move || {
        if let Some(call) = call {
            // SAFETY: the application's function, called as the header says.
            unsafe { call(data.get()) };
        }
    })))
}

/// Bytes that the application keeps unchanged until they are released.
struct Lent {
    bytes: wellhead_str,
    _release: UserData,
}

// SAFETY: the header: the bytes stay unchanged until the release, which may come on any thread.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        if self.bytes.ptr.is_null() {
            return &[];
        }
        // SAFETY: as above; `body` has checked the length.
        unsafe { std::slice::from_raw_parts(self.bytes.ptr.cast(), self.bytes.len) }
    }
}

/// Lent bytes that were checked to be UTF-8.
struct LentText(Lent);

impl AsRef<str> for LentText {
    fn as_ref(&self) -> &str {
        // SAFETY: `Source::text` has checked it, and the application promised not to change it.
        unsafe { std::str::from_utf8_unchecked(self.0.as_ref()) }
    }
}

/// A body as the application hands it over.
pub(crate) struct Source {
    bytes: wellhead_str,
    release: Option<UserData>,
}

impl Source {
    /// Takes bytes that the library copies.
    pub(crate) fn copied(bytes: wellhead_str) -> Self {
        Source { bytes, release: None }
    }

    /// Takes bytes that the library uses where they are. It releases them also if they are not used.
    pub(crate) fn owned(
        bytes: wellhead_str,
        release: wellhead_destroy_callback,
        release_data: *mut c_void,
    ) -> Self {
        Source { bytes, release: Some(UserData::new(release_data, release)) }
    }

    pub(crate) fn text(self, promise: &Promise) -> Result<Body> {
        let text = promise.text(self.bytes, "text")?;
        Ok(match self.release {
            None => Body::from(text),
            Some(release) => Body::Text(Arc::new(LentText(Lent { bytes: self.bytes, _release: release }))),
        })
    }

    pub(crate) fn blob(self, promise: &Promise) -> Result<Body> {
        let bytes = promise.bytes(self.bytes, "bytes")?;
        Ok(match self.release {
            None => Body::from(bytes),
            Some(release) => Body::Blob(Arc::new(Lent { bytes: self.bytes, _release: release })),
        })
    }
}

/// Parses text of the application as one JSON value, which is passed on as it is. An error begins with `name`.
pub(crate) fn json(text: &str, name: &str) -> Result<wellhead::Json> {
    wellhead::Json::parse(text).map_err(|e| invalid(format!("{name}: {e}")))
}

/// Parses text of the application as JSON. Returns None if it is absent.
pub(crate) fn object(promise: &Promise, text: wellhead_str, name: &str) -> Result<Option<wellhead::Json>> {
    promise.optional(text, name)?.map(|text| json(text, name)).transpose()
}

pub(crate) fn unknown_flags(flags: u32, known: u32) -> Result<(), Error> {
    match flags & !known {
        0 => Ok(()),
        unknown => {
            let message = format!("flags: {unknown:#x} is no flag of this struct; leave it out");
            Err(Error::new(ErrorKind::InvalidArgument, message))
        }
    }
}
