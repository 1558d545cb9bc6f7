//! The layout of cards as SVG. Names are untrusted, so they appear only as escaped text.

use resvg::tiny_skia::Pixmap;
use resvg::usvg;

use super::fonts::{BOLD, Fonts, PLAIN};
use super::{Card, CardError};
use crate::domain::html::escape;

/// Width and height of the avatar or emblem, in pixels.
pub const PICTURE_SIZE: u32 = 208;
/// Left and top of the picture.
pub const PICTURE_ORIGIN: (i32, i32) = (72, 72);
/// The size of cut corners, which the whole site uses.
const CUT_SIZE: u32 = 24;

const TEXT: &str = "#e7edf4";
const MUTED: &str = "#a9b5c3";
const AMBER: &str = "#ffb347";
const LINE: &str = "#2b3644";
/// The left edge and width of the text beside the picture.
const TEXT_LEFT: f32 = 320.0;
const TEXT_WIDTH: f32 = 808.0;
/// The gap between columns of figures.
const COLUMN_GAP: f32 = 32.0;
/// Longer names are truncated.
const MAX_NAME_CHARS: usize = 60;

/// The layers below and above the picture.
pub struct Svg {
    pub below: String,
    pub above: String,
}

pub fn svg(card: &Card, fonts: &Fonts) -> Result<Svg, CardError> {
    let name = drawable(&card.name, fonts).unwrap_or_else(|| card.plain.clone());
    let line = drawable(&card.line, fonts).unwrap_or_default();
    let name_size = fit_font_size(&name, BOLD, 104.0, TEXT_WIDTH, fonts)?;
    let line_size = fit_font_size(&line, PLAIN, 38.0, TEXT_WIDTH, fonts)?;
    let mut body = text(TEXT_LEFT, 154.0, name_size, BOLD, TEXT, &name);
    body += &text(TEXT_LEFT, 212.0, line_size, PLAIN, MUTED, &line);
    if let Some(rank) = &card.rank {
        let width = 40.0 + text_width(rank, BOLD, 34.0, fonts)?;
        let (right, bottom) = (TEXT_LEFT + width, 280.0);
        body += &format!(
            "<path d=\"M{TEXT_LEFT} 232H{right}V{cut}L{end} {bottom}H{TEXT_LEFT}Z\" fill=\"{AMBER}\"/>",
            cut = bottom - 14.0,
            end = right - 14.0,
        );
        body += &text(TEXT_LEFT + 18.0, 268.0, 34.0, BOLD, "#0a0d12", rank);
    }
    // There is no gap after the last column, so that it ends at the margin.
    let column = (1056.0 + COLUMN_GAP) / card.figures.len().max(1) as f32;
    for (n, figure) in card.figures.iter().enumerate() {
        let left = 72.0 + column * n as f32;
        body += &format!("<path d=\"M{left} 356h{}v4H{left}Z\" fill=\"{}\"/>", column - COLUMN_GAP, figure.color);
        body += &text(left, 448.0, 84.0, BOLD, TEXT, &figure.value);
        body += &text(left, 490.0, 30.0, PLAIN, MUTED, figure.label);
    }
    let site = drawable(&card.site, fonts).unwrap_or_default();
    let patch = drawable(&card.patch, fonts).unwrap_or_default();
    body += &text(72.0, 582.0, 34.0, BOLD, AMBER, &site);
    let patch_left = 1128.0 - text_width(&patch, PLAIN, 30.0, fonts)?;
    body += &text(patch_left, 582.0, 30.0, PLAIN, MUTED, &patch);
    // Darkens the background behind the figures.
    let shade = "<linearGradient id=\"s\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"><stop offset=\"0\" stop-color=\"#0a0d12\" stop-opacity=\"0\"/>\
        <stop offset=\"0.5\" stop-color=\"#0a0d12\" stop-opacity=\"0.62\"/><stop offset=\"1\" stop-color=\"#0a0d12\" stop-opacity=\"0.5\"/></linearGradient>\
        <rect width=\"1200\" height=\"630\" fill=\"url(#s)\"/>";
    Ok(Svg { below: document(shade), above: document(&(frame() + &body)) })
}

/// A thin outline around the picture.
fn frame() -> String {
    let (left, top) = PICTURE_ORIGIN;
    let (side, cut) = (PICTURE_SIZE, CUT_SIZE);
    format!(
        "<path d=\"M{left} {top}h{side}v{}l-{cut} {cut}h-{}Z\" fill=\"none\" stroke=\"{LINE}\" stroke-width=\"2\"/>",
        side - cut,
        side - cut
    )
}

/// Makes the lower right corner transparent, along the outline.
pub fn cut_corners(mut picture: Pixmap) -> Pixmap {
    let (width, height) = (picture.width(), picture.height());
    for (n, pixel) in picture.data_mut().chunks_exact_mut(4).enumerate() {
        let (x, y) = (n as u32 % width, n as u32 / width);
        if (width - 1 - x) + (height - 1 - y) < CUT_SIZE {
            pixel.fill(0);
        }
    }
    picture
}

fn document(body: &str) -> String {
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"630\">{body}</svg>")
}

fn text(x: f32, y: f32, size: f32, family: &str, color: &str, text: &str) -> String {
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-family=\"{family}\" font-size=\"{size}\" fill=\"{color}\">{}</text>",
        escape(text)
    )
}

/// The width of a text in pixels.
fn text_width(words: &str, family: &str, size: f32, fonts: &Fonts) -> Result<f32, CardError> {
    if words.is_empty() {
        return Ok(0.0);
    }
    let tree = usvg::Tree::from_str(&document(&text(0.0, 100.0, size, family, TEXT, words)), &fonts.options)?;
    Ok(tree.root().abs_bounding_box().right())
}

/// The largest font size at which a text fits.
fn fit_font_size(words: &str, family: &str, largest: f32, max_width: f32, fonts: &Fonts) -> Result<f32, CardError> {
    let width = text_width(words, family, largest, fonts)?;
    Ok(if width > max_width { largest * max_width / width } else { largest })
}

/// Removes characters without a font, and formatting characters that hide or reorder text. `None` if a letter has no font.
fn drawable(words: &str, fonts: &Fonts) -> Option<String> {
    let mut out = String::new();
    for c in words.chars().take(MAX_NAME_CHARS) {
        let is_formatting = matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{e0fff}');
        if c.is_whitespace() {
            out.push(' ');
        } else if c.is_control() || is_formatting {
            // Invisible or deceptive characters are omitted.
        } else if fonts.has(c) {
            out.push(c);
        } else if c.is_alphanumeric() {
            return None;
        }
    }
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_text_without_missing_glyphs() {
        let fonts = Fonts::load(std::path::Path::new("/nonexistent"));
        let shown = |name: &str| drawable(name, &fonts);
        assert_eq!(shown("Zoë Łukasz Ярослав Ωμέγα").as_deref(), Some("Zoë Łukasz Ярослав Ωμέγα"));
        assert_eq!(shown("a\u{202e}b\u{200b}c\u{0}d\n e").as_deref(), Some("abcd e"));
        // No font contains Linear A: symbols are omitted, letters reject the text.
        assert_eq!(shown("Crew \u{10600}"), None);
        assert_eq!(shown("Crew \u{10ffff}").as_deref(), Some("Crew"));
        assert_eq!(shown(" \u{200b} "), None);
    }

    #[test]
    fn long_names_shrink_to_fit() {
        let fonts = Fonts::load(std::path::Path::new("/nonexistent"));
        let long = "W".repeat(MAX_NAME_CHARS);
        let size = fit_font_size(&long, BOLD, 104.0, TEXT_WIDTH, &fonts).unwrap();
        assert!(size < 40.0 && text_width(&long, BOLD, size, &fonts).unwrap() <= TEXT_WIDTH + 1.0);
        assert_eq!(fit_font_size("Ann", BOLD, 104.0, TEXT_WIDTH, &fonts).unwrap(), 104.0);
    }
}
