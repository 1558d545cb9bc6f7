//! Pictures of commit authors and users that are fetched from other sites.

use tokio::sync::Semaphore;

use crate::files::PictureProcessor;
use crate::upstream::avatars::AvatarClient;

/// How many pictures are fetched at the same time.
const MAX_FETCHES: usize = 2;

/// The clients of the sites that serve pictures.
pub struct Avatars {
    /// Fetches pictures of commit authors.
    pub authors: AvatarClient,
    /// Fetches the avatars of users from Discord.
    pub users: AvatarClient,
    /// A permit is held during a fetch.
    pub slots: Semaphore,
    /// Encodes the fetched pictures.
    pub pictures: PictureProcessor,
}

impl Avatars {
    pub fn new(authors: AvatarClient, users: AvatarClient, pictures: PictureProcessor) -> Self {
        Self { authors, users, slots: Semaphore::new(MAX_FETCHES), pictures }
    }
}
