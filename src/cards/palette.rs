//! Encodes cards as PNG with a palette, which takes a fifth of the size of true colour.

use std::collections::HashMap;

use color_quant::NeuQuant;

use super::{CardError, HEIGHT, MAX_BYTES, WIDTH};

/// The quantizer samples one pixel in this many.
const SAMPLE_FACTOR: i32 = 12;

/// Encodes opaque RGBA pixels of a whole card, with fewer colours if it exceeds [`MAX_BYTES`].
pub fn encode_png(pixels: &[u8]) -> Result<Vec<u8>, CardError> {
    let mut png = Vec::new();
    for colours in [256, 128, 64, 32] {
        png = with_colours(pixels, colours)?;
        if png.len() <= MAX_BYTES {
            break;
        }
    }
    Ok(png)
}

fn with_colours(pixels: &[u8], colours: usize) -> Result<Vec<u8>, CardError> {
    let quantizer = NeuQuant::new(SAMPLE_FACTOR, colours, pixels);
    // Most pixels have a colour that occurred before.
    let mut known: HashMap<[u8; 4], u8> = HashMap::new();
    let mut last = ([0; 4], None);
    let indices: Vec<u8> = pixels
        .chunks_exact(4)
        .map(|pixel| {
            let colour = [pixel[0], pixel[1], pixel[2], 255];
            match last {
                (same, Some(index)) if same == colour => index,
                _ => {
                    let index = *known.entry(colour).or_insert_with(|| quantizer.index_of(&colour) as u8);
                    last = (colour, Some(index));
                    index
                }
            }
        })
        .collect();
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
