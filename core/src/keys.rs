//! The key of a server, and random names. Only `http/sessions.rs`, which makes session ids, calls `getrandom`, too.

use crate::error::{Error, ErrorKind, Result};
use aes_siv::KeyInit;
use aes_siv::siv::Aes128Siv;

/// The key that seals cursors. All instances, and processes before and after a restart, need the same key to accept each
/// other's cursors.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) [u8; Key::BYTES]);

/// Returns a random name for an instance, different from all others.
pub(crate) fn random_name() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| Error::new(ErrorKind::Io, "no randomness for the instance's name").because(e))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl Key {
    pub(crate) const BYTES: usize = 32;

    pub(crate) fn random() -> Result<Key> {
        let mut bytes = [0; Key::BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|e| Error::new(ErrorKind::Io, "no randomness for the cursor key").because(e))?;
        Ok(Key(bytes))
    }

    /// Derives the key for a server on stdio from its name and version, if the application chose none. Each process of
    /// the same server derives the same key. Since anyone can derive it, it keeps no secret.
    pub(crate) fn of_program(name: &str, version: &str) -> Key {
        let headers = ["cursors of a program", name, version];
        let sealed = Aes128Siv::new(&[0; Key::BYTES].into()).encrypt(headers, &[0; Key::BYTES / 2]);
        let sealed = sealed.expect("three headers are within what AES-SIV takes");
        Key(sealed.try_into().expect("a tag and half a key make a key"))
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Key> {
        bytes.try_into().map(Key).map_err(|_| {
            let message = format!("a cursor key has {} bytes, this one has {}", Key::BYTES, bytes.len());
            Error::new(ErrorKind::InvalidArgument, message)
        })
    }
}
