//! A folder of Agent Skills as resources.

use crate::boundary::Promise;
#[allow(clippy::wildcard_imports, reason = "its flags are those of folders")]
use crate::directory::*;
use crate::fields::{set_numbers, set_switches, set_words};
use crate::server::{wellhead_server, with_server};
use crate::status::{wellhead_error, wellhead_status};
use crate::types::{growing, wellhead_str};
use wellhead::{Result, Skills};

/// A folder of skills to serve. Copied before return.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct wellhead_skills {
    pub struct_size: usize,
    /// The path of the folder; required. A relative path is taken from the current directory.
    pub path: wellhead_str,
    /// The first segment of all URIs, such as acme in skill://acme/pdf/SKILL.md: letters, digits and -._~. Default: none,
    /// or the name of the folder if that is a skill itself.
    pub prefix: wellhead_str,
    /// The time for which changes are gathered, in milliseconds; at most 60,000. Clients are notified once there was no
    /// change for this time, and after ten times this time at the latest. Default: 50.
    pub settle_ms: u64,
    /// WELLHEAD_NO_WATCH or 0.
    pub flags: u32,
}

growing!(wellhead_skills);

/// Registers the skills in a folder and below it: skills/list, skills/get and resources/directory/read of the extension
/// io.modelcontextprotocol/skills, and each file as a resource such as skill://pdf/SKILL.md. A skill is a directory with
/// a SKILL.md that begins with front matter; the log says why another one is not served. Hidden and ignored files are
/// treated as wellhead_server_add_directory treats them. skills: may not be NULL. Fails with IO if the folder cannot be
/// read, with DUPLICATE for a second folder with the same prefix or if either has none, and with INVALID_UTF8,
/// INVALID_ARGUMENT or CLOSED. Fails with AMBIGUOUS if a template matches the same URIs and neither is more specific.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wellhead_server_add_skills(
    server: *mut wellhead_server,
    skills: *const wellhead_skills,
    error: *mut *mut wellhead_error,
) -> wellhead_status {
    // SAFETY: our caller's promise.
    unsafe {
        with_server(server, error, |promise, server| {
            server.skills(promise.fields(skills, "skills")?.skills(promise)?).map(drop)
        })
    }
}

impl wellhead_skills {
    fn skills(&self, promise: &Promise) -> Result<Skills> {
        let mut skills = Skills::new(promise.text(self.path, "path")?);
        set_switches!(skills, self.flags;
            WELLHEAD_NO_WATCH => watch = false,
        );
        set_words!(skills, promise, self;
            prefix,
        );
        set_numbers!(skills, self;
            settle_ms,
        );
        Ok(skills)
    }
}
