//! Arguments of a call by path.

use crate::boundary::{Promise, query};
use crate::held_call::wellhead_call;
use crate::types::wellhead_str;
use std::ffi::{c_char, c_int};
use wellhead::Arguments;

/// Returns a string among the arguments of a method, a tool or a prompt, decoded, also in a callback around it. It may
/// have NULs inside. It is absent if the path leads to nothing, or to a value of another type. It is borrowed until the
/// call is answered, or the callback around it returns.
/// path: a NUL-terminated JSON Pointer (RFC 6901) such as "/edits/0/oldText". Its first slash may be left out, as in
/// "model". "" names all arguments. In a name "~1" stands for a slash and "~0" for "~". A name that occurs twice in an
/// object leads to nothing.
/// The first of these functions that a call uses copies its arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_text(
    call: *const wellhead_call,
    path: *const c_char,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { borrowed(call, path, Arguments::text) }
}

/// Returns the value at a path of the arguments, of any type, as the JSON that the client wrote, such as a number too
/// large for the other functions. It is absent if the path leads to nothing, and borrowed until the call is answered.
/// path: as in wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_json(
    call: *const wellhead_call,
    path: *const c_char,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { borrowed(call, path, Arguments::json) }
}

/// Returns 1 if the path leads to a whole number that an int64_t holds, such as 5 or 5.0, else 0. *value: the number; may be
/// NULL. path: as in wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_integer(
    call: *const wellhead_call,
    path: *const c_char,
    value: *mut i64,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { written(call, path, value, Arguments::integer) }
}

/// Returns 1 if the path leads to a number, else 0, also if the number is beyond the largest double. *value: the nearest
/// double, so integers beyond 2^53 and most fractions are rounded; may be NULL. path: as in
/// wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_number(
    call: *const wellhead_call,
    path: *const c_char,
    value: *mut f64,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { written(call, path, value, Arguments::number) }
}

/// Returns 1 if the path leads to true or false, else 0. *value: 1 for true, 0 for false; may be NULL. path: as in
/// wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_boolean(
    call: *const wellhead_call,
    path: *const c_char,
    value: *mut c_int,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe { written(call, path, value, |arguments, path| arguments.boolean(path).map(c_int::from)) }
}

/// Returns the number of elements of an array, or of members of an object. Returns 0 for other values, and if the path
/// leads to nothing. path: as in wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_count(
    call: *const wellhead_call,
    path: *const c_char,
) -> usize {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |promise, call| {
            found(promise, call, path).map_or(0, |(arguments, path)| arguments.count(path))
        })
    }
}

/// Returns the name of the member at `index` of an object, decoded, in the order of its text. It is absent if the object
/// has fewer members or the path leads to no object. It is borrowed until the call is answered. path: as in
/// wellhead_call_argument_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_call_argument_name(
    call: *const wellhead_call,
    path: *const c_char,
    index: usize,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe { borrowed(call, path, |arguments, path| arguments.name(path, index)) }
}

/// Returns the arguments of a call with a path as Rust has it. None if the call has no arguments, or the path is NULL
/// or not UTF-8.
fn found<'a>(
    promise: &'a Promise,
    call: &'a wellhead_call,
    path: *const c_char,
) -> Option<(&'a Arguments, &'a str)> {
    Some((call.by_path()?, promise.c_string(path)?))
}

/// The body of a function that returns a text of the arguments.
unsafe fn borrowed(
    call: *const wellhead_call,
    path: *const c_char,
    get: impl for<'a> FnOnce(&'a Arguments, &str) -> Option<&'a str>,
) -> wellhead_str {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, wellhead_str::ABSENT, |promise, call| {
            let text = found(promise, call, path).and_then(|(arguments, path)| get(arguments, path));
            wellhead_str::optional(text)
        })
    }
}

/// The body of a function that writes a value of the arguments.
unsafe fn written<T>(
    call: *const wellhead_call,
    path: *const c_char,
    place: *mut T,
    get: impl FnOnce(&Arguments, &str) -> Option<T>,
) -> c_int {
    // SAFETY: our caller's promise.
    unsafe {
        query(call, 0, |promise, call| {
            let value = found(promise, call, path).and_then(|(arguments, path)| get(arguments, path));
            value.map_or(0, |value| {
                promise.put(place, value);
                1
            })
        })
    }
}
