//! Share cards: pictures of 1200x630 pixels with a player's or guild's scores, laid out as SVG and rendered with embedded
//! fonts.
//!
//! `features/cards` decides what may be shown and caches the results. This module accesses neither the database nor the
//! network.

mod fonts;
mod layout;
mod palette;

use std::path::PathBuf;
use std::sync::OnceLock;

use bytes::Bytes;
use image::imageops::FilterType;
use resvg::tiny_skia::{IntSize, Pixmap, PixmapPaint, Transform};
use resvg::usvg;

use fonts::Fonts;
use layout::{PICTURE_ORIGIN, PICTURE_SIZE};

pub const WIDTH: u32 = 1200;
pub const HEIGHT: u32 = 630;
/// The maximum size of a card in bytes, since phones fetch link previews.
pub const MAX_BYTES: usize = 80 * 1024;

const BACKGROUND: &[u8] = include_bytes!("../../assets/static/images/card-background.png");
const NO_AVATAR: &[u8] = include_bytes!("../../assets/static/images/default-avatar.webp");
const NO_EMBLEM: &[u8] = include_bytes!("../../assets/static/images/default-guild.webp");

/// Why a card could not be drawn. These are internal errors; no input causes them.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    #[error("invalid layout of a card")]
    Layout(#[from] usvg::Error),
    #[error("an embedded picture cannot be decoded")]
    Picture(#[from] image::ImageError),
    #[error("a card could not be encoded")]
    Encoding(#[from] png::EncodingError),
    #[error("a card could not be allocated")]
    Allocation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Player,
    Guild,
}

/// A labelled value in the color of its metric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub label: &'static str,
    pub value: String,
    pub color: &'static str,
}

/// The content of a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub kind: Kind,
    /// In any script.
    pub name: String,
    /// The handle or tag in ASCII, for names that no font can draw.
    pub plain: String,
    /// The line below the name: the player's guild, or member counts.
    pub line: String,
    pub rank: Option<String>,
    pub figures: Vec<Figure>,
    pub site: String,
    pub patch: String,
}

/// Draws cards. Fonts are loaded on first use.
#[derive(Debug)]
pub struct CardRenderer {
    custom_fonts: PathBuf,
    assets: OnceLock<Assets>,
}

#[derive(Debug)]
struct Assets {
    fonts: Fonts,
    background: Pixmap,
}

impl CardRenderer {
    /// `custom_fonts` is a folder with additional fonts, which may be missing.
    pub fn new(custom_fonts: PathBuf) -> Self {
        Self { custom_fonts, assets: OnceLock::new() }
    }

    fn assets(&self) -> Result<&Assets, CardError> {
        if let Some(assets) = self.assets.get() {
            return Ok(assets);
        }
        let background = pixmap(image::load_from_memory(BACKGROUND)?.into_rgba8())?;
        Ok(self.assets.get_or_init(|| Assets { fonts: Fonts::load(&self.custom_fonts), background }))
    }

    /// Loads fonts and background before the first card. Blocking.
    pub fn warm_up(&self) -> Result<(), CardError> {
        self.assets().map(|_| ())
    }

    /// Draws a card as a PNG of at most [`MAX_BYTES`]. An unreadable `picture` is replaced by the default one. Blocking, about
    /// 30 ms.
    pub fn draw(&self, card: &Card, picture: Option<&Bytes>) -> Result<Vec<u8>, CardError> {
        let assets = self.assets()?;
        let mut canvas = assets.background.clone();
        let svg = layout::svg(card, &assets.fonts)?;
        let tree = usvg::Tree::from_str(&svg.below, &assets.fonts.options)?;
        resvg::render(&tree, Transform::identity(), &mut canvas.as_mut());
        let default = if card.kind == Kind::Guild { NO_EMBLEM } else { NO_AVATAR };
        let picture = match picture.and_then(|bytes| image::load_from_memory(bytes).ok()) {
            Some(picture) => picture,
            None => image::load_from_memory(default)?,
        };
        let small = picture.resize_to_fill(PICTURE_SIZE, PICTURE_SIZE, FilterType::CatmullRom).into_rgba8();
        let small = layout::cut_corners(pixmap(small)?);
        canvas.draw_pixmap(
            PICTURE_ORIGIN.0,
            PICTURE_ORIGIN.1,
            small.as_ref(),
            &PixmapPaint::default(),
            Transform::identity(),
            None,
        );
        let tree = usvg::Tree::from_str(&svg.above, &assets.fonts.options)?;
        resvg::render(&tree, Transform::identity(), &mut canvas.as_mut());
        palette::encode_png(canvas.data())
    }
}

/// Converts a picture to premultiplied alpha.
fn pixmap(mut picture: image::RgbaImage) -> Result<Pixmap, CardError> {
    let (width, height) = picture.dimensions();
    for pixel in picture.pixels_mut() {
        let alpha = u16::from(pixel.0[3]);
        for channel in &mut pixel.0[..3] {
            *channel = (u16::from(*channel) * alpha / 255) as u8;
        }
    }
    let size = IntSize::from_wh(width, height).ok_or(CardError::Allocation)?;
    Pixmap::from_vec(picture.into_raw(), size).ok_or(CardError::Allocation)
}

#[cfg(test)]
mod tests;
