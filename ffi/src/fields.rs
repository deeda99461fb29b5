//! Fields of C's structs that are passed on to setters of the same name.

/// Passes on the texts that are not absent.
macro_rules! set_texts {
    ($target:ident, $promise:expr, $given:expr; $($field:ident),*) => {$(
        if let Some(text) = $promise.optional($given.$field, stringify!($field))? {
            $target = $target.$field(text);
        }
    )*};
}

/// Passes on the JSON objects that are not absent.
macro_rules! set_objects {
    ($target:ident, $promise:expr, $given:expr; $($field:ident),*) => {$(
        if let Some(text) = $promise.optional($given.$field, stringify!($field))? {
            $target = $target.$field($crate::foreign::json(text, stringify!($field))?);
        }
    )*};
}

/// Passes on the numbers that are not 0, which stands for the default.
macro_rules! set_numbers {
    ($target:ident, $given:expr; $($field:ident),*) => {$(
        if $given.$field != 0 {
            $target = $target.$field($given.$field);
        }
    )*};
}

pub(crate) use {set_numbers, set_objects, set_texts};
