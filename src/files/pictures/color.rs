//! Converts pictures to sRGB, which browsers assume for pictures without a color profile.

use image::{DynamicImage, Rgba};
use moxcms::{ColorProfile, DataColorSpace, Layout, ToneReprCurve, TransformOptions};

/// The profile of a picture that the decoder returns as RGB; `None` if it is unreadable or of another color space. The decoder
/// converts CMYK.
pub(super) fn from_icc(bytes: &[u8]) -> Option<ColorProfile> {
    let profile = ColorProfile::new_from_slice(bytes).ok()?;
    match profile.color_space {
        DataColorSpace::Rgb => Some(profile),
        DataColorSpace::Gray => profile.gray_trc.map(with_curve),
        _ => None,
    }
}

/// The profile of a picture whose light is proportional to its values to the power of `exponent`.
pub(super) fn from_gamma(exponent: f32) -> ColorProfile {
    with_curve(ToneReprCurve::Parametric(vec![exponent]))
}

/// sRGB with another curve from values to light.
fn with_curve(curve: ToneReprCurve) -> ColorProfile {
    let mut profile = ColorProfile::new_srgb();
    // It would take precedence over the curves.
    profile.cicp = None;
    profile.red_trc = Some(curve.clone());
    profile.green_trc = Some(curve.clone());
    profile.blue_trc = Some(curve);
    profile
}

/// Converts a picture from its profile to sRGB. With a profile that cannot be applied it is unchanged.
pub(super) fn to_srgb(image: DynamicImage, profile: &ColorProfile) -> DynamicImage {
    let srgb = ColorProfile::new_srgb();
    let options = TransformOptions::default();
    let Ok(transform) = profile.create_transform_16bit(Layout::Rgba, &srgb, Layout::Rgba, options) else {
        return image;
    };
    // 16 bits keep the dark shades of linear pictures apart.
    let stored = image.to_rgba16();
    let mut shown = image::ImageBuffer::<Rgba<u16>, _>::new(stored.width(), stored.height());
    match transform.transform(&stored, &mut shown) {
        Ok(()) => shown.into(),
        Err(_) => image,
    }
}
