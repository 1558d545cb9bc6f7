//! Pictures of commit authors and users that are fetched from other sites.

use tokio::sync::Semaphore;

use crate::files::PictureProcessor;
use crate::upstream::avatars::AvatarClient;

/// How many pictures are fetched at the same time.
const MAX_FETCHES: usize = 2;

/// The clients of the sites that serve pictures.
pub struct Avatars {
    authors: AvatarClient,
    users: AvatarClient,
    slots: Semaphore,
    pictures: PictureProcessor,
}

impl Avatars {
    pub fn new(authors: AvatarClient, users: AvatarClient, pictures: PictureProcessor) -> Self {
        Self { authors, users, slots: Semaphore::new(MAX_FETCHES), pictures }
    }

    /// Fetches pictures of commit authors.
    pub fn authors(&self) -> &AvatarClient {
        &self.authors
    }

    /// Fetches the avatars of users from Discord.
    pub fn users(&self) -> &AvatarClient {
        &self.users
    }

    /// A permit is held during a fetch.
    pub fn slots(&self) -> &Semaphore {
        &self.slots
    }

    /// Encodes the fetched pictures.
    pub fn pictures(&self) -> &PictureProcessor {
        &self.pictures
    }
}
