//! Uploaded pictures.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A form with a picture, as `multipart/form-data`.
#[derive(ToSchema)]
#[allow(dead_code, reason = "it is read field by field; this tells of them")]
pub struct PictureForm {
    /// PNG, JPEG or WebP, told by its content.
    #[schema(value_type = String, format = Binary)]
    image: Vec<u8>,
    /// Of cropped pictures: whose it is, `player` (default) or `guild`.
    target: Option<String>,
}

/// Where a picture lies now. It counts once settings name it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uploaded {
    #[serde(rename = "imagePath")]
    pub image_path: String,
    pub message: &'static str,
}

/// Which picture is to go.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PictureRemoval {
    #[serde(rename = "imagePath")]
    pub image_path: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PictureRemoved {
    pub message: &'static str,
}
