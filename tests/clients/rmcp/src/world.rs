//! A host, the client that drives it, and what came in.

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, Implementation, ProgressNotificationParam, ProtocolVersion, ReadResourceRequest,
    ReadResourceRequestParams, ResourceContents, ResourceUpdatedNotificationParam, ServerNotification,
    ServerResult, SubscribeRequestParams, SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, NotificationContext, PeerRequestOptions, RequestContext, RequestHandle,
    RunningService, Subscription, serve_client_with_lifecycle,
};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceError};
use serde_json::json;
use std::error::Error;
use std::fs;
use tokio::process::Command;
use tokio::sync::mpsc;

pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The first revision without a handshake.
const STATELESS: &str = "2026-07-28";

/// A notification or a request of the host.
#[derive(Debug)]
pub enum News {
    Progress(Option<String>),
    Updated(String),
    Tools,
}

pub struct Handler {
    revision: ProtocolVersion,
    news: mpsc::UnboundedSender<News>,
}

pub struct World {
    revision: ProtocolVersion,
    is_http: bool,
    record: String,
    reached: Vec<String>,
    sender: mpsc::UnboundedSender<News>,
    news: mpsc::UnboundedReceiver<News>,
    service: Option<RunningService<RoleClient, Handler>>,
    listening: Option<Subscription>,
}

impl World {
    pub fn new(revision: &str, is_http: bool, record: &str, reached: &[String]) -> World {
        let revision = serde_json::from_value(json!(revision)).expect("a revision is a string");
        let (sender, news) = mpsc::unbounded_channel();
        let (record, reached) = (record.to_owned(), reached.to_vec());
        World { revision, is_http, record, reached, sender, news, service: None, listening: None }
    }

    pub async fn connect(&mut self) -> Result<()> {
        let handler = Handler { revision: self.revision.clone(), news: self.sender.clone() };
        let lifecycle = if self.is_stateless() {
            ClientLifecycleMode::Discover { preferred_versions: vec![self.revision.clone()] }
        } else {
            ClientLifecycleMode::Initialize
        };
        self.service = Some(if self.is_http {
            let transport = StreamableHttpClientTransport::from_uri(self.reached[0].clone());
            serve_client_with_lifecycle(handler, transport, lifecycle).await?
        } else {
            let mut command = Command::new(&self.reached[0]);
            command.args(&self.reached[1..]);
            serve_client_with_lifecycle(handler, TokioChildProcess::new(command)?, lifecycle).await?
        });
        Ok(())
    }

    pub fn is_connected(&self) -> bool {
        self.service.is_some()
    }

    pub fn is_stateless(&self) -> bool {
        self.revision.as_str() >= STATELESS
    }

    /// Answers what the host asks before it answers a read or a call.
    pub fn client(&self) -> &RunningService<RoleClient, Handler> {
        self.service.as_ref().expect("the first step connects")
    }

    pub async fn read(&self, uri: &str) -> std::result::Result<Vec<ResourceContents>, ServiceError> {
        Ok(self.client().read_resource(ReadResourceRequestParams::new(uri)).await?.contents)
    }

    pub async fn text(&self, uri: &str) -> std::result::Result<String, ServiceError> {
        Ok(text_of(&self.read(uri).await?))
    }

    /// Sends a read whose answer may take its time. The SDK asks for progress of it.
    pub async fn begin(&self, uri: &str) -> Result<RequestHandle<RoleClient>> {
        let request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        let request = ClientRequest::ReadResourceRequest(request);
        Ok(self.client().send_cancellable_request(request, PeerRequestOptions::no_options()).await?)
    }

    /// Wants to be told of a resource and of the list of tools.
    pub async fn listen(&mut self, uri: &str) -> Result<()> {
        if self.is_stateless() {
            let mut filter = SubscriptionFilter::builder().tools_list_changed().build();
            filter.resource_subscriptions = Some(vec![uri.to_owned()]);
            self.listening = Some(self.client().listen(filter).await?);
        } else {
            #[allow(deprecated, reason = "it is what revisions with a handshake have")]
            self.client().subscribe(SubscribeRequestParams::new(uri)).await?;
        }
        Ok(())
    }

    pub async fn progress(&mut self) -> Result<Option<String>> {
        match self.news.recv().await {
            Some(News::Progress(message)) => Ok(message),
            other => Err(format!("instead of progress came {other:?}").into()),
        }
    }

    /// The next word of a resource or of the tools.
    pub async fn change(&mut self) -> Result<News> {
        let Some(listening) = &mut self.listening else {
            return self.news.recv().await.ok_or_else(|| "the client is over".into());
        };
        match listening.next().await? {
            Some(ServerNotification::ResourceUpdatedNotification(updated)) => {
                Ok(News::Updated(updated.params.uri))
            }
            Some(ServerNotification::ToolListChangedNotification(_)) => Ok(News::Tools),
            other => Err(format!("on the listen stream came {other:?}").into()),
        }
    }

    /// Ends the client; of a host that it started, tells how that ended.
    pub async fn close(&mut self) -> Result<String> {
        self.listening = None;
        let service = self.service.take().expect("the first step connects");
        service.cancel().await?;
        if self.is_http {
            return Ok("the client has nothing to complain of".to_owned());
        }
        let ended = fs::read_to_string(&self.record)?;
        if ended.contains("\"terminated\": true") || ended.contains("\"code\": 0") {
            return Ok("the host ends".to_owned());
        }
        Err(format!("the host ended so: {ended}").into())
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::new());
        let mut info = ClientConfig::new(capabilities, Implementation::new("driver", "1.0.0"));
        info.protocol_version = self.revision.clone();
        info
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<ElicitResult, ErrorData> {
        let mut answer = ElicitResult::new(ElicitationAction::Accept);
        answer.content = Some(json!({ "name": "Ada" }));
        Ok(answer)
    }

    async fn on_progress(&self, told: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let _ = self.news.send(News::Progress(told.message)); // the driver may be over
    }

    async fn on_resource_updated(
        &self,
        told: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.news.send(News::Updated(told.uri));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.news.send(News::Tools);
    }
}

pub fn text_of(contents: &[ResourceContents]) -> String {
    match contents {
        [ResourceContents::TextResourceContents { text, .. }] => text.clone(),
        other => format!("{other:?}"),
    }
}

/// The text that a read was answered with.
pub async fn answer(reading: RequestHandle<RoleClient>) -> Result<String> {
    match reading.await_response().await? {
        ServerResult::ReadResourceResult(read) => Ok(text_of(&read.contents)),
        other => Err(format!("it is {other:?}").into()),
    }
}
