//! A connection that an answer may take out of the HTTP server once its head is out.
//!
//! The server keeps two buffers of 8 KB for each connection to its end. An answer that never ends needs neither: it leaves
//! with the socket, and the server's part of the connection is dropped.

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

/// Goes on with a socket, to its end.
type Continuation = Box<dyn FnOnce(TcpStream) -> LocalBoxFuture<'static, ()>>;

/// The way out of the HTTP server; requests find it among the data of their connection.
#[derive(Clone, Default)]
pub struct DetachHandle {
    state: Rc<DetachState>,
}

#[derive(Default)]
struct DetachState {
    /// Who wants to leave as soon as all that was written is with the system.
    requested: Cell<Option<Continuation>>,
    /// Who has left, with the socket.
    detached: Cell<Option<LocalBoxFuture<'static, ()>>>,
}

impl DetachHandle {
    /// Leaves with the socket when everything of the answer so far is written. The rest of it is never asked for again, and
    /// neither are requests that came behind: whoever leaves has said `connection: close`.
    pub fn detach<F: Future<Output = ()> + 'static>(&self, continuation: impl FnOnce(TcpStream) -> F + 'static) {
        self.state.requested.set(Some(Box::new(|tcp| Box::pin(continuation(tcp)))));
    }
}

/// The socket as the HTTP server sees it. When it has been taken away, the server hears an end and speaks to nobody.
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

    /// The server flushes when the system has taken all that it had to write: the moment to leave.
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

/// A connection from its first byte to its last: in the hands of the HTTP server, then perhaps of an answer that left.
/// It counts as one connection for both, so that a server that stops waits for those who left, too.
pub enum Connection<F> {
    Served { http: Pin<Box<F>>, handle: DetachHandle },
    Detached(LocalBoxFuture<'static, ()>),
}

impl<F> Connection<F> {
    /// Hands a socket and who is at its other end to the HTTP server.
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
            // Here the server's buffers go.
            *self = Self::Detached(detached);
        }
        if let Self::Detached(detached) = &mut *self {
            ready!(detached.as_mut().poll(cx));
        }
        Poll::Ready(Ok(()))
    }
}
