//! Fields of C's structs that are passed on to the options of the same name.

use wellhead::{Error, OptionValue, Result, SetOption};

/// Passes on an option. An error begins with its name.
pub(crate) fn set<T: SetOption>(target: T, name: &str, value: OptionValue) -> Result<T> {
    target.set_option(name, value).map_err(|e| Error::new(e.kind(), format!("{name}: {e}")))
}

/// Passes on the texts that are not absent.
macro_rules! set_texts {
    ($target:ident, $promise:expr, $given:expr; $($field:ident),*) => {$(
        if let Some(text) = $promise.optional($given.$field, stringify!($field))? {
            $target = $target.$field(text);
        }
    )*};
}

/// Passes on the texts and words that are options, and not absent.
macro_rules! set_words {
    ($target:ident, $promise:ident, $given:expr; $($field:ident),* $(,)?) => {
        let _: &$crate::boundary::Promise = $promise; // without fields
        $(
        if let Some(text) = $promise.optional($given.$field, stringify!($field))? {
            let text = wellhead::OptionValue::Text(text.to_owned());
            $target = $crate::fields::set($target, stringify!($field), text)?;
        }
    )*
    };
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
    ($target:ident, $given:expr; $($field:ident),* $(,)?) => {$(
        if $given.$field != 0 {
            #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "fields have several types")]
            let number = wellhead::OptionValue::Number($given.$field as u64);
            $target = $crate::fields::set($target, stringify!($field), number)?;
        }
    )*};
}

/// Passes on the switches, each of which has its value if its flag is set, and refuses further flags.
macro_rules! set_switches {
    ($target:ident, $flags:expr; $($flag:ident => $field:ident = $on:literal),* $(,)?) => {
        $crate::foreign::unknown_flags($flags, 0 $(| $flag)*)?;
        $(
            let on = ($flags & $flag != 0) == $on;
            $target = $crate::fields::set($target, stringify!($field), wellhead::OptionValue::Switch(on))?;
        )*
    };
}

pub(crate) use {set_numbers, set_objects, set_switches, set_texts, set_words};
