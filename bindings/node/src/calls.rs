//! The calls that JavaScript answers later, by number.

use crate::bell::Bell;
use crate::question::{CANCEL, Outcome, Question, Understood};
use crate::raw::{Js, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use wellhead::{Answer, CallId, Event, Page, Responder, Verdict, Watched};

/// The function of JavaScript that events are run with.
#[derive(Clone, Copy)]
pub(crate) struct Hooks<'s> {
    pub(crate) js: Js<'s>,
    pub(crate) ask: Value<'s>,
}

/// Which connection a call belongs to; 0 is the driver's.
pub(crate) type Origin = u32;

enum Held {
    Read(Responder<Answer>),
    List(Responder<Page>),
    Authorize(Responder<Vec<Verdict>>),
    Interest(Responder<Watched>),
}

macro_rules! each {
    ($held:expr, $responder:ident => $do:expr) => {
        match $held {
            Held::Read($responder) => $do,
            Held::List($responder) => $do,
            Held::Authorize($responder) => $do,
            Held::Interest($responder) => $do,
        }
    };
}

macro_rules! held {
    ($($kind:ident($answer:ty)),*) => {$(
        impl From<Responder<$answer>> for Held {
            fn from(responder: Responder<$answer>) -> Self {
                Held::$kind(responder)
            }
        }
    )*};
}

held!(Read(Answer), List(Page), Authorize(Vec<Verdict>), Interest(Watched));

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
            Event::Read(call) => self.ask(hooks, call, origin),
            Event::List(call) => self.ask(hooks, call, origin),
            Event::Authorize(call) => self.ask(hooks, call, origin),
            Event::Interest(call) => self.ask(hooks, call, origin),
            Event::Cancel(call) => {
                let number = self.numbers.borrow().get(&(origin, call)).copied();
                if let Some(number) = number {
                    hooks.js.scope(|js| {
                        let arguments = [js.number(f64::from(CANCEL))?, js.number(f64::from(number))?];
                        js.call(hooks.ask, &arguments).map(drop)
                    });
                }
            }
            event => drop(event), // nothing else can be registered from JavaScript yet
        }
    }

    fn ask<Q: Question>(&self, hooks: &Hooks<'_>, question: Q, origin: Origin)
    where
        Held: From<Responder<Q::Answer>>,
    {
        let number = self.next();
        let outcome = hooks.js.scope(|js| {
            let result =
                arguments(js, &question, number, origin).and_then(|arguments| js.call(hooks.ask, &arguments));
            match result {
                Some(value) => Q::Answer::understand(js, value, &self.bell),
                None => Outcome::Failed("JavaScript could not be called".to_owned()),
            }
        });
        if let Outcome::Later = outcome {
            let id = question.call();
            let held = question.into_responder().into();
            if let Some(id) = id {
                self.numbers.borrow_mut().insert((origin, id), number);
            }
            self.held.borrow_mut().insert(number, Entry { held, origin, id });
        } else {
            answer(question.into_responder(), outcome);
        }
    }

    fn next(&self) -> u32 {
        self.last.set(self.last.get().wrapping_add(1));
        self.last.get()
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
        let mut abandoned: Vec<(u32, Entry)> = self
            .held
            .borrow_mut()
            .extract_if(|_, call| each!(&call.held, responder => responder.is_cancelled()))
            .collect();
        abandoned.sort_unstable_by_key(|(number, _)| *number);
        for (_, call) in &abandoned {
            if let Some(id) = call.id {
                self.numbers.borrow_mut().remove(&(call.origin, id));
            }
        }
        abandoned.into_iter().map(|(number, _)| number).collect()
    }

    pub(crate) fn finish(&self, js: Js<'_>, call: Entry, value: Value<'_>) {
        each!(call.held, responder => answer(responder, Understood::understand(js, value, &self.bell)));
    }
}

fn answer<A: Understood>(responder: Responder<A>, outcome: Outcome<A>) {
    match outcome {
        Outcome::Answer(answer) => drop(responder.finish(answer)),
        Outcome::Failed(why) => A::fail(responder, why),
        Outcome::Later => {} // said before: dropping the responder logs that it has no answer
    }
}

/// What every question begins with, and what is its own.
fn arguments<'s, Q: Question>(
    js: Js<'s>,
    question: &Q,
    number: u32,
    origin: Origin,
) -> Option<Vec<Value<'s>>> {
    let mut arguments = Vec::with_capacity(12);
    arguments.extend([
        js.number(f64::from(Q::KIND))?,
        js.number(f64::from(number))?,
        js.number(question.handler() as f64)?,
        js.number(f64::from(origin))?,
        js.text_or_undefined(question.revision())?,
        js.text_or_undefined(question.meta())?,
    ]);
    question.arguments(js, &mut arguments)?;
    Some(arguments)
}
