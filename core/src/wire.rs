//! Writes model values as JSON for a revision. Only this module leaves out members that a revision lacks.

mod call_result;
mod completion;
mod content_block;
mod contents;
mod definition;
mod descriptor;
mod dialect;
mod lifecycle;
mod meta;
mod method;
mod notification;
mod resource_tools;
mod result;

pub(crate) use call_result::{call_result, names_resources, result_type, says_nothing, tool_error};
pub(crate) use completion::completion;
pub(crate) use contents::{Defaults, LARGE, Payload, Segment, reserve, write_contents};
pub(crate) use definition::write_definition;
pub(crate) use descriptor::{
    ListedMembers, begin_resource, end_resource, same_in_all, separated, write_annotations, write_resource,
    write_template,
};
pub(crate) use dialect::{content_changed, resource_and_contents};
pub(crate) use lifecycle::{Identity, ResourceCapability, ServerInfo, discover, initialize};
pub(crate) use method::{ResultType, further_result};
pub(crate) use notification::{
    SUBSCRIPTION_ID, acknowledged, cancelled_stream, list_changed, progress, stream_ended, updated,
};
pub(crate) use resource_tools::{own_url, tool_contents, tool_document, tool_list, tool_refusal, url_of};
pub(crate) use result::{ResultWriter, empty_list, empty_result};
