//! Closures that return futures, run by an executor of the application's.

use std::pin::pin;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use wellhead::{
    Answer, AuthorizeCall, Caller, Completion, Connection, Handled, InterestCall, Json, MethodCall, Page,
    Resource, Server, Template, Verdict,
};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on(future: impl Future<Output = ()>) {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    while future.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        std::thread::park();
    }
}

/// Is ready the second time it is asked.
fn second_time() -> impl Future<Output = ()> {
    let mut asked = false;
    std::future::poll_fn(move |context| {
        if std::mem::replace(&mut asked, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

fn request(connection: &Connection, method: &str, params: &str) -> String {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    match connection.handle(message.as_bytes()).unwrap() {
        Handled::Answer(answer) => String::from_utf8(answer).unwrap(),
        other => panic!("no answer but {other:?}"),
    }
}

#[test]
fn a_future_answers_reads_lists_and_completions() {
    let server = Server::new("s", "1");
    server.spawn_with(block_on).unwrap();
    let template = Template::new("notes://{id}")
        .list(|_| async { Page::new([Resource::new("notes://1")]) })
        .complete("id", |_| async { Completion::new(["1"]) });
    server
        .template(template, |call| async move {
            second_time().await;
            Some(format!("note {}", call.var("id")?))
        })
        .unwrap();
    let connection = server.connect(Caller::default());
    assert!(request(&connection, "resources/read", r#""uri":"notes://7","#).contains("note 7"));
    assert!(request(&connection, "resources/list", "").contains("notes://1"));
    let reference =
        r#""ref":{"type":"ref/resource","uri":"notes://{id}"},"argument":{"name":"id","value":""},"#;
    assert!(request(&connection, "completion/complete", reference).contains(r#""values":["1"]"#));
}

#[test]
fn a_future_answers_methods_verdicts_and_interest() {
    let server = Server::new("s", "1");
    server.spawn_with(block_on).unwrap();
    server.text("notes://open", "").unwrap();
    server.text("notes://shut", "").unwrap();
    server
        .method("notes/count", |_: MethodCall| async {
            second_time().await;
            Json::parse(r#"{"count":2}"#)
        })
        .unwrap();
    server
        .authorize(|call: AuthorizeCall| async move {
            second_time().await;
            let verdict = |uri: &str| if uri.ends_with("shut") { Verdict::Deny } else { Verdict::Allow };
            call.targets().map(verdict).collect::<Vec<_>>()
        })
        .unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = told.clone();
    server
        .on_interest(move |call: InterestCall| {
            let tell = tell.clone();
            async move {
                second_time().await;
                tell.lock().unwrap().push((call.uri().to_owned(), call.wanted()));
            }
        })
        .unwrap();
    let connection = server.connect(Caller::default());
    assert!(request(&connection, "notes/count", "").contains(r#""count":2"#));
    assert!(request(&connection, "resources/read", r#""uri":"notes://open","#).contains("contents"));
    assert!(request(&connection, "resources/read", r#""uri":"notes://shut","#).contains("403"));
    let mut client = server.test_client().unwrap();
    client.subscribe("notes://open").unwrap();
    assert!(client.subscribe("notes://shut").is_err());
    assert_eq!(*told.lock().unwrap(), [("notes://open".to_owned(), true)]);
}

#[test]
fn a_future_may_end_on_another_thread() {
    let (sender, futures) = mpsc::channel();
    let server = Server::new("s", "1");
    server.spawn_with(move |future| sender.send(future).unwrap()).unwrap();
    server.resource("notes://a", |_| async { "later" }).unwrap();
    let connection = server.connect(Caller::default());
    let read = br#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"notes://a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    let Handled::Later(route) = connection.handle(read).unwrap() else { panic!("answered already") };
    std::thread::spawn(move || block_on(futures.recv().unwrap())).join().unwrap();
    let Some(Handled::Answer(answer)) = connection.take(route) else { panic!("no answer") };
    assert!(String::from_utf8(answer).unwrap().contains("later"));
}

#[test]
fn a_future_that_is_not_run_or_is_dropped_is_an_internal_error() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    let server = Server::builder("s", "1")
        .on_log(move |_, line| kept.lock().unwrap().push(line.to_owned()))
        .build()
        .unwrap();
    server.resource("notes://a", |_| async { Answer::NotFound }).unwrap();
    let connection = server.connect(Caller::default());
    assert!(request(&connection, "resources/read", r#""uri":"notes://a","#).contains("-32603"));
    assert!(lines.lock().unwrap().iter().any(|line| line.contains("spawn_with")));
    server.spawn_with(drop).unwrap();
    assert!(request(&connection, "resources/read", r#""uri":"notes://a","#).contains("-32603"));
}
