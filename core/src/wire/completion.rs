//! The result of a completion.

use super::descriptor::separated;
use super::{Identity, ResultWriter};
use crate::encode::quote_into;
use crate::jsonrpc::RequestId;
use crate::jsonrpc::write::Object;
use crate::model::{Cache, Completion};
use crate::revision::Revision;

/// The greatest number of values that a completion sends (`CompleteResult` of each revision's schema).
const MAX: usize = 100;

pub(crate) fn completion(
    out: &mut Vec<u8>,
    revision: Revision,
    id: &RequestId,
    identity: &Identity,
    completion: &Completion,
) {
    let Completion { values, total, more, .. } = completion;
    let sent = &values[..values.len().min(MAX)];
    let cut = sent.len() < values.len();
    // The values that are cut off here count in the total, unless the application has more that it did not count.
    let total = total.or((cut && !more).then_some(values.len() as u64));
    let mut result = ResultWriter::begin(out, revision, id);
    let mut members = Object::begin(result.member("completion"));
    let list = members.member("values");
    list.push(b'[');
    separated(list, sent, |out, value| quote_into(value, out));
    list.push(b']');
    if let Some(total) = total {
        members.raw("total", itoa::Buffer::new().format(total));
    }
    members.boolean("hasMore", cut || *more);
    members.end();
    result.end(identity, Cache::None);
}
