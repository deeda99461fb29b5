//! The server key: the one place where randomness enters.

use crate::error::{Error, ErrorKind, Result};

/// The key under which cursors are sealed. Replicas, and restarts, that shall accept each other's cursors share one.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) [u8; Key::BYTES]);

/// A name for an instance that no other has.
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

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Key> {
        bytes.try_into().map(Key).map_err(|_| {
            let message = format!("a cursor key has {} bytes, this one has {}", Key::BYTES, bytes.len());
            Error::new(ErrorKind::InvalidArgument, message)
        })
    }
}
