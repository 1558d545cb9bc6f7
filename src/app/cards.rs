//! Share pictures: the renderer and the cache of drawn ones.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::Semaphore;

use crate::cards::{Card, CardRenderer, Kind};

/// The size of the cache, which holds about a thousand pictures.
const CACHE_BYTES: u64 = 48 * 1024 * 1024;
/// How many pictures are drawn at the same time. Each takes about 30 ms of a processor.
const MAX_DRAWING: usize = 2;

/// A drawn share picture.
#[derive(Debug)]
pub struct DrawnCard {
    pub png: Bytes,
    /// An entity tag without its quotes.
    pub tag: String,
    pub face: CardFace,
    pub card: Card,
    pub counted_at: Instant,
}

/// The name and picture that a card shows, which are compared without reading figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFace {
    pub name: String,
    pub plain: String,
    pub guild_id: Option<i64>,
    pub picture: Option<String>,
}

/// Draws and caches share pictures.
pub struct Cards {
    pub renderer: Arc<CardRenderer>,
    /// By the id of the player or guild.
    pub drawn: moka::sync::Cache<(Kind, i64), Arc<DrawnCard>>,
    /// A permit is held while a picture is drawn.
    pub slots: Semaphore,
}

impl Cards {
    /// `fonts` is the folder with the site's own fonts.
    pub fn new(fonts: PathBuf) -> Self {
        Self {
            renderer: Arc::new(CardRenderer::new(fonts)),
            drawn: moka::sync::Cache::builder()
                .weigher(|_, card: &Arc<DrawnCard>| u32::try_from(card.png.len()).unwrap_or(u32::MAX))
                .max_capacity(CACHE_BYTES)
                .build(),
            slots: Semaphore::new(MAX_DRAWING),
        }
    }
}
