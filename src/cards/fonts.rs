//! The fonts of cards, and which letters they have.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use resvg::usvg;
use resvg::usvg::fontdb;
use skrifa::MetadataProvider;

/// Embedded ones first: they are asked first, too.
const EMBEDDED: [&[u8]; 4] = [
    include_bytes!("../../assets/fonts/barlow-condensed-latin-600.ttf"),
    include_bytes!("../../assets/fonts/barlow-condensed-latin-ext-600.ttf"),
    include_bytes!("../../assets/fonts/barlow-condensed-latin-500.ttf"),
    include_bytes!("../../assets/fonts/DejaVuSansCondensed-Bold.ttf"),
];
pub const BOLD: &str = "Barlow Condensed SemiBold";
pub const PLAIN: &str = "Barlow Condensed Medium";

#[derive(Debug)]
pub struct Fonts {
    pub options: usvg::Options<'static>,
    /// Letters that were looked for: a machine may have thousands of fonts.
    known: Mutex<HashMap<char, bool>>,
}

impl Fonts {
    /// Embedded fonts, those of the site's owner, then those of this machine.
    pub fn load(own: &Path) -> Self {
        let mut found = fontdb::Database::new();
        for font in EMBEDDED {
            found.load_font_source(fontdb::Source::Binary(Arc::new(font)));
        }
        found.load_fonts_dir(own);
        found.load_system_fonts();
        let options =
            usvg::Options { fontdb: Arc::new(found), font_family: BOLD.to_owned(), ..usvg::Options::default() };
        Self { options, known: Mutex::default() }
    }

    /// Whether some font has the letter.
    pub fn has(&self, letter: char) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known.entry(letter).or_insert_with(|| self.look_for(letter))
    }

    fn look_for(&self, letter: char) -> bool {
        let fonts = &self.options.fontdb;
        fonts.faces().any(|face| {
            let has = |data: &[u8], index| {
                skrifa::FontRef::from_index(data, index).is_ok_and(|font| font.charmap().map(letter).is_some())
            };
            fonts.with_face_data(face.id, has).unwrap_or(false)
        })
    }
}
