//! The calls that JavaScript answers later, by number.

use crate::answer;
use crate::bell::Bell;
use crate::raw::{Js, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use wellhead::{Answer, CallId, Event, Page, Responder};

/// The functions of JavaScript that events are run with.
#[derive(Clone, Copy)]
pub(crate) struct Hooks<'s> {
    pub(crate) js: Js<'s>,
    /// `read(handler, call, uri, name, value, …)`.
    pub(crate) read: Value<'s>,
    /// `list(handler, call, after, limit)`.
    pub(crate) list: Value<'s>,
    /// `cancel(call)`.
    pub(crate) cancel: Value<'s>,
}

/// Which connection a call belongs to; 0 is the driver's.
pub(crate) type Origin = u32;

enum Held {
    Read(Responder<Answer>),
    List(Responder<Page>),
}

impl Held {
    fn is_cancelled(&self) -> bool {
        match self {
            Held::Read(responder) => responder.is_cancelled(),
            Held::List(responder) => responder.is_cancelled(),
        }
    }
}

/// A held call.
pub(crate) struct Entry {
    held: Held,
    pub(crate) origin: Origin,
    id: Option<CallId>,
}

pub(crate) struct Calls {
    bell: Arc<Bell>,
    last: Cell<u32>,
    held: RefCell<HashMap<u32, Entry>>,
    numbers: RefCell<HashMap<(Origin, CallId), u32>>,
}

impl Calls {
    pub(crate) fn new(bell: Arc<Bell>) -> Calls {
        Calls { bell, last: Cell::new(0), held: RefCell::default(), numbers: RefCell::default() }
    }

    /// Runs the callback of an event.
    pub(crate) fn run(&self, hooks: &Hooks<'_>, event: Event, origin: Origin) {
        match event {
            Event::Read(call) => self.read(hooks, call, origin),
            Event::List(call) => self.list(hooks, call, origin),
            Event::Cancel(call) => {
                let number = self.numbers.borrow().get(&(origin, call)).copied();
                if let Some(number) = number {
                    hooks.js.scope(|js| {
                        js.number(f64::from(number)).map(|number| js.call(hooks.cancel, &[number]).is_some())
                    });
                }
            }
            event => drop(event), // nothing else can be registered from JavaScript yet
        }
    }

    fn read(&self, hooks: &Hooks<'_>, call: wellhead::Call, origin: Origin) {
        let number = self.next();
        let answer = hooks.js.scope(|js| {
            let result =
                read_arguments(js, &call, number).and_then(|arguments| js.call(hooks.read, &arguments));
            match result {
                Some(value) => answer::read(js, value, &self.bell),
                None => Some(Answer::Failed("JavaScript could not be called".to_owned())),
            }
        });
        if let Some(answer) = answer {
            call.into_responder().finish(answer);
        } else {
            let id = call.call();
            self.hold(number, Held::Read(call.into_responder()), origin, id);
        }
    }

    fn list(&self, hooks: &Hooks<'_>, call: wellhead::ListCall, origin: Origin) {
        let number = self.next();
        let page = hooks.js.scope(|js| {
            let result =
                list_arguments(js, &call, number).and_then(|arguments| js.call(hooks.list, &arguments));
            match result {
                Some(value) => answer::list(js, value),
                None => Some(Page::failed("JavaScript could not be called")),
            }
        });
        if let Some(page) = page {
            call.into_responder().finish(page);
        } else {
            let id = call.call();
            self.hold(number, Held::List(call.into_responder()), origin, id);
        }
    }

    fn next(&self) -> u32 {
        self.last.set(self.last.get().wrapping_add(1));
        self.last.get()
    }

    fn hold(&self, number: u32, held: Held, origin: Origin, id: Option<CallId>) {
        if let Some(id) = id {
            self.numbers.borrow_mut().insert((origin, id), number);
        }
        self.held.borrow_mut().insert(number, Entry { held, origin, id });
    }

    /// Takes a held call out, to be answered.
    pub(crate) fn take(&self, number: u32) -> Option<Entry> {
        let entry = self.held.borrow_mut().remove(&number)?;
        if let Some(id) = entry.id {
            self.numbers.borrow_mut().remove(&(entry.origin, id));
        }
        Some(entry)
    }

    /// Forgets calls whose answer nobody wants, because their connection is gone, and tells their numbers.
    pub(crate) fn abandon(&self) -> Vec<u32> {
        let mut abandoned: Vec<(u32, Entry)> =
            self.held.borrow_mut().extract_if(|_, call| call.held.is_cancelled()).collect();
        abandoned.sort_unstable_by_key(|(number, _)| *number);
        for (_, call) in &abandoned {
            if let Some(id) = call.id {
                self.numbers.borrow_mut().remove(&(call.origin, id));
            }
        }
        abandoned.into_iter().map(|(number, _)| number).collect()
    }

    pub(crate) fn finish(&self, js: Js<'_>, call: Entry, value: Value<'_>) {
        // What says "later" has been said before: dropping the responder logs that it has no answer.
        match call.held {
            Held::Read(responder) => match answer::read(js, value, &self.bell) {
                Some(answer) => drop(responder.finish(answer)),
                None => drop(responder),
            },
            Held::List(responder) => match answer::list(js, value) {
                Some(page) => drop(responder.finish(page)),
                None => drop(responder),
            },
        }
    }
}

fn read_arguments<'s>(js: Js<'s>, call: &wellhead::Call, number: u32) -> Option<Vec<Value<'s>>> {
    let mut arguments = Vec::with_capacity(5);
    arguments.push(js.number(call.handler().number() as f64)?);
    arguments.push(js.number(f64::from(number))?);
    arguments.push(js.text(call.uri())?);
    for name in call.names() {
        arguments.push(js.text(name)?);
        arguments.push(if call.is_list(name) {
            let values: Option<Vec<_>> = call.values(name).into_iter().map(|value| js.text(value)).collect();
            js.array(&values?)?
        } else {
            js.text(call.var(name)?)?
        });
    }
    Some(arguments)
}

fn list_arguments<'s>(js: Js<'s>, call: &wellhead::ListCall, number: u32) -> Option<[Value<'s>; 4]> {
    Some([
        js.number(call.handler().number() as f64)?,
        js.number(f64::from(number))?,
        match call.after() {
            Some(after) => js.text(after)?,
            None => js.undefined()?,
        },
        js.number(call.limit() as f64)?,
    ])
}
