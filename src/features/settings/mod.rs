//! Settings by owners: pictures, visibility and stickers of players; logo, banner and invite link of guilds.

mod guild;
mod pictures;
mod player;
mod stickers;

pub use guild::save as save_guild;
pub use pictures::{clear_guild, clear_player};
pub use player::{own_settings, remove, save, save_stickers, unhide, visible_settings};
pub use stickers::facts as sticker_facts;
