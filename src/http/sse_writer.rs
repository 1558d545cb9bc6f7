//! Writes the frames of a live stream to a socket that was detached from the HTTP server, with little memory per stream.

use std::future::Future;
use std::io::{self, IoSlice, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};
use tokio_stream::Stream;

use crate::live::Subscription;

/// Time that a client may take to read what was sent after the send buffer is full.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the socket's send buffer: a few hundred rows of the feed. Linux doubles the value for its bookkeeping.
const SEND_BUFFER_BYTES: usize = 128 << 10;
/// Time without acknowledgement of a heartbeat (sent every 15 s) after which a vanished client is disconnected.
#[cfg(target_os = "linux")]
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(40);
/// Bytes from the client that are discarded before the connection is closed. A client of a stream has nothing to send.
const MAX_DISCARDED_BYTES: usize = 16 << 10;
/// The end of a chunked body.
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// How a client detects the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// HTTP/1.1: each chunk has its length, and an empty chunk is the last.
    Chunked,
    /// HTTP/1.0: the connection ends.
    CloseDelimited,
}

/// Sends the frames of a subscription until it ends, the client disconnects, or the client does not keep up. Holds `H` until then.
pub struct SseWriter<H> {
    tcp: TcpStream,
    /// `None` after the last frame.
    frames: Option<Subscription>,
    framing: Framing,
    /// Bytes that the socket has not accepted yet.
    unsent: Bytes,
    /// Runs while the socket accepts nothing; allocated only then.
    write_timeout: Option<Pin<Box<Sleep>>>,
    discarded_bytes: usize,
    _guard: H,
}

impl<H> SseWriter<H> {
    pub fn new(tcp: TcpStream, frames: Subscription, framing: Framing, guard: H) -> Self {
        if let Err(why) = tune(&tcp) {
            tracing::debug!(%why, "socket options could not be set");
        }
        Self {
            tcp,
            frames: Some(frames),
            framing,
            unsent: Bytes::new(),
            write_timeout: None,
            discarded_bytes: 0,
            _guard: guard,
        }
    }

    /// Returns whether the client has closed its side or sends too much.
    fn is_closed_by_peer(&mut self, cx: &mut Context<'_>) -> bool {
        let mut words = [0; 512];
        while let Poll::Ready(ready) = self.tcp.poll_read_ready(cx) {
            match ready.and_then(|()| self.tcp.try_read(&mut words)) {
                Ok(0) => return true,
                Ok(length) => self.discarded_bytes += length,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return true,
            }
            if self.discarded_bytes > MAX_DISCARDED_BYTES {
                return true;
            }
        }
        false
    }

    /// Writes the unsent bytes.
    fn poll_unsent(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            match self.tcp.try_write(&self.unsent) {
                Ok(0) => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Ok(length) => self.unsent.advance(length),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready!(self.tcp.poll_write_ready(cx))?,
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        self.write_timeout = None;
        Poll::Ready(Ok(()))
    }

    /// Writes a frame that all subscribers share, and copies only what the socket does not accept.
    fn send(&mut self, frame: Bytes) -> io::Result<()> {
        if self.framing == Framing::CloseDelimited || frame.is_empty() {
            self.unsent = frame;
            return Ok(());
        }
        let mut space = [0; 18];
        let mut unused = &mut space[..];
        write!(unused, "{:x}\r\n", frame.len())?;
        let unused = unused.len();
        let parts = [&space[..space.len() - unused], &frame[..], b"\r\n"];
        let mut sent = match self.tcp.try_write_vectored(&parts.map(IoSlice::new)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            sent => sent?,
        };
        let mut unsent = BytesMut::new();
        for part in parts {
            let of_part = sent.min(part.len());
            unsent.extend_from_slice(&part[of_part..]);
            sent -= of_part;
        }
        self.unsent = unsent.freeze();
        Ok(())
    }

    fn end(&mut self) {
        self.frames = None;
        if self.framing == Framing::Chunked {
            self.unsent = Bytes::from_static(LAST_CHUNK);
        }
    }

    /// Completes when the socket has accepted nothing for [`WRITE_TIMEOUT`].
    fn poll_write_timeout(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.write_timeout.get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT))).as_mut().poll(cx)
    }
}

impl<H: Unpin> Future for SseWriter<H> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let writer = &mut *self;
        if writer.is_closed_by_peer(cx) {
            return Poll::Ready(());
        }
        loop {
            match writer.poll_unsent(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => return writer.poll_write_timeout(cx),
            }
            let Some(frames) = &mut writer.frames else {
                return Pin::new(&mut writer.tcp).poll_shutdown(cx).map(drop);
            };
            match ready!(Pin::new(frames).poll_next(cx)) {
                Some(frame) => {
                    if writer.send(frame).is_err() {
                        return Poll::Ready(());
                    }
                }
                None => writer.end(),
            }
        }
    }
}

/// Sends small messages without delay, limits the send buffer, and detects vanished clients.
fn tune(tcp: &TcpStream) -> io::Result<()> {
    let socket = socket2::SockRef::from(tcp);
    socket.set_tcp_nodelay(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(TCP_USER_TIMEOUT))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::net::IpAddr;
    use std::rc::Rc;

    use futures_util::FutureExt as _;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;
    use tokio::time::Instant;

    use super::*;
    use crate::domain::quota::Permit;
    use crate::live::{Hub, OutgoingMessage, Resume, Topic, message_id};

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap());
        let (client, server) = tokio::join!(client, listener.accept());
        (client.unwrap(), server.unwrap().0)
    }

    fn publish(hub: &Hub, id: i64, length: usize) {
        let (name, topics) = ("activity", vec![Topic::new("activity")]);
        hub.publish(id, vec![(id, OutgoingMessage { name, topics, json: "x".repeat(length) })]);
    }

    fn subscribe(hub: &Hub) -> Subscription {
        hub.subscribe(vec![Topic::new("activity")], Resume::Now)
    }

    /// Joins the chunks of a body.
    fn joined(mut body: &[u8]) -> Vec<u8> {
        let mut whole = Vec::new();
        loop {
            let line = memchr::memmem::find(body, b"\r\n").expect("a length");
            let length = usize::from_str_radix(std::str::from_utf8(&body[..line]).unwrap(), 16).unwrap();
            let (chunk, unsent) = body[line + 2..].split_at(length);
            whole.extend_from_slice(chunk);
            body = unsent.strip_prefix(b"\r\n").expect("an end of the chunk");
            if length == 0 {
                assert!(body.is_empty());
                return whole;
            }
        }
    }

    #[tokio::test]
    async fn a_slow_client_receives_every_byte_once() {
        for framing in [Framing::Chunked, Framing::CloseDelimited] {
            let hub = Hub::starting_after(0);
            let (mut client, server) = pair().await;
            let writer = SseWriter::new(server, subscribe(&hub), framing, ());
            let received = RefCell::new(Vec::new());
            let publish_all = async {
                let mut expected = b"retry: 3000\n\nid: 0\n\n".to_vec();
                // More than both socket buffers hold, in frames of different sizes.
                for id in 1..=400 {
                    let length = (id * id * 37 % 20_011) as usize;
                    publish(&hub, id, length);
                    let text = format!("id: {}\nevent: activity\ndata: {}\n\n", message_id(id, 0), "x".repeat(length));
                    expected.extend_from_slice(text.as_bytes());
                    tokio::task::yield_now().await;
                }
                // The hub closes after the last message has been sent.
                let last = format!("id: {}\n", message_id(400, 0));
                while memchr::memmem::find(&received.borrow(), last.as_bytes()).is_none() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                hub.close();
                expected
            };
            let read = async {
                let mut part = vec![0; 70_001];
                loop {
                    match client.read(&mut part).await.unwrap() {
                        0 => return,
                        length => received.borrow_mut().extend_from_slice(&part[..length]),
                    }
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            };
            let ((), expected, ()) = tokio::join!(writer, publish_all, read);
            let received = received.into_inner();
            let received = if framing == Framing::Chunked { joined(&received) } else { received };
            assert!(received.starts_with(&expected), "{framing:?}: {} bytes of {}", received.len(), expected.len());
            let unsent = String::from_utf8_lossy(&received[expected.len()..]).into_owned();
            assert!(unsent.starts_with("retry: ") && unsent.ends_with("\n\n") && unsent.len() < 20, "{unsent:.200}");
        }
    }

    #[tokio::test]
    async fn permits_are_released_when_the_client_disconnects_or_stops_reading() {
        let hub = Hub::starting_after(0);
        for is_closed_by_peer in [true, false] {
            let (client, server) = pair().await;
            let guard = Rc::new(());
            let began = Instant::now();
            let mut writer = SseWriter::new(server, subscribe(&hub), Framing::Chunked, Rc::clone(&guard));
            if is_closed_by_peer {
                drop(client);
                writer.await;
            } else {
                for id in 1..=2_000 {
                    publish(&hub, id, 8_000);
                }
                let timeout = loop {
                    assert_eq!((&mut writer).now_or_never(), None, "the client accepts frames");
                    match &mut writer.write_timeout {
                        Some(timeout) => break timeout,
                        None => tokio::task::yield_now().await,
                    }
                };
                assert!(timeout.deadline() >= began + WRITE_TIMEOUT);
                timeout.as_mut().reset(began);
                writer.await;
                drop(client);
            }
            assert_eq!((Rc::strong_count(&guard), hub.subscriber_count()), (1, 0));
        }
    }

    #[test]
    fn a_writer_is_small() {
        let size = size_of::<SseWriter<(Option<Permit<i64>>, Option<Permit<IpAddr>>)>>();
        assert!(size <= 320, "{size} bytes, ten thousand times");
    }
}
