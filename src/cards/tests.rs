use super::*;

fn card(name: &str) -> Card {
    let figure = |label, value: &str, color| Figure { label, value: value.into(), color };
    Card {
        kind: Kind::Player,
        name: name.into(),
        plain: "Handle-1".into(),
        line: "[ALPHA] Alpha Wing".into(),
        rank: Some("#12 overall".into()),
        figures: vec![
            figure("PVP", "1.2k", "#ff6b5e"),
            figure("PVE", "34.5k", "#58d6a4"),
            figure("Vehicles", "871", "#f5c451"),
            figure("Missions", "96", "#a58bff"),
        ],
        site: "Apogee".into(),
        patch: "ALPHA 4.3.2".into(),
    }
}

fn cards() -> CardRenderer {
    CardRenderer::new(PathBuf::from("/nonexistent"))
}

/// Noise, which compresses worst.
fn noise() -> Bytes {
    let mut state = 0x2545_f491u32;
    let picture = image::RgbImage::from_fn(400, 400, |_, _| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let [a, b, c, _] = state.to_le_bytes();
        image::Rgb([a, b, c])
    });
    let mut out = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut out, image::ImageFormat::Png).unwrap();
    out.into_inner().into()
}

#[test]
fn a_card_has_its_size_and_stays_below_the_limit() {
    let cards = cards();
    for (name, picture) in [("Ann-1", None), ("Ann-1", Some(noise())), (&*"W".repeat(60), None)] {
        let bytes = cards.draw(&card(name), picture.as_ref()).unwrap();
        let drawn = image::load_from_memory(&bytes).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (WIDTH, HEIGHT));
        assert!(bytes.len() <= MAX_BYTES, "{name}: {} bytes", bytes.len());
    }
}

#[test]
fn a_name_without_glyphs_is_replaced_by_the_handle() {
    let cards = cards();
    let by_handle = cards.draw(&card("Handle-1"), None).unwrap();
    assert_eq!(cards.draw(&card("\u{10600}\u{10601}"), None).unwrap(), by_handle);
    assert_ne!(cards.draw(&card("Ярослав"), None).unwrap(), by_handle);
}

#[test]
fn markup_in_names_and_broken_pictures_do_not_break_cards() {
    let cards = cards();
    for name in [
        "</text><script>alert(1)</script>",
        "&amp;&#0;",
        "]]>",
        "a\u{0}\u{1}\u{fffe}\u{d7ff}b",
        "é\u{301}\u{301}\u{301}",
    ] {
        cards.draw(&card(name), Some(&Bytes::from_static(b"no picture"))).unwrap_or_else(|e| panic!("{name:?}: {e}"));
    }
    let mut odd = card("Ann-1");
    (odd.line, odd.site, odd.patch, odd.rank) = ("<i>".into(), "A & B".into(), String::new(), None);
    odd.figures.clear();
    cards.draw(&odd, None).unwrap();
}
