//! Subscribing and unsubscribing channels.

use super::feed::{FeedFilter, FeedKind};
use crate::error::AppError;
use crate::store::statsfeed::{self, ChannelRow};
use crate::store::{Store, ingest};

/// Subscribes a channel, or changes its subscription. The feed starts with the next event.
pub async fn set(
    store: &Store,
    server: &str,
    channel: &str,
    kind: FeedKind,
    filter: FeedFilter,
) -> Result<(), AppError> {
    let filter = serde_json::to_string(&filter).map_err(AppError::internal)?;
    let (server, channel, now) = (server.to_owned(), channel.to_owned(), store.now().0);
    store
        .write(move |tx| {
            let last = ingest::last_id(tx)?;
            statsfeed::upsert_channel(tx, &server, &channel, kind.as_str(), &filter, last, now).map_err(AppError::from)
        })
        .await
}

/// Unsubscribes a channel. Returns whether it was subscribed.
pub async fn remove(store: &Store, server: &str, channel: &str) -> Result<bool, AppError> {
    let (server, channel) = (server.to_owned(), channel.to_owned());
    let count = store.write(move |tx| statsfeed::remove(tx, &server, &channel).map_err(AppError::from)).await?;
    Ok(count > 0)
}

/// Lists the subscribed channels of a server.
pub async fn list(store: &Store, server: &str) -> Result<Vec<ChannelRow>, AppError> {
    let server = server.to_owned();
    Ok(store.read(move |conn| statsfeed::list_by_server(conn, &server)).await?)
}
