//! Sessions that the application keeps beyond a call.

use crate::error::{Result, thrown};
use napi_derive::napi;
use wellhead::Json;

/// A session of `lib/session.ts`.
#[napi]
pub(crate) struct Session(pub(crate) wellhead::Session);

#[napi]
impl Session {
    #[napi(getter)]
    pub fn id(&self) -> &str {
        self.0.id()
    }

    #[napi(getter)]
    pub fn client(&self) -> Option<&str> {
        self.0.client()
    }

    #[napi(getter)]
    pub fn client_capabilities(&self) -> Option<&str> {
        self.0.client_capabilities()
    }

    #[napi(getter)]
    pub fn closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Sends the client a notification; `params` is JSON. Returns true if it was sent.
    #[napi]
    pub fn notify(&self, method: String, params: Option<String>) -> Result<bool> {
        let params = params.map(Json::parse).transpose().map_err(thrown)?;
        self.0.notify(&method, params.as_ref()).map_err(thrown)
    }
}
