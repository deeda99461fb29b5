//! Two sockets that are connected with each other: what one end writes, the other reads.

use std::io;

/// One end of a pair of connected sockets.
#[cfg(unix)]
pub(crate) type End = std::os::unix::net::UnixStream;
/// One end of a pair of connected sockets, which are TCP sockets: event loops of Windows wait for sockets only, and
/// Windows has no other pairs.
#[cfg(not(unix))]
pub(crate) type End = std::net::TcpStream;

/// Makes the two ends of a pair. Writing to the first end never blocks.
pub(crate) fn pair() -> io::Result<(End, End)> {
    let (first, second) = connect()?;
    first.set_nonblocking(true)?;
    Ok((first, second))
}

#[cfg(unix)]
fn connect() -> io::Result<(End, End)> {
    End::pair()
}

/// Connects over the loopback address. Other programs can connect there too, so the address of the peer decides which
/// connection is ours.
#[cfg(not(unix))]
fn connect() -> io::Result<(End, End)> {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0))?;
    let first = End::connect(listener.local_addr()?)?;
    first.set_nodelay(true)?;
    loop {
        let (second, peer) = listener.accept()?;
        if peer == first.local_addr()? {
            return Ok((first, second));
        }
    }
}

/// Returns the number by which Python knows a socket.
#[cfg(unix)]
pub(crate) fn number(end: &End) -> i64 {
    std::os::fd::AsRawFd::as_raw_fd(end).into()
}

/// Returns the number by which Python knows a socket.
#[cfg(windows)]
pub(crate) fn number(end: &End) -> i64 {
    std::os::windows::io::AsRawSocket::as_raw_socket(end).cast_signed()
}
