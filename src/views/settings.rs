//! Settings that owners choose, and their options.

use gamelog::text_or_number::TextOrNumber;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::domain::json;
use crate::domain::stickers::{Category, PlayerFacts, Rarity, Sticker};
use crate::store::players::{PlayerRow, Sharing};

/// Settings that the owner of a player chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlayerSettings {
    pub profile_image: Option<String>,
    pub banner_image: Option<String>,
    pub is_profile_hidden: bool,
    pub sharing: Sharing,
    /// Null if nothing was ever chosen.
    pub profile_settings: Option<ProfileSettings>,
}

#[derive(Serialize, ToSchema)]
pub struct ShownSettings {
    pub settings: PlayerSettings,
    /// All stickers; `unlocked` marks those that the player can wear.
    #[serde(rename = "unlockedStickers")]
    pub unlocked_stickers: Vec<StickerView>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProfileSettings {
    /// Sticker ids, at most four.
    pub stickers: Vec<String>,
}

impl From<PlayerRow> for PlayerSettings {
    fn from(player: PlayerRow) -> Self {
        let stickers = player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok());
        Self {
            profile_image: player.profile_image,
            banner_image: player.banner_image,
            is_profile_hidden: player.is_hidden,
            sharing: player.sharing,
            profile_settings: stickers.map(|stickers| ProfileSettings { stickers }),
        }
    }
}

/// A sticker in the catalogue of a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct StickerView {
    pub id: String,
    pub name: String,
    pub description: String,
    pub rarity: Rarity,
    pub requirement: String,
    pub category: Category,
    pub image: String,
    /// Whether the player can wear it.
    pub unlocked: bool,
}

impl StickerView {
    pub fn new(sticker: &Sticker, facts: &PlayerFacts) -> Self {
        Self {
            image: format!("/static/stickers/{}.png", sticker.id),
            unlocked: sticker.is_unlocked(facts),
            id: sticker.id.clone(),
            name: sticker.name.clone(),
            description: sticker.description.clone(),
            rarity: sticker.rarity,
            requirement: sticker.requirement.clone(),
            category: sticker.category,
        }
    }
}

/// Changes of a player's settings. Omitted fields are unchanged, null clears a field.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct PlayerSettingsChange {
    /// The owner of the player, which has to be the user of the token, except for admins.
    #[serde(default, rename = "discordId")]
    pub discord_id: Option<String>,
    pub handle: Option<String>,
    /// Path of an image that this user uploaded.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub profile_image: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub banner_image: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<bool>)]
    pub profile_hidden: Option<Option<bool>>,
    /// An object, or its JSON text.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<ProfileSettingsChange>)]
    pub profile_settings: Option<Option<ObjectOrText>>,
    /// What to share: only the owner can switch it on. Switching it off deletes what was sent.
    pub sharing: Option<SharingChange>,
}

/// Omitted fields are unchanged.
#[derive(Debug, Default, Clone, Copy, Deserialize, ToSchema)]
pub struct SharingChange {
    pub pay: Option<bool>,
    pub places: Option<bool>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct ProfileSettingsChange {
    /// Ids as text or numbers.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<Vec<String>>)]
    pub stickers: Option<Option<Vec<TextOrNumber>>>,
}

/// Profile settings as an object or as JSON text, which older pages send.
#[derive(Debug)]
pub struct ObjectOrText(pub ProfileSettingsChange);

impl<'de> Deserialize<'de> for ObjectOrText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = ObjectOrText;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object or its JSON text")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<ObjectOrText, E> {
                json::read(text.as_bytes(), "profile_settings").map(ObjectOrText).map_err(E::custom)
            }
            fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<ObjectOrText, M::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(ObjectOrText)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The stickers that a player wears.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct StickersChange {
    #[serde(default, rename = "playerHandle")]
    pub player_handle: Option<String>,
    #[schema(value_type = Vec<String>)]
    pub stickers: Option<Vec<TextOrNumber>>,
}

/// Changes of a guild's settings. Omitted fields are unchanged, null clears a field.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct GuildSettingsChange {
    #[serde(default, rename = "guildShort")]
    pub guild_short: String,
    /// Has to be the user of the token.
    #[serde(default, rename = "discordId")]
    pub discord_id: Option<String>,
    #[serde(default, rename = "guildImage", deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub guild_image: Option<Option<String>>,
    #[serde(default, rename = "bannerImage", deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub banner_image: Option<Option<String>>,
    /// Empty, or a Discord invite.
    #[serde(default, rename = "discordLink", deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub discord_link: Option<Option<String>>,
}

/// Distinguishes null from an omitted field.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> PlayerSettingsChange {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn null_differs_from_a_missing_field() {
        let change = read(r#"{"profile_image": null, "banner_image": "/uploads/a.jpg", "is_admin": true}"#);
        assert_eq!((change.profile_image, change.banner_image), (Some(None), Some(Some("/uploads/a.jpg".into()))));
        assert!(change.profile_hidden.is_none() && change.profile_settings.is_none());
        assert!(matches!(read(r#"{"profile_settings": null}"#).profile_settings, Some(None)));
    }

    #[test]
    fn profile_settings_are_an_object_or_its_json_text() {
        for json in [
            r#"{"profile_settings": {"stickers": [683583, "775678"]}}"#,
            r#"{"profile_settings": "{\"stickers\": [683583, \"775678\"]}"}"#,
        ] {
            let stickers = read(json).profile_settings.unwrap().unwrap().0.stickers.unwrap().unwrap();
            assert_eq!(stickers, ["683583", "775678"].map(|id| TextOrNumber(id.into())), "{json}");
        }
        for wrong in [r#"{"profile_settings": "stickers"}"#, r#"{"profile_settings": 7}"#] {
            assert!(serde_json::from_str::<PlayerSettingsChange>(wrong).is_err(), "{wrong}");
        }
    }
}
