//! Cleaning of names and texts: control characters, markup and excessive length are removed.

/// Maximum length of a name in an event.
const MAX_NAME_CHARS: usize = 200;
/// Maximum length of a text in an event.
const MAX_TEXT_CHARS: usize = 1000;
/// Sites take no larger amounts.
const MAX_AMOUNT: i64 = 1_000_000_000;
/// Bracketed tags that language packs add to titles are at most this long.
const MAX_BRACKET_CHARS: usize = 24;

/// A name without control characters, truncated to [`MAX_NAME_CHARS`].
pub(super) fn clean_name(name: &str) -> String {
    clean(name, MAX_NAME_CHARS)
}

/// The text of an objective without the notification around it. `None` for a placeholder.
pub(super) fn objective_text(rest: &str) -> Option<String> {
    clean_title(rest, MAX_TEXT_CHARS)
}

/// The title of a contract without markup and bracketed tags. `None` for a placeholder.
pub(super) fn contract_title(rest: &str) -> Option<String> {
    clean_title(rest, MAX_NAME_CHARS)
}

/// The amount at the beginning of a text such as `28375 aUEC: `. Separators of thousands are left out.
pub(super) fn amount(rest: &str) -> Option<i64> {
    let (number, _) = rest.split_once("aUEC")?;
    let digits: String =
        number.chars().filter(|c| !c.is_whitespace() && !matches!(c, ',' | '.' | '\'' | '\u{2019}')).collect();
    digits.parse().ok().filter(|amount| (0..=MAX_AMOUNT).contains(amount))
}

fn clean_title(rest: &str, max: usize) -> Option<String> {
    if rest.contains("~mission(") || rest.contains("UNINITIALIZED") {
        return None;
    }
    let text = rest.trim();
    let text = text.strip_suffix(':').unwrap_or(text);
    let title = clean(&strip_bracketed(&strip_markup(text)), max);
    (!title.is_empty()).then_some(title)
}

/// Removes tags such as `<EM4>…</EM4>`. Other angle brackets are part of the title.
pub(super) fn strip_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        let name = tag[1..].strip_prefix('/').unwrap_or(&tag[1..]);
        let is_markup = name.strip_prefix("EM").and_then(|n| n.split_once('>')).is_some_and(|(digits, _)| {
            !digits.is_empty() && digits.len() <= 2 && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        out.push_str(before);
        let skip = if is_markup { tag.find('>').map_or(1, |end| end + 1) } else { 1 };
        if !is_markup {
            out.push('<');
        }
        rest = &tag[skip..];
    }
    out.push_str(rest);
    out
}

/// Removes `[BP]*`, `[150 Rep]` and similar tags.
fn strip_bracketed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        match after.split_once(']') {
            Some((mark, tail)) if mark.chars().nth(MAX_BRACKET_CHARS).is_none() => {
                out.push_str(before);
                rest = tail.strip_prefix('*').unwrap_or(tail);
            }
            _ => {
                out.push_str(before);
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(4 * max));
    let (mut was_blank, mut count) = (true, 0);
    for char in text.chars() {
        let char = if char.is_control() { ' ' } else { char };
        if char == ' ' && was_blank {
            continue;
        }
        if count == max {
            break;
        }
        count += 1;
        was_blank = char == ' ';
        out.push(char);
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_markup_and_bracketed_tags() {
        for (raw, wanted) in [
            ("  Senior Rank - Medium Cargo Haul <EM4>[BP]*</EM4>: ", "Senior Rank - Medium Cargo Haul"),
            (" Alliance Aid: Ship Under Attack: ", "Alliance Aid: Ship Under Attack"),
            ("  Junior | Planetary Medium: ", "Junior | Planetary Medium"),
            (" Tactical Strike Group Needed <EM4>[300 Rep] [BP]</EM4>: ", "Tactical Strike Group Needed"),
            (" Route A > B <fast> : ", "Route A > B <fast>"),
            (" Go to a debris field above Cellin : ", "Go to a debris field above Cellin"),
            (" <EM3>Help</EM3>\nneeded: ", "Help needed"),
        ] {
            assert_eq!(contract_title(raw).as_deref(), Some(wanted), "{raw:?}");
        }
    }

    #[test]
    fn amounts_are_read_with_every_separator() {
        for (text, wanted) in [
            ("28375 aUEC: ", Some(28375)),
            ("1,028,375 aUEC: ", Some(1_028_375)),
            ("1 028\u{a0}375 aUEC: ", Some(1_028_375)),
            ("-5 aUEC: ", None),
            ("a medal: ", None),
            ("99999999999 aUEC: ", None),
        ] {
            assert_eq!(amount(text), wanted, "{text}");
        }
    }

    #[test]
    fn placeholders_give_no_title() {
        assert_eq!(contract_title(" Deliver to ~mission(Location): "), None);
        assert_eq!(contract_title(" <= UNINITIALIZED =>: "), None);
        assert_eq!(contract_title(" : "), None);
    }

    #[test]
    fn names_are_truncated_to_200_characters() {
        for letter in ["ü", "Ж", "漢", "a"] {
            assert_eq!(contract_title(&letter.repeat(111)).as_deref(), Some(&*letter.repeat(111)));
            assert_eq!(clean_name(&letter.repeat(250)), letter.repeat(200));
        }
        assert_eq!(clean_name("a\0b"), "a b");
    }
}
