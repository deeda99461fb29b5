//! The native listener, over a socket of this machine: HTTP/1.1, and a connection for each exchange.

use super::options::builder;
use super::script::{Adapter, Got, Head, PATIENCE, Request};
use crate::host::Host;
use crate::script::Pace;
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::JoinHandle;
use wellhead::Server;
use wellhead::serve::Http;

pub(crate) struct OnSocket {
    server: Server,
    address: SocketAddr,
    thread: Option<JoinHandle<wellhead::Result<()>>>,
}

pub(crate) struct Connection {
    stream: TcpStream,
    /// Bytes that have come and are not parsed yet.
    unread: Vec<u8>,
    body: Body,
}

/// How the body of a response ends (RFC 9112 section 6).
enum Body {
    /// The head has not come.
    Unknown,
    /// This many bytes are still to come.
    Length(usize),
    /// Chunks. `Some`: this many bytes of the current chunk are left, with its line end. `None`: the size of the
    /// next chunk comes next.
    Chunks(Option<usize>),
}

impl Adapter for OnSocket {
    type Exchange = Connection;

    const WAITS: bool = true;

    fn new(host: &Host, options: &Value, _pace: Pace) -> Self {
        let listener = Http::new(builder(host, options)).bind("127.0.0.1:0");
        let listener = listener.expect("a free port");
        let address = listener.address();
        OnSocket {
            server: host.server().clone(),
            address,
            thread: Some(std::thread::spawn(|| listener.serve())),
        }
    }

    fn send(&mut self, request: &Request) -> Connection {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        let mut bytes = format!("{} {} HTTP/1.1\r\n", request.method, request.target).into_bytes();
        for (name, value) in &request.headers {
            bytes.extend_from_slice(format!("{name}: ").as_bytes());
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        }
        let body = request.body.as_deref().unwrap_or_default();
        if request.unfinished {
            let head = format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n", body.len());
            bytes.extend_from_slice(head.as_bytes());
            bytes.extend_from_slice(body);
        } else {
            bytes.extend_from_slice(b"\r\n");
            bytes.extend_from_slice(body);
        }
        // A request may be refused before all of it was read.
        drop(stream.write_all(&bytes));
        Connection { stream, unread: Vec::new(), body: Body::Unknown }
    }

    fn receive(&mut self, of: &mut Connection, got: &mut Got, wait: bool) -> Result<bool, String> {
        if got.done {
            return Ok(false);
        }
        of.stream.set_nonblocking(!wait).map_err(|e| e.to_string())?;
        let mut bytes = [0; 16 << 10];
        match of.stream.read(&mut bytes) {
            Ok(0) => Err("the connection ended inside the response".to_owned()),
            Ok(length) => {
                of.unread.extend_from_slice(&bytes[..length]);
                of.parse(got)?;
                Ok(true)
            }
            Err(e) if !wait && e.kind() == ErrorKind::WouldBlock => Ok(false),
            Err(e) => Err(format!("the response does not come: {e}")),
        }
    }

    fn poll(&mut self) -> bool {
        false // the listener runs callbacks on threads of its own
    }

    fn advance(&mut self, _ms: u64) {
        unreachable!("scripts that set the clock are not run here")
    }
}

impl Drop for OnSocket {
    fn drop(&mut self) {
        self.server.close();
        let served = self.thread.take().expect("it was started").join();
        if !std::thread::panicking() {
            served.expect("no panic").expect("no error");
        }
    }
}

impl Connection {
    fn parse(&mut self, got: &mut Got) -> Result<(), String> {
        loop {
            match &mut self.body {
                Body::Unknown => {
                    let Some(head) = self.take_to(b"\r\n\r\n") else { return Ok(()) };
                    let head = parse_head(&head)?;
                    let header = |name| head.headers.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
                    self.body = match (header("transfer-encoding"), header("content-length")) {
                        (Some("chunked"), None) => Body::Chunks(None),
                        (None, Some(length)) => Body::Length(length.parse().map_err(|_| "no length")?),
                        (None, None) if head.status == 204 => Body::Length(0),
                        framing => return Err(format!("the body is framed by {framing:?}")),
                    };
                    got.head = Some(head);
                }
                Body::Length(left) => {
                    let come = self.unread.len();
                    *left = left.checked_sub(come).ok_or("more than content-length came")?;
                    got.body.append(&mut self.unread);
                    got.done = *left == 0;
                    return Ok(());
                }
                Body::Chunks(None) => {
                    let Some(size) = self.take_to(b"\r\n") else { return Ok(()) };
                    let size = String::from_utf8_lossy(&size).into_owned();
                    let size = usize::from_str_radix(size.trim_end(), 16).map_err(|e| e.to_string())?;
                    self.body = Body::Chunks(Some(size + 2));
                }
                Body::Chunks(Some(left)) => {
                    let left = *left;
                    if self.unread.len() < left {
                        return Ok(());
                    }
                    got.body.extend(self.unread.drain(..left).take(left - 2));
                    if left == 2 {
                        got.done = true;
                        return Ok(());
                    }
                    self.body = Body::Chunks(None);
                }
            }
        }
    }

    fn take_to(&mut self, end: &[u8]) -> Option<Vec<u8>> {
        let at = self.unread.windows(end.len()).position(|bytes| bytes == end)?;
        Some(self.unread.drain(..at + end.len()).collect())
    }
}

fn parse_head(bytes: &[u8]) -> Result<Head, String> {
    let text = String::from_utf8(bytes.to_vec()).map_err(|e| e.to_string())?;
    let mut lines = text.trim_end().split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    Ok(Head { status: status.ok_or("no status line")?, headers })
}
