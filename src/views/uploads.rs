//! Uploaded images.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A form with an image, as `multipart/form-data`.
#[derive(ToSchema)]
#[allow(dead_code, reason = "only documents the form, which is read field by field")]
pub struct PictureForm {
    /// PNG, JPEG or WebP, detected by content.
    #[schema(value_type = String, format = Binary)]
    image: Vec<u8>,
    /// For cropped images: `player` (default) or `guild`.
    target: Option<String>,
}

/// Path of an uploaded image. It is shown once settings name it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Uploaded {
    #[serde(rename = "imagePath")]
    pub image_path: String,
    pub message: &'static str,
}

/// The image to remove.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PictureRemoval {
    #[serde(rename = "imagePath")]
    pub image_path: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PictureRemoved {
    pub message: &'static str,
}
