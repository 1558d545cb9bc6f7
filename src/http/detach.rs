//! Connections that a response can take over from the HTTP server after its head has been sent.
//!
//! The server holds two buffers of 8 KB for each connection. An endless response needs neither: it takes the socket, and the
//! server's part of the connection is dropped.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use futures_util::future::LocalBoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Takes over a socket until it is closed.
type Continuation = Box<dyn FnOnce(TcpStream) -> LocalBoxFuture<'static, ()>>;

/// Detaches a connection from the HTTP server. Requests find it in the data of their connection.
#[derive(Clone, Default)]
pub struct DetachHandle {
    state: Rc<DetachState>,
}

#[derive(Default)]
struct DetachState {
    /// Set by a response that detaches at the next flush.
    requested: Cell<Option<Continuation>>,
    /// The future that has taken over the socket.
    detached: Cell<Option<LocalBoxFuture<'static, ()>>>,
}

impl DetachHandle {
    /// Passes the socket to `continuation` after the response so far has been written. The server polls the body no more and ignores
    /// pipelined requests, so the response has to send `connection: close`.
    pub fn detach<F: Future<Output = ()> + 'static>(&self, continuation: impl FnOnce(TcpStream) -> F + 'static) {
        self.state.requested.set(Some(Box::new(|tcp| Box::pin(continuation(tcp)))));
    }
}

/// The socket of the HTTP server. After it is detached, reads return the end of the stream and writes are discarded.
pub struct DetachableStream {
    tcp: Option<TcpStream>,
    handle: DetachHandle,
}

impl DetachableStream {
    pub fn handle(&self) -> DetachHandle {
        self.handle.clone()
    }
}

impl AsyncRead for DetachableStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.tcp.as_mut().map_or(Poll::Ready(Ok(())), |tcp| Pin::new(tcp).poll_read(cx, into))
    }
}

impl AsyncWrite for DetachableStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.tcp.as_mut().map_or(Poll::Ready(Ok(bytes.len())), |tcp| Pin::new(tcp).poll_write(cx, bytes))
    }

    /// Detaches if requested: the server flushes after the socket has accepted all of its output.
    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(continuation) = self.handle.state.requested.take()
            && let Some(tcp) = self.tcp.take()
        {
            self.handle.state.detached.set(Some(continuation(tcp)));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp.as_mut().map_or(Poll::Ready(Ok(())), |tcp| Pin::new(tcp).poll_shutdown(cx))
    }
}

/// A connection, served by the HTTP server or detached. Both count as one connection, so a graceful shutdown waits for detached
/// streams as well.
pub enum Connection<F> {
    Served { http: Pin<Box<F>>, handle: DetachHandle },
    Detached(LocalBoxFuture<'static, ()>),
}

impl<F> Connection<F> {
    /// Serves a socket by HTTP; `serve` also receives the peer's address.
    pub fn new(tcp: TcpStream, serve: impl FnOnce(DetachableStream, Option<SocketAddr>) -> F) -> Self {
        let (peer, handle) = (tcp.peer_addr().ok(), DetachHandle::default());
        let stream = DetachableStream { tcp: Some(tcp), handle: handle.clone() };
        Self::Served { http: Box::pin(serve(stream, peer)), handle }
    }
}

impl<F, E> Future for Connection<F>
where
    F: Future<Output = Result<(), E>>,
{
    type Output = Result<(), E>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Self::Served { http, handle } = &mut *self {
            let served = http.as_mut().poll(cx);
            let Some(detached) = handle.state.detached.take() else { return served };
            // Drops the server's buffers.
            *self = Self::Detached(detached);
        }
        if let Self::Detached(detached) = &mut *self {
            ready!(detached.as_mut().poll(cx));
        }
        Poll::Ready(Ok(()))
    }
}
