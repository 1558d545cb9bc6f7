//! Texts for people, made fit to travel: titles without markup, names of a length that is taken.

/// The longest name an event carries, in characters.
const NAME_MAX: usize = 200;
/// The longest text an event carries, in characters.
const TEXT_MAX: usize = 1000;
/// Marks that language packs add to titles are short.
const MARK_MAX: usize = 24;

/// A name without control characters, cut to what is taken.
pub(super) fn short(name: &str) -> String {
    clean(name, NAME_MAX)
}

/// The text of an objective without what the notification adds around it; `None` for a placeholder.
pub(super) fn objective(rest: &str) -> Option<String> {
    title_of(rest, TEXT_MAX)
}

/// The title of a contract without markup and without the marks of language packs; `None` for a placeholder.
pub(super) fn title(rest: &str) -> Option<String> {
    title_of(rest, NAME_MAX)
}

fn title_of(rest: &str, max: usize) -> Option<String> {
    if rest.contains("~mission(") || rest.contains("UNINITIALIZED") {
        return None;
    }
    let text = rest.trim();
    let text = text.strip_suffix(':').unwrap_or(text);
    let title = clean(&without_marks(&without_markup(text)), max);
    (!title.is_empty()).then_some(title)
}

/// `<EM4>a</EM4>` is `a`; other angle brackets belong to the title.
fn without_markup(text: &str) -> String {
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

/// Drops `[BP]*`, `[150 Rep]` and the like.
fn without_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        match after.split_once(']') {
            Some((mark, tail)) if mark.chars().nth(MARK_MAX).is_none() => {
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
    fn titles_keep_their_own_signs_and_lose_markup_and_marks() {
        for (told, wanted) in [
            ("  Senior Rank - Medium Cargo Haul <EM4>[BP]*</EM4>: ", "Senior Rank - Medium Cargo Haul"),
            (" Alliance Aid: Ship Under Attack: ", "Alliance Aid: Ship Under Attack"),
            ("  Junior | Planetary Medium: ", "Junior | Planetary Medium"),
            (" Tactical Strike Group Needed <EM4>[300 Rep] [BP]</EM4>: ", "Tactical Strike Group Needed"),
            (" Route A > B <fast> : ", "Route A > B <fast>"),
            (" Go to a debris field above Cellin : ", "Go to a debris field above Cellin"),
            (" <EM3>Help</EM3>\nneeded: ", "Help needed"),
        ] {
            assert_eq!(title(told).as_deref(), Some(wanted), "{told:?}");
        }
    }

    #[test]
    fn placeholders_are_no_titles() {
        assert_eq!(title(" Deliver to ~mission(Location): "), None);
        assert_eq!(title(" <= UNINITIALIZED =>: "), None);
        assert_eq!(title(" : "), None);
    }

    #[test]
    fn a_name_is_cut_after_200_characters_of_whatever_length() {
        for letter in ["ü", "Ж", "漢", "a"] {
            assert_eq!(title(&letter.repeat(111)).as_deref(), Some(&*letter.repeat(111)));
            assert_eq!(short(&letter.repeat(250)), letter.repeat(200));
        }
        assert_eq!(short("a\0b"), "a b");
    }
}
