//! Encodes cards as PNG with a palette, which takes a fifth of the size of true color.

use color_quant::NeuQuant;
use rustc_hash::FxHashMap;

use super::{CardError, HEIGHT, MAX_BYTES, WIDTH};

/// The quantizer samples one pixel in this many.
const SAMPLE_FACTOR: i32 = 12;

/// Encodes opaque RGBA pixels of a whole card, with fewer colors if it exceeds [`MAX_BYTES`].
pub fn encode_png(pixels: &[u8]) -> Result<Vec<u8>, CardError> {
    let mut png = Vec::new();
    for colors in [256, 128, 64, 32] {
        png = with_colors(pixels, colors)?;
        if png.len() <= MAX_BYTES {
            break;
        }
    }
    Ok(png)
}

fn with_colors(pixels: &[u8], colors: usize) -> Result<Vec<u8>, CardError> {
    let quantizer = NeuQuant::new(SAMPLE_FACTOR, colors, pixels);
    // Most pixels have a color that occurred before.
    let mut known: FxHashMap<u32, u8> = FxHashMap::default();
    let index_of = |pixel: &[u8]| {
        let color = [pixel[0], pixel[1], pixel[2], 255];
        *known.entry(u32::from_le_bytes(color)).or_insert_with(|| quantizer.index_of(&color) as u8)
    };
    let indices: Vec<u8> = pixels.chunks_exact(4).map(index_of).collect();
    let mut out = Vec::with_capacity(MAX_BYTES);
    let mut encoder = png::Encoder::new(&mut out, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(quantizer.color_map_rgb());
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&indices)?;
    writer.finish()?;
    Ok(out)
}
