//! Deadlines of request bodies.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use bytes::Bytes;
use futures_util::Stream;
use tokio::time::Sleep;

/// Limits the time until the whole body has arrived. A late body ends with an I/O error of kind `TimedOut`.
pub fn with_timeout(body: Payload, time: Duration) -> Payload {
    match body {
        Payload::None => Payload::None,
        body => Payload::Stream { payload: Box::pin(Timed { body, end: Box::pin(tokio::time::sleep(time)) }) },
    }
}

struct Timed {
    body: Payload,
    end: Pin<Box<Sleep>>,
}

impl Stream for Timed {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match Pin::new(&mut self.body).poll_next(context) {
            Poll::Pending if self.end.as_mut().poll(context).is_ready() => {
                Poll::Ready(Some(Err(PayloadError::Io(std::io::ErrorKind::TimedOut.into()))))
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;

    #[tokio::test]
    async fn t30_an_endless_body_is_cut_off_at_its_deadline() {
        let bytes = futures_util::stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(5)).await;
            Some((Ok::<_, PayloadError>(Bytes::from_static(b"x")), ()))
        });
        let bytes: Pin<Box<dyn Stream<Item = Result<Bytes, PayloadError>>>> = Box::pin(bytes);
        let mut body = with_timeout(Payload::Stream { payload: bytes }, Duration::from_millis(100));
        let error = loop {
            match body.next().await {
                Some(Ok(_)) => {}
                Some(Err(error)) => break error,
                None => panic!("the body ended before its deadline"),
            }
        };
        assert!(matches!(error, PayloadError::Io(why) if why.kind() == std::io::ErrorKind::TimedOut));
    }
}
