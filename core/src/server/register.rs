//! Registers resources: fixed values, callbacks, list sources, and the authorizer.

use super::{Handle, Server};
use crate::catalog::{Catalog, HandlerId, Removed, Template, template_tool};
#[cfg(doc)]
use crate::error::ErrorKind;
use crate::error::Result;
use crate::event::{AuthorizeCall, Call, Gatekeeper, InterestCall, InterestHandler, ListCall};
use crate::log::Severity;
use crate::model::{Answer, Body, Contents, Page, Resource};
use crate::provider::{IntoReply, Lister, Provider, Reader, Spawner, gatekeeper, interest_handler};
use crate::responder::InterestAnswer;
use crate::sync::atomic::Ordering;
use std::pin::Pin;
use std::sync::Arc;

impl Server {
    /// Registers a fixed text, served without a callback.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUri`], [`ErrorKind::Duplicate`] if the URI is registered, [`ErrorKind::InvalidArgument`] for
    /// a descriptor that cannot be sent, [`ErrorKind::Closed`].
    pub fn text(&self, resource: impl Into<Resource>, text: impl Into<String>) -> Result<Handle> {
        self.value(resource.into(), Body::from(text.into()))
    }

    /// Registers fixed bytes, served without a callback. Errors as for [`Server::text`].
    pub fn blob(&self, resource: impl Into<Resource>, bytes: impl Into<Vec<u8>>) -> Result<Handle> {
        self.value(resource.into(), Body::from(bytes.into()))
    }

    /// Registers a fixed body that the server may share with the application. Errors as for [`Server::text`].
    pub fn value(&self, resource: impl Into<Resource>, body: impl Into<Body>) -> Result<Handle> {
        self.open()?;
        let (resource, body) = (resource.into(), body.into());
        let _outlives = body.clone(); // on refusal it must not be dropped under the lock
        let name = self.0.catalog.with(|c, _| c.add_value(resource, body))?;
        self.0.resources_changed();
        Ok(Handle::resource(self, &name))
    }

    /// Replaces a fixed text or fixed bytes, and notifies the subscribers. [`Contents`] with a version set the version
    /// of the resource; without one the resource has none from then on.
    ///
    /// # Errors
    /// [`ErrorKind::Unknown`] if no fixed value is registered at the URI. [`ErrorKind::InvalidUri`] and
    /// [`ErrorKind::InvalidArgument`] for contents that cannot be sent. [`ErrorKind::Closed`].
    pub fn set(&self, uri: &str, contents: impl Into<Contents>) -> Result<()> {
        self.open()?;
        let contents = contents.into();
        contents.check()?;
        let _outlives = contents.clone();
        let change = self.0.catalog.with(|c, trash| {
            c.set_value(uri, contents).map(|(change, old)| {
                trash.put(old);
                change
            })
        })?;
        self.0.publish(uri, &change);
        Ok(())
    }

    /// Registers a fixed URI whose contents a closure returns. Errors as for [`Server::text`].
    pub fn resource<F, R, M>(&self, resource: impl Into<Resource>, read: F) -> Result<Handle>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        let resource = resource.into();
        let name = resource.uri.clone();
        self.add_resource(resource, Some(Arc::new(Reader::new(read))))?;
        Ok(Handle::resource(self, &name))
    }

    /// Registers a template; a closure returns the contents of every URI that matches.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidTemplate`]. [`ErrorKind::Duplicate`] if the template is registered. [`ErrorKind::Ambiguous`]
    /// if a URI could match this template and another one equally well. [`ErrorKind::InvalidArgument`] for a descriptor
    /// that cannot be sent. [`ErrorKind::Closed`].
    pub fn template<F, R, M>(&self, template: impl Into<Template>, read: F) -> Result<Handle>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        let template = template.into();
        let name = template.uri_template.clone();
        let lists = template.callbacks.lists();
        self.add_template(template, Some(Arc::new(Reader::new(read))), lists)?;
        Ok(Handle::resource(self, &name))
    }

    /// Registers a list source: a closure that returns resources page by page. Lists have the fixed resources first,
    /// then those of the sources in the order of their registration. Cursors contain the name of the source, so
    /// all instances need the same name.
    ///
    /// # Errors
    /// [`ErrorKind::Duplicate`] if a source has the name, [`ErrorKind::InvalidArgument`] for an empty name,
    /// [`ErrorKind::Closed`].
    pub fn list<F, R, M>(&self, name: impl Into<String>, list: F) -> Result<Handle>
    where
        F: Fn(ListCall) -> R + Send + Sync + 'static,
        R: IntoReply<Page, M>,
        M: 'static,
    {
        let name = name.into();
        self.add_list(Some(name.clone()), Some(Arc::new(Lister::new(list))))?;
        Ok(Handle::list(self, &name))
    }

    /// Registers a list source of skills, for `skills/list` and `skills/get` of the extension
    /// `io.modelcontextprotocol/skills`. [`Page::push_skill`] adds a skill to a page. For `skills/get`,
    /// [`ListCall::uri`] is the skill that the client asks for; lists need not have it. The files of skills are read as
    /// other resources are: register them, such as by a template. Lists have the skills in the order in which their
    /// sources were registered.
    ///
    /// # Errors
    /// [`ErrorKind::Duplicate`] if a source has the name, [`ErrorKind::InvalidArgument`] for an empty name,
    /// [`ErrorKind::Closed`].
    pub fn skill_list<F, R, M>(&self, name: impl Into<String>, list: F) -> Result<Handle>
    where
        F: Fn(ListCall) -> R + Send + Sync + 'static,
        R: IntoReply<Page, M>,
        M: 'static,
    {
        let name = name.into();
        self.add_skill_list(Some(name.clone()), Some(Arc::new(Lister::new(list))))?;
        Ok(Handle::list(self, &name))
    }

    /// Registers a closure that reads every URI that no registration serves.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn fallback<F, R, M>(&self, read: F) -> Result<()>
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: IntoReply<Answer, M>,
        M: 'static,
    {
        self.set_fallback(Some(Arc::new(Reader::new(read)))).map(drop)
    }

    /// Registers the authorizer: a closure that the server calls before it lists, reads, completes or subscribes to
    /// resources, and before it lists or uses tools and prompts. It is not called for methods of [`Server::method`],
    /// which judge the caller themselves. Of [`Server::resource_search`] it judges the results. It returns one [`crate::Verdict`] for each target of its call, in their order; for a list that is many at
    /// once. Without an authorizer everything is allowed. A second one replaces the first.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn authorize<F, R, M>(&self, authorize: F) -> Result<()>
    where
        F: Fn(AuthorizeCall) -> R + Send + Sync + 'static,
        R: IntoReply<Vec<crate::Verdict>, M> + 'static,
        M: 'static,
    {
        self.open()?;
        let gatekeeper: Arc<Gatekeeper> = Arc::new(gatekeeper(authorize));
        self.0.gatekeeper.with(|g, trash| trash.put(g.replace(gatekeeper)));
        self.0.settings.authorises.store(true, Ordering::Release);
        Ok(())
    }

    /// Registers the interest handler: a closure that gets each URI that has got its first subscriber or lost its last
    /// one. The server acknowledges a new subscriber after the closure has answered.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn on_interest<F, R, M>(&self, interest: F) -> Result<()>
    where
        F: Fn(InterestCall) -> R + Send + Sync + 'static,
        R: IntoReply<InterestAnswer, M> + 'static,
        M: 'static,
    {
        self.open()?;
        let interest_handler: Arc<InterestHandler> = Arc::new(interest_handler(interest));
        self.0.interest_handler.with(|w, trash| trash.put(w.replace(interest_handler)));
        let then = self.0.hub.enable_interest_handler();
        self.0.carry_out(then);
        Ok(())
    }

    /// Sets the executor for the futures that closures return, such as `|future| drop(runtime.spawn(future))`. Without
    /// one, each future fails its call, as does one that the executor drops before its end.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] if the server was closed.
    pub fn spawn_with(
        &self,
        spawn: impl Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync + 'static,
    ) -> Result<()> {
        self.open()?;
        let spawner: Arc<Spawner> = Arc::new(spawn);
        self.0.spawner.with(|s, trash| trash.put(s.replace(spawner)));
        Ok(())
    }

    /// Removes a fixed resource by its URI, or a template by its text, with its list. Calls in progress are still
    /// answered. Returns the id of the registration; `None` for a fixed text or bytes, which has no callback.
    ///
    /// # Errors
    /// [`ErrorKind::Unknown`] if there is no such registration, [`ErrorKind::Closed`].
    pub fn remove_resource(&self, uri_or_template: &str) -> Result<Option<HandlerId>> {
        let handler = self.take_out(|c| c.remove_resource(uri_or_template))?;
        self.0.templates_changed();
        self.0.notice_removed_app(uri_or_template);
        Ok(handler)
    }

    /// Removes a list source by its name, of resources or of skills. Calls in progress are still answered. The list of
    /// a template is removed with the template. Returns the id of the registration.
    ///
    /// # Errors
    /// As [`Server::remove_resource`].
    pub fn remove_list(&self, name: &str) -> Result<Option<HandlerId>> {
        let handler = self.take_out(|c| c.remove_list(name))?;
        self.0.templates_changed();
        Ok(handler)
    }

    /// Removes a method by its name. Calls in progress are still answered. Returns the id of the registration.
    ///
    /// # Errors
    /// As [`Server::remove_resource`].
    pub fn remove_method(&self, name: &str) -> Result<Option<HandlerId>> {
        self.take_out(|c| c.remove_method(name))
    }

    fn take_out(&self, remove: impl FnOnce(&mut Catalog) -> Result<Removed>) -> Result<Option<HandlerId>> {
        self.open()?;
        self.0.catalog.with(|c, trash| {
            remove(c).map(|removed| {
                let handler = removed.handler;
                trash.put(removed);
                handler
            })
        })
    }

    // ---- for bindings: callbacks by number

    /// Registers a fixed URI whose contents a [`Provider`] reads. Without a provider, the application runs events
    /// itself. Everything else is as with [`Server::resource`].
    pub fn add_resource(
        &self,
        resource: impl Into<Resource>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let resource = resource.into();
        let colon = colon_variable(&resource.uri).map(|name| {
            format!("\"{}\" is a fixed URI; a variable is written {{{name}}} and not :{name}", resource.uri)
        });
        let _outlives = provider.clone(); // on refusal it must not be dropped under the lock
        let id = self.0.catalog.with(|c, _| c.add_resource(resource, provider))?;
        if let Some(line) = colon {
            self.0.log.write(Severity::Warning, &line);
        }
        self.0.resources_changed();
        Ok(id)
    }

    /// Registers a template; a [`Provider`] reads the contents of every URI that matches. Without a provider, the
    /// application runs events itself. If `lists` is true, the provider, or the template's own closure, also lists the
    /// resources of the template. Everything else is as with [`Server::template`].
    pub fn add_template(
        &self,
        template: impl Into<Template>,
        provider: Option<Arc<dyn Provider>>,
        lists: bool,
    ) -> Result<HandlerId> {
        self.open()?;
        let template = template.into();
        let text = template.uri_template.clone();
        let _outlives = (provider.clone(), template.callbacks.clone());
        let tools = self.0.settings.policy.options.resources_as_tools;
        let tool = if tools { Some(template_tool(&template)?) } else { None };
        let added = self.0.catalog.with(|c, _| c.add_template(template, provider, lists, tool))?;
        if added.probably_greedy {
            let line = format!("\"{text}\" matches one segment only; for nested paths write {{+path}}");
            self.0.log.write(Severity::Warning, &line);
        }
        if tools && let Some(line) = self.0.catalog.with(|c, _| c.left_out(&text)) {
            self.0.log.write(Severity::Warning, &line);
        }
        self.0.templates_changed();
        Ok(added.id)
    }

    /// Registers a list source, of which a [`Provider`] returns the pages. Without a provider, the application runs
    /// events itself. The default names are `1`, `2` and so on. Everything else is as with [`Server::list`].
    pub fn add_list(&self, name: Option<String>, provider: Option<Arc<dyn Provider>>) -> Result<HandlerId> {
        self.open()?;
        let _outlives = provider.clone();
        let id = self.0.catalog.with(|c, _| c.add_source(name, provider))?;
        self.0.resources_changed();
        Ok(id)
    }

    /// Registers a list source of skills, of which a [`Provider`] returns the pages. Without a provider, the
    /// application runs events itself. The default names are `1`, `2` and so on. Everything else is as with
    /// [`Server::skill_list`].
    pub fn add_skill_list(
        &self,
        name: Option<String>,
        provider: Option<Arc<dyn Provider>>,
    ) -> Result<HandlerId> {
        self.open()?;
        let _outlives = provider.clone();
        let id = self.0.catalog.with(|c, _| c.add_skill_source(name, provider))?;
        self.0.resources_changed();
        Ok(id)
    }

    /// Registers a [`Provider`] that reads every URI that no registration serves. Without a provider, the application
    /// runs events itself. Everything else is as with [`Server::fallback`].
    pub fn set_fallback(&self, provider: Option<Arc<dyn Provider>>) -> Result<HandlerId> {
        self.open()?;
        self.0.settings.has_resources.store(true, Ordering::Release);
        Ok(self.0.catalog.with(|c, trash| {
            let (id, old) = c.set_fallback(provider);
            trash.put(old);
            id
        }))
    }
}

/// Returns the name in a path segment such as `:id`, which web frameworks use for variables. `None` if there is none.
fn colon_variable(uri: &str) -> Option<&str> {
    let mut names = uri.split('/').skip(1).filter_map(|segment| segment.strip_prefix(':'));
    let is_name = |name: &&str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    names.find(is_name)
}
