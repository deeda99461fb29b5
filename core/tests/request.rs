//! The facts about its request that a call has.

use std::sync::mpsc;
use wellhead::{
    Caller, ClientRequestError, Handled, Json, MethodCall, Server, Template, TestOptions, ToolResult,
};

fn handle(connection: &wellhead::Connection, message: &str) {
    let handled = connection.handle(message.as_bytes()).unwrap();
    assert!(matches!(handled, Handled::Answer(_) | Handled::Nothing), "{handled:?}");
}

/// row: L-32
#[test]
fn a_call_knows_its_client_in_both_eras() {
    let (sender, calls) = mpsc::channel();
    let server = Server::new("s", "1");
    server
        .template("notes://{id}", move |call| {
            sender.send((call.client(), call.client_capabilities(), call.meta().map(str::to_owned))).unwrap();
            "found"
        })
        .unwrap();
    let connection = server.connect(Caller::default());

    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"m","version":"2"},"traceparent":"00-1-2-01","com.example/own":[1, "\u00e9"]}"#;
    let read = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"notes://a","_meta":{meta}}}}}"#
    );
    handle(&connection, &read);
    let (client, capabilities, seen) = calls.recv().unwrap();
    assert_eq!(client.as_deref(), Some(r#"{"name":"m","version":"2"}"#));
    assert_eq!(capabilities.as_deref(), Some(r#"{"roots":{}}"#));
    assert_eq!(seen.as_deref(), Some(meta));

    handle(
        &connection,
        r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    handle(&connection, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    handle(&connection, r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"notes://a"}}"#);
    let (client, capabilities, seen) = calls.recv().unwrap();
    assert_eq!(client.as_deref(), Some(r#"{"name":"c","version":"1"}"#));
    assert_eq!(capabilities.as_deref(), Some(r#"{"sampling":{}}"#));
    assert_eq!(seen, None);
}

fn answer(connection: &wellhead::Connection, uri: &str) -> String {
    let read = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":"{uri}","_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    match connection.handle(read.as_bytes()).unwrap() {
        Handled::Answer(answer) => String::from_utf8(answer).unwrap(),
        other => panic!("no answer but {other:?}"),
    }
}

/// row: U-36
#[test]
fn only_a_template_with_raw_values_gets_unsafe_ones() {
    let server = Server::new("s", "1");
    let (sender, calls) = mpsc::channel();
    for scheme in ["safe", "raw"] {
        let template = Template::new(format!("{scheme}:{{+path}}"));
        let template = if scheme == "raw" { template.raw_values() } else { template };
        let sender = sender.clone();
        server
            .template(template, move |call| {
                sender
                    .send((call.var("path").map(str::to_owned), call.raw("path").map(str::to_owned)))
                    .unwrap();
                "found"
            })
            .unwrap();
    }
    let connection = server.connect(Caller::default());
    for path in ["%2e%2e", "a/%2E%2e/b", "/etc", "C:%2Fx", "a%00b", &"%2e%2e/".repeat(1_000)] {
        let refused = answer(&connection, &format!("safe:{path}"));
        assert!(refused.contains(r#""code":-32602,"message":"Resource not found""#), "{refused}");
        assert!(calls.try_recv().is_err(), "no callback was asked for {path}");
        assert!(answer(&connection, &format!("raw:{path}")).contains("found"));
        let (value, raw) = calls.recv().unwrap();
        assert_eq!(raw.as_deref(), Some(path));
        let decoded = path.replace("%2e", ".").replace("%2E", ".").replace("%2F", "/").replace("%00", "\0");
        assert_eq!(value, Some(decoded));
    }
    assert!(answer(&connection, &format!("safe:{}", "%2e/".repeat(1_000))).contains("found"));
    assert!(answer(&connection, &format!("raw:{}", "%2e%2e/".repeat(2_000))).contains("uri_bytes"));
}

fn said(connection: &wellhead::Connection, params: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}}}"#;
    let read =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{{meta},{params}}}}}"#);
    match connection.handle(read.as_bytes()).unwrap() {
        Handled::Answer(answer) => String::from_utf8(answer).unwrap(),
        other => panic!("no answer but {other:?}"),
    }
}

/// row: TI-05, TI-06
#[test]
fn instances_with_one_key_continue_each_others_reads() {
    let instance = |key: u8, began: u64| {
        let server = Server::builder("s", "1").cursor_key([key; 32]).on_log(|_, _| {}).build().unwrap();
        server
            .resource("notes://a", |call: wellhead::Call| {
                call.require_input("where", "roots/list", None).map(|roots| roots.as_str().to_owned())
            })
            .unwrap();
        let connection = server.connect(Caller::default());
        connection.tick(began);
        (server, connection)
    };
    let (young, old, stranger) = (instance(7, 5), instance(7, 86_400_000), instance(8, 5));
    for (asks, goes_on) in [(&young.1, &old.1), (&old.1, &young.1)] {
        let asked = said(asks, r#""uri":"notes://a""#);
        let state = asked.split(r#""requestState":""#).nth(1).unwrap().split('"').next().unwrap();
        let again = format!(
            r#""uri":"notes://a","inputResponses":{{"where":{{"roots":[]}}}},"requestState":"{state}""#
        );
        let answered = said(goes_on, &again);
        assert!(answered.contains(r#""contents":["#), "{answered}");
        let refused = said(&stranger.1, &again);
        assert!(refused.contains("requestState is not valid here"), "{refused}");
    }
}

/// Calls the tool `ask` until it asks nothing more. Each answer of the client has this text. Returns how often the tool
/// asked, and the last answer.
fn asked_to_the_end(server: &Server, text: &str) -> (usize, String) {
    let connection = server.connect(Caller::default());
    let (mut asked, mut given) = (0, String::new());
    loop {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"ask"{given},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"sampling":{{}}}}}}}}}}"#
        );
        let answer = match connection.handle(call.as_bytes()).unwrap() {
            Handled::Answer(answer) => String::from_utf8(answer).unwrap(),
            other => panic!("no answer but {other:?}"),
        };
        let Some((_, state)) = answer.split_once(r#""requestState":""#) else { return (asked, answer) };
        let state = state.split('"').next().unwrap();
        let response = format!(r#"{{"role":"assistant","content":{{"type":"text","text":"{text}"}}}}"#);
        given = format!(r#","inputResponses":{{"r{asked}":{response}}},"requestState":"{state}""#);
        asked += 1;
    }
}

/// A server whose tool `ask` asks its client so often, one request after the other. Its log goes to the receiver.
fn server_that_asks(times: usize) -> (Server, mpsc::Receiver<String>) {
    let (sender, log) = mpsc::channel();
    let server = Server::builder("s", "1")
        .on_log(move |_, line| sender.send(line.to_owned()).unwrap())
        .build()
        .unwrap();
    let send_request = move |call: MethodCall| -> Result<ToolResult, ClientRequestError> {
        for at in 0..times {
            call.require_input(
                &format!("r{at}"),
                "sampling/createMessage",
                Some(&Json::parse("{}").unwrap()),
            )?;
        }
        Ok("done".into())
    };
    server.tool("ask", &Json::parse(r#"{"inputSchema":{"type":"object"}}"#).unwrap(), send_request).unwrap();
    (server, log)
}

const FAILED: &str = r#""content":[{"type":"text","text":"The tool failed"}],"isError":true"#;

/// row: TI-08
#[test]
fn a_tool_sends_its_client_requests_in_at_most_16_rounds() {
    let (server, log) = server_that_asks(16);
    let (asked, answer) = asked_to_the_end(&server, "x");
    assert_eq!((asked, answer.contains("done")), (16, true), "{answer}");
    assert_eq!(log.try_recv().ok(), None);
    let (server, log) = server_that_asks(17);
    let (asked, answer) = asked_to_the_end(&server, "x");
    assert_eq!((asked, answer.contains(FAILED)), (16, true), "{answer}");
    assert!(log.try_recv().unwrap().contains("more than 16 rounds"));
}

/// row: TI-06
#[test]
fn the_answers_of_a_client_have_at_most_64_kib() {
    let (server, log) = server_that_asks(3);
    let (asked, answer) = asked_to_the_end(&server, &"x".repeat(20 << 10));
    assert_eq!((asked, answer.contains("done")), (3, true), "{answer}");
    assert_eq!(log.try_recv().ok(), None);
    let (asked, answer) = asked_to_the_end(&server, &"x".repeat(30 << 10));
    assert_eq!((asked, answer.contains(FAILED)), (2, true), "{answer}");
    assert!(log.try_recv().unwrap().contains("more than 64 KiB"));
}

/// row: TI-05, TI-06
#[test]
fn a_callback_gives_each_request_a_name_of_its_own() {
    let (sender, log) = mpsc::channel();
    let server = Server::builder("s", "1")
        .on_log(move |_, line| sender.send(line.to_owned()).unwrap())
        .build()
        .unwrap();
    let params = |text: &str| Json::parse(format!(r#"{{"systemPrompt":"{text}"}}"#)).unwrap();
    let send_request = move |call: MethodCall| -> Result<ToolResult, ClientRequestError> {
        for page in ["A", "A", "B"] {
            call.require_input("r0", "sampling/createMessage", Some(&params(page)))?;
        }
        Ok("deleted without a question about B".into())
    };
    server.tool("ask", &Json::parse(r#"{"inputSchema":{"type":"object"}}"#).unwrap(), send_request).unwrap();
    let (asked, answer) = asked_to_the_end(&server, "yes");
    assert_eq!((asked, answer.contains(FAILED)), (1, true), "{answer}");
    assert!(log.try_recv().unwrap().contains("\"r0\" names another request"));

    for revision in ["2025-11-25", "2026-07-28"] {
        let capabilities = Json::parse(r#"{"sampling":{}}"#).unwrap();
        let yes = Json::parse(r#"{"role":"assistant","content":{"type":"text","text":"yes"}}"#).unwrap();
        let options = TestOptions::new()
            .revision(revision)
            .capabilities(capabilities)
            .on_request(move |_, _| yes.clone());
        let mut client = server.test_client_with(options).unwrap();
        assert!(client.call_tool("ask", "{}").unwrap().contains("The tool failed"), "{revision}");
        assert!(log.try_recv().unwrap().contains("\"r0\" names another request"));
    }
}
