//! JSON values that senders write in two forms.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Text, or a whole number converted to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextOrNumber(pub String);

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = TextOrNumber;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text or a whole number")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(text.to_owned()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
        }
        deserializer.deserialize_any(Either)
    }
}
