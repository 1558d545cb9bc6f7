//! Fonts of cards, and the characters they contain.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use resvg::usvg;
use resvg::usvg::fontdb;
use skrifa::MetadataProvider;

/// In order of preference.
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
    /// Results of earlier lookups: a machine may have thousands of fonts.
    known: Mutex<HashMap<char, bool>>,
}

impl Fonts {
    /// Loads the embedded fonts, then those of the site's owner, then those of the machine.
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

    /// Whether any font contains the character.
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
