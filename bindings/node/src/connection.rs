//! A connection whose bytes the application moves itself.

use crate::calls::{Hooks, Origin};
use crate::error::{Result, invalid, thrown};
use crate::raw::Js;
use crate::server::{Hook, Inner, refused};
use napi::bindgen_prelude::{BufferSlice, Either3, Env, Uint8Array, Undefined, Unknown};
use napi_derive::napi;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use wellhead::{Caller, Connection, DrainStart, Group, Handled, Route};

/// A connection, and those of its messages that wait for an answer.
#[napi]
pub(crate) struct NativeConnection {
    group: Group,
    connection: Connection,
    inner: Rc<Inner>,
    /// True while a callback of the connection runs: no event is handled meanwhile.
    running: Cell<bool>,
    exchanges: RefCell<BTreeMap<u32, Route>>,
    last_exchange: Cell<u32>,
}

impl NativeConnection {
    pub(crate) fn new(inner: Rc<Inner>, caller: Caller) -> NativeConnection {
        let (bell, number) = (inner.bell.clone(), Arc::new(OnceLock::new()));
        let wakes = number.clone();
        // Nothing wakes before there is a connection.
        let group = inner.server.group(move || wakes.get().into_iter().for_each(|number| bell.wake(*number)));
        let connection = group.connect(caller);
        number.get_or_init(|| connection.id());
        NativeConnection {
            connection,
            group,
            inner,
            running: Cell::new(false),
            exchanges: RefCell::default(),
            last_exchange: Cell::new(0),
        }
    }

    /// Lets the next change of the connection call `wake` again.
    fn listen(&self) {
        while self.group.next().is_some() {}
    }
}

#[napi]
impl NativeConnection {
    #[napi(getter)]
    pub fn number(&self) -> f64 {
        self.connection.id() as f64
    }

    #[napi]
    pub fn receive(&self, bytes: &[u8]) -> f64 {
        self.connection.receive(bytes) as f64
    }

    #[napi]
    pub fn end(&self) {
        self.connection.end();
    }

    /// Runs the callbacks of at most `max` events. Returns the number of events; 0 inside of a callback.
    #[napi]
    pub fn poll_event(&self, env: Env, max: f64, run_event: Hook<'_>) -> f64 {
        if self.running.get() {
            return 0.0;
        }
        let js = Js::new(&env);
        let hooks = Hooks { js, run_event: js.value(&run_event) };
        self.listen();
        let mut polled = 0.0;
        while polled < max
            && let Some(event) = self.connection.poll_event()
        {
            self.run(&hooks, event);
            polled += 1.0;
        }
        polled
    }

    fn run(&self, hooks: &Hooks<'_>, event: wellhead::Event) {
        let before = self.running.replace(true);
        self.connection.run(|| self.inner.calls.run(hooks, event, Origin::Elsewhere));
        self.running.set(before);
    }

    /// Returns a piece of output, at most `max` bytes, or `undefined` if there is none.
    #[napi]
    pub fn poll_transmit<'env>(&self, env: &'env Env, max: f64) -> Result<Option<BufferSlice<'env>>> {
        let max = max as usize; // saturates
        let DrainStart::Ready(mut drain) = self.connection.drain(Route::Connection) else { return Ok(None) };
        let Some(transmit) = drain.poll_transmit(max) else { return Ok(None) };
        let length = transmit.bytes.len().min(max);
        let bytes = BufferSlice::copy_from(env, &transmit.bytes[..length]).map_err(refused)?;
        drain.wrote(length);
        Ok(Some(bytes))
    }

    #[napi]
    pub fn poll_timeout(&self) -> Option<f64> {
        self.connection.poll_timeout().map(|ms| ms as f64)
    }

    #[napi]
    pub fn tick(&self, now_ms: f64) {
        self.connection.tick(now_ms as u64); // saturates
    }

    /// Handles one message. Returns the answer, `undefined` if it has none, or the number of the exchange that will
    /// have it. `context`: an object for callbacks, as for `begin` of an endpoint.
    #[napi]
    pub fn handle(
        &self,
        env: Env,
        message: &[u8],
        run_event: Hook<'_>,
        context: Unknown<'_>,
    ) -> Result<Either3<Uint8Array, u32, Undefined>> {
        let js = Js::new(&env);
        let hooks = Hooks { js, run_event: js.value(&run_event) };
        self.listen();
        let context = js.keep(js.value(&context), &self.inner.bell).ok_or_else(|| invalid("no context"))?;
        let message = message.to_vec(); // what `exists` runs meanwhile may give its memory away
        let run = |event| self.run(&hooks, event);
        let handled =
            self.connection.handle_with_context(&message, Arc::new(context), run).map_err(thrown)?;
        Ok(match handled {
            Handled::Answer(bytes) => Either3::A(bytes.into()),
            Handled::Nothing => Either3::C(()),
            Handled::Later(route) => {
                let number = self.last_exchange.get().wrapping_add(1);
                self.last_exchange.set(number);
                self.exchanges.borrow_mut().insert(number, route);
                Either3::B(number)
            }
        })
    }

    /// Returns the answer of an exchange, `true` if there will be none, and `undefined` if there is none yet.
    #[napi]
    pub fn poll_exchange(&self, exchange: u32) -> Either3<Uint8Array, bool, Undefined> {
        let route = self.exchanges.borrow().get(&exchange).copied();
        let Some(route) = route else { return Either3::B(true) };
        let over = match self.connection.take(route) {
            Some(Handled::Answer(bytes)) => Either3::A(bytes.into()),
            Some(_) => Either3::B(true),
            None if self.connection.is_closed() => Either3::B(true),
            None => return Either3::C(()),
        };
        self.exchanges.borrow_mut().remove(&exchange);
        over
    }

    #[napi(getter)]
    pub fn finished(&self) -> bool {
        self.connection.is_finished()
    }

    #[napi(getter)]
    pub fn closed(&self) -> bool {
        self.connection.is_closed()
    }

    #[napi]
    pub fn close(&self) {
        self.connection.close();
    }
}
