//! Batches: an array of messages, answered by one array (JSON-RPC 2.0 section 6).
//!
//! Each element is handled like a message on a route of its own. The batch keeps the answers of its elements until
//! no element can answer any more; then it sends them in the order of the requests.

use super::draft::Draft;
use super::machine::Machine;
use super::outbox::{MessageKind, Piece, Route, Stage};
use crate::jsonrpc::write::{ReplyId, error};
use crate::jsonrpc::{Raw, RequestId, RpcError};
use crate::revision::KnownMethod;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An element of a batch that was not handled yet.
pub(super) struct Element {
    pub(super) line: Vec<u8>,
    pub(super) route: Route,
}

/// Elements of batches that wait to be handled. They come before further input.
#[derive(Default)]
pub(super) struct Elements {
    queue: VecDeque<Element>,
    bytes: usize,
}

impl Elements {
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The bytes of all elements together.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, element: Element) {
        self.bytes += element.line.len();
        self.queue.push_back(element);
    }

    /// Takes the text of the first element. The element itself stays until [`Elements::remove_first`], so that a step
    /// which ends it in the meantime can find it.
    pub(super) fn take_line(&mut self) -> Option<Element> {
        let first = self.queue.front_mut()?;
        let line = std::mem::take(&mut first.line);
        self.bytes -= line.len();
        Some(Element { line, route: first.route })
    }

    /// Removes the first element. Returns false if the first element is not that of `route`, because that one was
    /// ended.
    pub(super) fn remove_first(&mut self, route: Route) -> bool {
        let is_first = self.queue.front().is_some_and(|first| first.route == route);
        if is_first {
            self.queue.pop_front();
        }
        is_first
    }

    pub(super) fn clear(&mut self) {
        *self = Elements::default();
    }

    /// Drops the elements on these routes. Returns the routes on which there was one.
    pub(super) fn remove(&mut self, routes: &[Route]) -> Vec<Route> {
        let mut removed = Vec::new();
        self.queue.retain(|element| {
            let wanted = !routes.contains(&element.route);
            if !wanted {
                removed.push(element.route);
                self.bytes -= element.line.len();
            }
            wanted
        });
        removed
    }
}

/// A batch that is not answered yet.
struct OpenBatch {
    /// The route of the array that answers the batch.
    route: Route,
    /// The answers so far, in the order of the elements. An element without an answer has `None`.
    answers: Vec<Option<Piece>>,
    /// The number of elements that may still answer.
    open: usize,
    /// The ids of the batch's requests that were read so far.
    ids: BTreeSet<RequestId>,
    bytes: usize,
    refused: usize,
}

/// All batches of a connection that are not answered yet, each under the number of its first element's route. Its
/// elements have the numbers from there.
#[derive(Default)]
pub(super) struct Batches {
    open: BTreeMap<u64, OpenBatch>,
    bytes: usize,
    refused: usize,
}

impl Batches {
    /// The bytes of answers that wait in batches, which the client cannot take yet.
    pub(super) fn len(&self) -> usize {
        self.bytes
    }

    /// Returns how many of the waiting answers refuse an element, which costs no call.
    pub(super) fn refused(&self) -> usize {
        self.refused
    }

    /// The bytes of the answers that wait in the batch of this element.
    pub(super) fn gathered_with(&self, route: Route) -> usize {
        self.find(route).map_or(0, |batch| batch.bytes)
    }

    /// Returns the number of this element's batch and the element's index in it; `None` if the route is that of no
    /// element.
    fn place(&self, route: Route) -> Option<(u64, usize)> {
        let Route::Message(number) = route else { return None };
        let (first, batch) = self.open.range(..=number).next_back()?;
        let index = (number - first) as usize;
        (index < batch.answers.len()).then_some((*first, index))
    }

    fn find(&self, route: Route) -> Option<&OpenBatch> {
        self.open.get(&self.place(route)?.0)
    }

    /// Returns the route that answers this element's batch.
    pub(super) fn route_of(&self, route: Route) -> Option<Route> {
        self.find(route).map(|batch| batch.route)
    }

    /// Notes the id of a request in a batch. Returns false if the same batch has a request with this id.
    pub(super) fn note_id(&mut self, route: Route, id: &RequestId) -> bool {
        let Some((first, _)) = self.place(route) else { return true };
        self.open.get_mut(&first).is_none_or(|batch| batch.ids.insert(id.clone()))
    }

    /// The routes of the elements of all batches that are answered on `route`.
    pub(super) fn elements_of(&self, route: Route) -> impl Iterator<Item = Route> {
        self.open
            .iter()
            .filter(move |(_, batch)| batch.route == route)
            .flat_map(|(first, batch)| (*first..).take(batch.answers.len()))
            .map(Route::Message)
    }

    fn begin(&mut self, route: Route, first: u64, elements: usize) {
        let answers = std::iter::repeat_with(|| None).take(elements).collect();
        let batch = OpenBatch { route, answers, open: elements, ids: BTreeSet::new(), bytes: 0, refused: 0 };
        self.open.insert(first, batch);
    }

    /// Ends an element, with an answer or without. If it was the last of its batch, returns the route of the batch and
    /// all its answers.
    pub(super) fn finish_element(
        &mut self,
        route: Route,
        answer: Option<Piece>,
    ) -> Option<(Route, Vec<Piece>)> {
        let (first, index) = self.place(route)?;
        let batch = self.open.get_mut(&first)?;
        batch.open -= 1;
        if let Some(answer) = answer {
            let bytes = answer.len();
            let refused = if answer.kind == MessageKind::Final(Stage::Refused) { bytes } else { 0 };
            batch.bytes += bytes;
            batch.refused += refused;
            self.bytes += bytes;
            self.refused += refused;
            batch.answers[index] = Some(answer);
        }
        if batch.open > 0 {
            return None;
        }
        let batch = self.open.remove(&first)?;
        self.bytes -= batch.bytes;
        self.refused -= batch.refused;
        Some((batch.route, batch.answers.into_iter().flatten().collect()))
    }

    /// Removes all batches. Returns the bytes of their answers, and what the caller drops after it released the lock.
    pub(super) fn take_all(&mut self) -> (usize, impl Send + use<>) {
        let gone = std::mem::take(&mut self.open).into_values().collect();
        self.release(gone)
    }

    /// Removes the batches that are answered on one route. Returns the same as [`Batches::take_all`].
    pub(super) fn take_route(&mut self, route: Route) -> (usize, impl Send + use<>) {
        let firsts = self.open.iter().filter(|(_, batch)| batch.route == route).map(|(first, _)| *first);
        let gone = firsts.collect::<Vec<_>>().iter().filter_map(|first| self.open.remove(first)).collect();
        self.release(gone)
    }

    fn release(&mut self, gone: Vec<OpenBatch>) -> (usize, impl Send + use<>) {
        let bytes = gone.iter().map(|batch| batch.bytes).sum();
        self.bytes -= bytes;
        self.refused -= gone.iter().map(|batch| batch.refused).sum::<usize>();
        let answers: Vec<_> = gone.into_iter().map(|batch| batch.answers).collect();
        (bytes, answers)
    }
}

impl Machine {
    /// Takes an array of messages, whose elements come out of [`Machine::poll_next`] one after the other.
    pub(super) fn handle_batch(&mut self, elements: Option<Vec<Raw<'_>>>, route: Route) {
        if self.outbox.batches.route_of(route).is_some() {
            return self.answer_refused(route, None, &RpcError::invalid_request("a message is an object"));
        }
        if !self.lifecycle.handshake().is_some_and(|revision| revision.batches) {
            let fault = RpcError::invalid_request("batches are not accepted; send one message at a time");
            return self.answer_refused(route, None, &fault);
        }
        let refusal = match &elements {
            None => RpcError::limit_exceeded("batch_length", self.settings.limits.batch_length),
            Some(elements) if elements.is_empty() => RpcError::invalid_request("the batch is empty"),
            Some(_) => return self.begin_batch(&elements.unwrap_or_default(), route),
        };
        self.causes.refused(&refusal);
        self.outbox
            .write(route, MessageKind::Final(Stage::Refused), |p| error(p.out, ReplyId::Null, &refusal));
    }

    fn begin_batch(&mut self, elements: &[Raw<'_>], route: Route) {
        let first = self.next_route;
        self.next_route += elements.len() as u64;
        self.outbox.batches.begin(route, first, elements.len());
        for (number, element) in (first..).zip(elements) {
            let line = element.get().as_bytes().to_vec();
            self.elements.push(Element { line, route: Route::Message(number) });
        }
    }

    /// Returns the error for a request that a batch may not contain. `None` if it may, or if it is in no batch.
    pub(super) fn unfit_for_batch(&self, draft: &Draft<'_>, route: Route) -> Option<RpcError> {
        self.outbox.batches.route_of(route)?;
        let what = if draft.stands_alone(&self.settings.revisions) {
            "a request that names its own protocol version stands alone"
        } else if KnownMethod::named(&draft.name) == Some(KnownMethod::Initialize) {
            "initialize stands alone"
        } else {
            return None;
        };
        Some(RpcError::invalid_request(what))
    }

    /// The routes of a message: its own, and those of its elements if it is a batch.
    pub(super) fn routes_of(&self, route: Route) -> Vec<Route> {
        std::iter::once(route).chain(self.outbox.batches.elements_of(route)).collect()
    }
}
