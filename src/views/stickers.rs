//! The catalogue of stickers, and who was granted which.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::stickers::{Category, Rarity, Rule, Sticker};
use crate::store::settings::HolderRow;

/// A sticker in the public catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CatalogueSticker {
    pub id: String,
    pub name: String,
    pub description: String,
    pub rarity: Rarity,
    pub category: Category,
    /// How it is earned, in the words of the site.
    pub requirement: String,
    /// How it is earned, with the exact numbers of the rule.
    pub earned_by: String,
    /// Only admins grant it.
    pub is_granted: bool,
    pub image: String,
}

impl From<&Sticker> for CatalogueSticker {
    fn from(sticker: &Sticker) -> Self {
        Self {
            id: sticker.id.clone(),
            name: sticker.name.clone(),
            description: sticker.description.clone(),
            rarity: sticker.rarity,
            category: sticker.category,
            requirement: sticker.requirement.clone(),
            earned_by: sticker.rule.sentence(),
            is_granted: sticker.rule == Rule::Granted,
            image: format!("/static/stickers/{}.png", sticker.id),
        }
    }
}

/// A sticker with the players that it was granted to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GrantedSticker {
    pub id: String,
    pub name: String,
    pub earned_by: String,
    pub is_granted: bool,
    /// Number of players that it was granted to.
    pub holder_count: i64,
    /// Newest first, at most 500.
    pub holders: Vec<HolderRow>,
}
