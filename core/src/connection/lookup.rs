//! Lookups in the catalog, made with no lock of the connection held.

use super::ConnectionState;
use crate::access::AccessCheck;
use crate::catalog::{Completer, Content, Found, Listing, ToolAudience, Walk, Walked};
use crate::event::Event;
use crate::jsonrpc::RpcError;
use crate::model::{Borrowed, Completion, Json};
use crate::policy::{AppOnlyTools, SubscribeUnknown};
use crate::protocol::{
    Argument, Completing, Context, Judged, Lookup, Request, ResolvedRead, invalid_uri, not_found,
    not_modified, nothing_at, unknown_argument,
};
use crate::refusals::RefusalKind;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

impl ConnectionState {
    /// Looks a request up in the catalog, with no lock of the connection held. Returns the event of its first call, if
    /// there is one.
    pub(super) fn look_up(self: &Arc<Self>, request: &Request, lookup: Lookup) -> Option<Event> {
        let check = self.server.settings.access_check();
        match lookup {
            Lookup::Introduce => {
                self.introduce(request);
                None
            }
            Lookup::Further { name, params } => self.further(request, &name, params),
            Lookup::Notification { name, params } => self.notified(request, &name, params),
            Lookup::Read { uri } => self.read(request, uri, check),
            Lookup::List { listing, cursor } => self.list(request, listing, None, cursor.as_deref()),
            Lookup::Complete(argument) => self.complete(request, argument, check),
            Lookup::Subscribe { subscriber, uris } => {
                let known = match self.find_known(&uris) {
                    Ok(known) => known,
                    Err(fault) => return self.refuse(request, &fault),
                };
                self.polled_step(|m, _| {
                    m.begin_subscription(request, subscriber, uris, known, check);
                });
                None
            }
            Lookup::Listen { lists, uris } => {
                let lists = self.server.offered(lists);
                let mut seen = BTreeSet::new();
                let uris: Vec<Arc<str>> = uris
                    .iter()
                    .filter(|uri| {
                        uri.len() <= self.server.settings.limits.uri_bytes && seen.insert(uri.as_str())
                    })
                    .filter_map(|uri| match self.exists(uri) {
                        Presence::Yes(uri) => Some(uri),
                        Presence::No | Presence::Invalid => None,
                    })
                    .collect();
                self.join();
                let requested = seen.len();
                self.polled_step(|m, _| m.begin_listen_stream(request, lists, requested, uris, check));
                None
            }
        }
    }

    pub(super) fn list(
        self: &Arc<Self>,
        request: &Request,
        listing: Listing,
        subject: Option<Arc<str>>,
        cursor: Option<&str>,
    ) -> Option<Event> {
        let around = self.around();
        let check = self.server.settings.access_check();
        let filter = request.context.filter().map(Json::as_str);
        let revision = request.context.revision;
        let Some(mut walk) = Walk::new((listing, subject), revision, filter, check, cursor, &around) else {
            let why = "a list was refused: its cursor is invalid. If another process gave it, share `cursor_key` among them";
            let now = self.machine.with(|m, _| m.now());
            self.server.refusals.report(&self.server.log, RefusalKind::Cursor, now, why);
            return self.refuse(request, &invalid_cursor());
        };
        if listing == Listing::Tools {
            walk.set_audience(self.audience_of_tools(&request.context));
        }
        match walk.start(&around) {
            Walked::Page(page) => self.polled_step(|m, _| m.answer_list(request, &page)),
            Walked::Missing(uri) => return self.refuse(request, &nothing_at(&uri)),
            walked => self.polled_step(|m, trash| m.begin_walk(request, walked, trash)),
        }
        None
    }

    /// Returns which tools the client of a list request may see. It depends on the client only if there are tools for
    /// apps only.
    fn audience_of_tools(&self, context: &Context) -> ToolAudience {
        let always = self.server.settings.policy.options.app_only_tools == AppOnlyTools::AllClients;
        if always || !self.server.catalog.with(|c, _| c.has_tools_for_apps_only()) {
            ToolAudience::Anyone
        } else if self.client_extensions(context).supports_apps() {
            ToolAudience::ModelAndApps
        } else {
            ToolAudience::Model
        }
    }

    pub(super) fn refuse(self: &Arc<Self>, request: &Request, fault: &RpcError) -> Option<Event> {
        self.polled_step(|m, _| m.answer_error(request, fault));
        None
    }

    pub(super) fn read(
        self: &Arc<Self>,
        request: &Request,
        uri: Arc<str>,
        check: AccessCheck,
    ) -> Option<Event> {
        let read = match self.find(request, &uri) {
            Ok(read) => read,
            Err(fault) => return self.refuse(request, &fault),
        };
        if check == AccessCheck::NotRequired
            && let Some(had) = request.context.if_version().filter(|had| read.version() == Some(had))
        {
            return self.refuse(request, &not_modified(request.context.revision, &uri, had));
        }
        let begun = match read {
            read if check == AccessCheck::Required => {
                let judged = Judged::Read { uri, read };
                self.polled_step(|m, trash| m.begin_judged(request, judged, trash))
            }
            ResolvedRead::Fixed(fixed) => {
                if let Content::Value { contents, .. } = &fixed.content {
                    let (defaults, contents) = (fixed.defaults(&uri), contents.each_ref().map(Borrowed::new));
                    self.polled_step(|m, _| m.answer_read(request, &defaults, &contents));
                }
                return None;
            }
            ResolvedRead::Call { handler, vars } => {
                self.polled_step(|m, trash| m.begin_read(request, uri, handler, vars, trash))
            }
        };
        let (application_call, context) = begun?;
        self.event(application_call, context)
    }

    /// Returns what a URI reads, or the error to answer.
    pub(super) fn find(&self, request: &Request, uri: &str) -> Result<ResolvedRead, RpcError> {
        match self.server.catalog.with(|c, _| c.find(uri)) {
            Found::Invalid => Err(invalid_uri(uri)),
            Found::Nothing => {
                self.notice_near(uri);
                Err(not_found(request.context.revision, uri))
            }
            Found::Value(fixed) => Ok(ResolvedRead::Fixed(fixed)),
            Found::Call { handler, vars } => Ok(ResolvedRead::Call { handler, vars }),
        }
    }

    fn complete(
        self: &Arc<Self>,
        request: &Request,
        argument: Result<Arc<Argument>, RpcError>,
        check: AccessCheck,
    ) -> Option<Event> {
        if !self.server.catalog.with(|c, _| c.completes()) {
            self.polled_step(|m, _| m.answer_no_method(request, "completion/complete"));
            return None;
        }
        let argument = match argument {
            Ok(argument) => argument,
            Err(fault) => return self.refuse(request, &fault),
        };
        let Argument { reference, name, .. } = &*argument;
        let completer = self.server.catalog.with(|c, _| {
            if argument.of_prompt {
                c.prompt_completer(reference, name)
            } else {
                c.completer(reference, name)
            }
        });
        let none = Completion::default();
        let completing = match completer {
            Completer::Unknown => return self.refuse(request, &unknown_argument(&argument)),
            Completer::Handler(handler) => Completing::Host(handler),
            Completer::Values(values) => {
                let typed = argument.value.to_lowercase();
                let found = values.iter().filter(|value| value.to_lowercase().starts_with(&typed));
                Completing::Done(Box::new(Completion::new(found.map(|value| &**value))))
            }
            Completer::NotRegistered => Completing::Done(Box::new(none)),
            Completer::Resource => Completing::Done(Box::new(none.total(0))),
            Completer::NoVariable => {
                let (what, member) = if argument.of_prompt {
                    (format!("the prompt has no argument \"{name}\""), "name")
                } else {
                    (format!("the template has no variable \"{name}\""), "uri")
                };
                Completing::Refused(RpcError::invalid_params(&what).with_member(member, reference))
            }
        };
        let (application_call, context) = self.polled_step(|m, trash| {
            if check == AccessCheck::Required {
                let judged = Judged::Completion { argument, completing };
                m.begin_judged(request, judged, trash)
            } else {
                m.begin_completion(request, argument, completing, trash)
            }
        })?;
        self.event(application_call, context)
    }

    /// Returns those of the URIs at which there may be a resource, shared with the catalog where it has them. Fails if
    /// one is invalid.
    fn find_known(&self, uris: &[String]) -> Result<Vec<Arc<str>>, RpcError> {
        let (mut known, mut unknown) = (Vec::with_capacity(uris.len()), Vec::new());
        for uri in uris {
            match self.exists(uri) {
                Presence::Yes(uri) => known.push(uri),
                Presence::No => unknown.push(uri),
                Presence::Invalid => return Err(invalid_uri(uri)),
            }
        }
        for uri in unknown {
            self.notice_near(uri);
        }
        Ok(known)
    }

    /// Logs, for a URI that no registration takes, the registration that the client has probably meant.
    fn notice_near(&self, uri: &str) {
        let near = self.server.catalog.with(|c, _| match c.find(uri) {
            Found::Nothing => c.near(uri),
            _ => None,
        });
        let Some(near) = near else { return };
        self.server.notice(uri, || {
            let why = "URIs are compared byte by byte; register this one, too";
            format!("\"{uri}\" is not found, but \"{near}\" is registered: {why}")
        });
    }

    /// Returns whether clients may subscribe to a URI that no registration serves.
    fn takes_unknown(&self) -> bool {
        self.server.settings.policy.options.subscribe_unknown == SubscribeUnknown::Allow
    }

    fn exists(&self, uri: &str) -> Presence {
        match self.server.catalog.with(|c, _| c.find(uri)) {
            Found::Value(fixed) => Presence::Yes(fixed.uri.clone()),
            Found::Call { handler, .. } => match &handler.provider {
                Some(provider) if !self.takes_unknown() && !exists(&**provider, uri) => Presence::No,
                _ => Presence::Yes(uri.into()),
            },
            Found::Nothing if self.takes_unknown() => Presence::Yes(uri.into()),
            Found::Nothing => Presence::No,
            Found::Invalid => Presence::Invalid,
        }
    }
}

/// Says whether there may be a resource at a URI, as far as the server knows.
enum Presence {
    /// There may be one. The URI is shared with the catalog if that has it.
    Yes(Arc<str>),
    No,
    Invalid,
}

/// Returns what the provider says about a URI. A provider that panics counts as one that says yes.
fn exists(provider: &dyn crate::Provider, uri: &str) -> bool {
    catch_unwind(AssertUnwindSafe(|| provider.exists(uri))).unwrap_or(true)
}

fn invalid_cursor() -> RpcError {
    let mut fault = RpcError::invalid_params("");
    fault.message = "Invalid cursor".into();
    fault.with_sentence("Invalid cursor: leave it out to begin at the start")
}
