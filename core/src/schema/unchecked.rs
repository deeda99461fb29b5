//! Stands for `schema` in a build without the feature: every schema is taken, and no argument is checked.

use crate::jsonrpc::Raw;

pub(crate) struct Schema;

impl Schema {
    #[expect(clippy::unnecessary_wraps, reason = "the signature of the checking one")]
    pub(crate) fn compile(_: Raw<'_>) -> Result<Schema, String> {
        Ok(Schema)
    }

    #[expect(clippy::unused_self, reason = "the signature of the checking one")]
    pub(crate) fn wrong_fields(&self, _: Raw<'_>) -> Option<String> {
        None
    }

    #[expect(clippy::unused_self, reason = "the signature of the checking one")]
    pub(crate) fn wrong_output(&self, _: Raw<'_>) -> Option<String> {
        None
    }

    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "the signature of the checking one")]
    pub(crate) fn check(&self, _: Raw<'_>) -> Result<Option<Vec<u8>>, String> {
        Ok(None)
    }
}
