//! Decodes arbitrary bytes as an image: re-encoded or rejected, within the memory limit and without a panic.
//! `make fuzz TARGET=upload` starts from the default pictures.

#![no_main]

use std::sync::LazyLock;

use apogee::files::{Fit, PictureProcessor};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));
static PICTURES: LazyLock<PictureProcessor> = LazyLock::new(|| PictureProcessor::new(1));

fuzz_target!(|bytes: &[u8]| {
    let made = RUNTIME.block_on(PICTURES.re_encode(bytes::Bytes::copy_from_slice(bytes), 1 << 20, Fit::PROFILE));
    if let Ok(picture) = made {
        assert!(!picture.bytes.is_empty() && picture.width <= 400 && picture.height <= 400);
    }
});
