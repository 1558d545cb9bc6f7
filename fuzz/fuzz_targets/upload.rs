//! Decodes arbitrary bytes as an image: re-encoded or rejected, within the memory limit and without a panic.
//! `make fuzz TARGET=upload` starts from the default pictures.

#![no_main]

use std::sync::LazyLock;

use apogee::files::{Fit, PictureProcessor, PictureOptions};
use libfuzzer_sys::fuzz_target;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));
static PICTURES: LazyLock<PictureProcessor> = LazyLock::new(|| PictureProcessor::new(1));

fuzz_target!(|bytes: &[u8]| {
    let wanted = PictureOptions { max_bytes: 1 << 20, fit: Fit::Within { width: 400, height: 400 } };
    let made = RUNTIME.block_on(PICTURES.re_encode(bytes::Bytes::copy_from_slice(bytes), wanted));
    if let Ok(picture) = made {
        assert!(!picture.bytes.is_empty() && picture.width <= 400 && picture.height <= 400);
    }
});
