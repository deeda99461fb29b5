//! The limits of one tool, and the calls that count.

use crate::access::Caller;
use crate::model::ToolLimits;
use crate::sync::Lock;
use crate::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The limits of one tool. The tool keeps them when its definition changes. Most tools have none.
#[derive(Default)]
pub(crate) struct ToolLimiter {
    state: Lock<LimiterState>,
    /// The time limit of calls in milliseconds; 0 for that of the server. Atomic, because it is read while a connection
    /// is locked.
    call_ms: AtomicU64,
}

#[derive(Default)]
struct LimiterState {
    limits: ToolLimits,
    in_flight: usize,
    by_caller: BTreeMap<Box<[u8]>, CallerCalls>,
    /// The number of callers at which those without calls are forgotten.
    sweep_at: usize,
}

#[derive(Default)]
struct CallerCalls {
    in_flight: usize,
    /// The time when the minute began in which the calls are counted.
    since: u64,
    begun: usize,
}

/// A limit that a call would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolLimitReached {
    pub(crate) limit: &'static str,
    pub(crate) most: usize,
    /// The milliseconds until there is room for a call; `None` if that is not known.
    pub(crate) retry_after_ms: Option<u64>,
}

const MINUTE: u64 = 60_000;
/// With fewer callers than this, none are swept out.
const FEW_CALLERS: usize = 64;

impl ToolLimiter {
    /// Replaces the limits. Calls in flight still count.
    pub(crate) fn set(&self, limits: ToolLimits) {
        self.call_ms.store(limits.call_ms.unwrap_or(0), Ordering::Release);
        self.state.with(|state, _| state.limits = limits);
    }

    /// Returns the time limit of calls of the tool, in milliseconds; `None` if it has none of its own.
    pub(crate) fn call_ms(&self) -> Option<u64> {
        Some(self.call_ms.load(Ordering::Acquire)).filter(|ms| *ms > 0)
    }

    /// Counts a call that begins now; `None` if the tool has no limits. Fails if the call would exceed one.
    pub(crate) fn begin(
        self: &Arc<Self>,
        caller: &Arc<Caller>,
        now: u64,
    ) -> Result<Option<ToolCall>, ToolLimitReached> {
        let counts = self.state.with(|state, _| state.begin(caller.id(), now))?;
        Ok(counts.then(|| self.call(caller)))
    }

    /// Counts a call whose callback runs once more. It was counted before, so no limit refuses it.
    pub(crate) fn begin_again(self: &Arc<Self>, caller: &Arc<Caller>, now: u64) -> ToolCall {
        self.state.with(|state, _| state.add(caller.id(), now));
        self.call(caller)
    }

    fn call(self: &Arc<Self>, caller: &Arc<Caller>) -> ToolCall {
        ToolCall { limiter: self.clone(), caller: caller.clone(), is_over: AtomicBool::new(false) }
    }
}

impl LimiterState {
    /// Returns whether the call has to be counted. Fails if it would exceed a limit.
    fn begin(&mut self, caller: &[u8], now: u64) -> Result<bool, ToolLimitReached> {
        let ToolLimits { calls_in_flight, caller_calls_in_flight, caller_calls_per_minute, .. } = self.limits;
        let limits = [calls_in_flight, caller_calls_in_flight, caller_calls_per_minute];
        if limits.iter().all(Option::is_none) {
            return Ok(false);
        }
        let in_flight = self.in_flight;
        let calls = self.calls_of(caller, now);
        let reached = |limit, most, retry_after_ms| Err(ToolLimitReached { limit, most, retry_after_ms });
        if let Some(most) = calls_in_flight.filter(|most| in_flight >= *most) {
            return reached("calls_in_flight", most, None);
        }
        if let Some(most) = caller_calls_in_flight.filter(|most| calls.in_flight >= *most) {
            return reached("caller_calls_in_flight", most, None);
        }
        if let Some(most) = caller_calls_per_minute.filter(|most| calls.begun >= *most) {
            let over = calls.since.saturating_add(MINUTE);
            return reached("caller_calls_per_minute", most, Some(over.saturating_sub(now)));
        }
        calls.begun += 1;
        self.add(caller, now);
        Ok(true)
    }

    fn add(&mut self, caller: &[u8], now: u64) {
        self.in_flight += 1;
        self.calls_of(caller, now).in_flight += 1;
    }

    fn calls_of(&mut self, caller: &[u8], now: u64) -> &mut CallerCalls {
        if self.by_caller.len() >= self.sweep_at.max(FEW_CALLERS) {
            self.by_caller.retain(|_, calls| calls.in_flight > 0 || now.saturating_sub(calls.since) < MINUTE);
            self.sweep_at = 2 * self.by_caller.len();
        }
        let calls = self.by_caller.entry(caller.into()).or_default();
        if calls.begun == 0 || now.saturating_sub(calls.since) >= MINUTE {
            (calls.since, calls.begun) = (now, 0);
        }
        calls
    }

    fn end(&mut self, caller: &[u8]) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let Some(calls) = self.by_caller.get_mut(caller) else { return };
        calls.in_flight = calls.in_flight.saturating_sub(1);
        if calls.in_flight == 0 && self.limits.caller_calls_per_minute.is_none() {
            self.by_caller.remove(caller);
        }
    }
}

/// The count of one call, until it is answered or its responder is gone.
pub(crate) struct ToolCall {
    limiter: Arc<ToolLimiter>,
    caller: Arc<Caller>,
    is_over: AtomicBool,
}

impl ToolCall {
    /// Ends the count of the call. Comes before the answer, after which the client may call again at once.
    pub(crate) fn end(&self) {
        if !self.is_over.swap(true, Ordering::AcqRel) {
            self.limiter.state.with(|state, _| state.end(self.caller.id()));
        }
    }
}

impl Drop for ToolCall {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;

    fn limiter(limits: ToolLimits) -> Arc<ToolLimiter> {
        let limiter = Arc::new(ToolLimiter::default());
        limiter.set(limits);
        limiter
    }

    fn caller(id: &str) -> Arc<Caller> {
        Arc::new(Caller::new(id.as_bytes()))
    }

    #[test]
    fn callers_that_call_no_more_are_forgotten() {
        let limiter = limiter(ToolLimits::default().caller_calls_per_minute(1));
        for at in 0..10_000 {
            let begun = limiter.begin(&caller(&at.to_string()), at * 1_000);
            assert!(begun.is_ok());
        }
        let known = limiter.state.with(|state, _| state.by_caller.len());
        assert!(known <= 2 * FEW_CALLERS, "{known}");
    }

    #[test]
    fn a_clock_that_goes_back_shortens_no_minute() {
        let limiter = limiter(ToolLimits::default().caller_calls_per_minute(1));
        let caller = caller("a");
        assert!(limiter.begin(&caller, 50_000).is_ok());
        let reached = limiter.begin(&caller, 0).err().map(|reached| reached.retry_after_ms);
        assert_eq!(reached, Some(Some(110_000)));
        assert!(limiter.begin(&caller, 110_000).is_ok());
    }

    #[test]
    fn a_call_counts_once_however_often_it_ends() {
        let limiter = limiter(ToolLimits::default().calls_in_flight(1));
        let caller = caller("a");
        let one = limiter.begin(&caller, 0).ok().flatten().expect("there is room");
        one.end();
        let two = limiter.begin(&caller, 0).ok().flatten().expect("there is room");
        drop(one);
        assert!(limiter.begin(&caller, 0).is_err());
        let again = limiter.begin_again(&caller, 0);
        drop(again); // one that began before goes on
        drop(two);
        assert!(limiter.begin(&caller, 0).is_ok());
    }
}
