//! Hints on the audience and the importance of a resource.

use super::moment::is_moment;
use crate::error::{Error, ErrorKind, Result};

/// Hints for clients about a resource: its audience, its importance, and the time of its last change.
///
/// Source: the `Annotations` type of each revision's schema.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotations {
    pub(crate) audience: Vec<Role>,
    pub(crate) priority: Option<f64>,
    pub(crate) last_modified: Option<Box<str>>,
}

/// An audience of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

impl Annotations {
    /// Makes annotations without hints.
    pub fn new() -> Self {
        Annotations::default()
    }

    /// Sets for whom the resource is. Default: no hint.
    #[must_use]
    pub fn audience(mut self, roles: impl Into<Vec<Role>>) -> Self {
        self.audience = roles.into();
        self
    }

    /// Sets the importance, from 0 (least) to 1 (most). Checked at registration.
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the time of the last change: ISO 8601 with a time and its offset from UTC, such as
    /// `2025-01-12T15:00:58Z`. Checked at registration.
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Self {
        self.last_modified = Some(time.into().into_boxed_str());
        self
    }

    /// Reads the protocol's JSON form: an object with `audience`, `priority` and `lastModified`, each optional.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if `text` is anything else.
    pub fn from_json(text: &str) -> Result<Self> {
        let refuse = |what: &str| {
            Error::new(
                ErrorKind::InvalidArgument,
                format!(
                    "annotations: {what}; give {{\"audience\":[\"user\",\"assistant\"],\"priority\":0..1,\"lastModified\":\"…\"}}, each optional"
                ),
            )
        };
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| refuse("not JSON").because(e))?;
        let serde_json::Value::Object(members) = value else { return Err(refuse("not an object")) };
        let mut annotations = Annotations::default();
        for (name, value) in members {
            match (name.as_str(), value) {
                ("audience", serde_json::Value::Array(roles)) => {
                    for role in roles {
                        annotations.audience.push(match role.as_str() {
                            Some("user") => Role::User,
                            Some("assistant") => Role::Assistant,
                            _ => return Err(refuse("unknown audience")),
                        });
                    }
                }
                ("priority", serde_json::Value::Number(number)) => annotations.priority = number.as_f64(),
                ("lastModified", serde_json::Value::String(time)) => {
                    annotations.last_modified = Some(time.into_boxed_str());
                }
                (name, _) => return Err(refuse(&format!("unknown or ill-typed member \"{name}\""))),
            }
        }
        annotations.check()?;
        Ok(annotations)
    }

    pub(crate) fn check(&self) -> Result<()> {
        let refuse =
            |what: String| Err(Error::new(ErrorKind::InvalidArgument, format!("annotations: {what}")));
        if let Some(priority) = self.priority.filter(|priority| !(0.0..=1.0).contains(priority)) {
            return refuse(format!("priority {priority} is outside 0 to 1"));
        }
        match self.last_modified.as_deref().filter(|time| !is_moment(time)) {
            Some(time) => refuse(format!(
                "lastModified \"{time}\" is not a date, a time and its offset from UTC, such as YYYY-MM-DDThh:mm:ssZ"
            )),
            None => Ok(()),
        }
    }
}
