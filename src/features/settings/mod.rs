//! What owners set: pictures, "hidden" and stickers of players; logo, banner and invite link of guilds.

mod guild;
mod pictures;
mod player;
mod stickers;

pub use guild::save as save_guild;
pub use pictures::{clear_guild, clear_player};
pub use player::{Told, own, remove, save, save_stickers, show, shown};
pub use stickers::facts as sticker_facts;
