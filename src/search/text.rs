//! Normalization of names: folding, splitting into words, and skeletons that equate look-alike characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::entry::{Entry, Kind};

/// Length of the longest prefix term; longer queries read its postings and compare each entry.
pub const MAX_PREFIX_CHARS: usize = 8;
/// Length of the shortest prefix term, and of the shortest query.
pub const MIN_PREFIX_CHARS: usize = 2;
/// Number of characters of a name that are indexed. Handles have at most 60.
pub const MAX_NAME_CHARS: usize = 64;
/// Number of words within a name that are indexed.
const MAX_WORDS: usize = 8;

/// The kind of a term; encoded as its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermKind {
    /// The first 2 to 8 characters of a name.
    Prefix,
    /// The first 2 to 8 characters from a later word of a name.
    Word,
    /// A whole name.
    Whole,
    /// The skeleton of a claimed handle.
    Skeleton,
}

impl TermKind {
    /// The first character of the term: upper case for guilds.
    pub fn letter(self, kind: Kind) -> char {
        let letter = match self {
            Self::Prefix => 'p',
            Self::Word => 'w',
            Self::Whole => 'x',
            Self::Skeleton => 's',
        };
        match kind {
            Kind::Player => letter,
            Kind::Guild => letter.to_ascii_uppercase(),
        }
    }

    pub fn term(self, kind: Kind, text: &str) -> String {
        format!("{}{text}", self.letter(kind))
    }
}

/// Folds a name: lower case, without accents, compatibility forms and invisible characters; white space is collapsed and trimmed.
pub fn fold(text: &str) -> String {
    if text.is_ascii() && !text.bytes().any(|b| b.is_ascii_control() || b == b' ') {
        let mut folded = text[..text.len().min(MAX_NAME_CHARS)].to_owned();
        folded.make_ascii_lowercase();
        return folded;
    }
    let mut folded = String::with_capacity(text.len());
    let mut blank = false;
    // One character decomposes into at most 18.
    for c in
        text.chars().take(4 * MAX_NAME_CHARS).nfkd().filter(|&c| !is_combining_mark(c)).flat_map(char::to_lowercase)
    {
        if c.is_whitespace() {
            blank = !folded.is_empty();
        } else if !is_invisible(c) {
            if blank {
                folded.push(' ');
                blank = false;
            }
            match c {
                'ß' => folded.push_str("ss"),
                'æ' => folded.push_str("ae"),
                'œ' => folded.push_str("oe"),
                'þ' => folded.push_str("th"),
                'ø' => folded.push('o'),
                'đ' | 'ð' => folded.push('d'),
                'ł' => folded.push('l'),
                'ħ' => folded.push('h'),
                'ı' => folded.push('i'),
                'ς' => folded.push('σ'),
                c => folded.push(c),
            }
        }
    }
    folded.truncate(first_chars(&folded, MAX_NAME_CHARS).len());
    folded.truncate(folded.trim_end().len());
    folded
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// The first `count` characters, or fewer.
pub fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// The rest of the text from each later word on: a letter or digit after another character.
pub fn later_words(text: &str) -> impl Iterator<Item = &str> {
    let mut before_is_letter = true;
    text.char_indices()
        .filter(move |&(at, c)| {
            let begins = at > 0 && c.is_alphanumeric() && !before_is_letter;
            before_is_letter = c.is_alphanumeric();
            begins
        })
        .take(MAX_WORDS)
        .map(|(at, _)| &text[at..])
}

/// The folded texts under which an entry is found: key, name and former handles, each once and followed by its later words, and the
/// skeleton of a claimed handle.
pub fn searched(entry: &Entry) -> Vec<(TermKind, String)> {
    let mut texts: Vec<(TermKind, String)> = Vec::new();
    for name in [&entry.key, &entry.name].into_iter().chain(&entry.former) {
        let whole = (TermKind::Whole, fold(name));
        if !whole.1.is_empty() && !texts.contains(&whole) {
            let words: Vec<_> = later_words(&whole.1).map(|word| (TermKind::Word, word.to_owned())).collect();
            texts.push(whole);
            texts.extend(words);
        }
    }
    if entry.is_claimed && entry.kind == Kind::Player {
        texts.push((TermKind::Skeleton, skeleton(&fold(&entry.key))));
    }
    texts
}

/// The skeleton of a folded handle: look-alike characters are replaced by one representative.
pub fn skeleton(folded: &str) -> String {
    let mut skeleton = String::with_capacity(folded.len());
    for c in folded.chars() {
        skeleton.push(match c {
            '0' => 'o',
            '1' | 'i' | '|' | '!' => 'l',
            '2' => 'z',
            '5' | '$' => 's',
            '8' => 'b',
            '_' | ' ' | '.' => '-',
            c => c,
        });
    }
    skeleton.replace("rn", "m").replace("vv", "w")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_without_case_and_accents() {
        for (text, folded) in [
            ("DarkKnight_7", "darkknight_7"),
            ("Zoë Öztürk", "zoe ozturk"),
            ("İSTANBUL", "istanbul"),
            ("ＦＵＬＬ", "full"),
            ("Straße", "strasse"),
            ("Łódź", "lodz"),
            ("a\u{200b}b\u{202e}c\0d", "abcd"),
            ("  two \t blanks ", "two blanks"),
            ("ΟΔΟΣ", "οδοσ"),
            ("", ""),
        ] {
            assert_eq!(fold(text), folded, "{text:?}");
        }
        assert_eq!(fold(&"é".repeat(500)).chars().count(), MAX_NAME_CHARS);
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["Ǆungla", "ﬁne", "①②", "한국어", "ｶﾞ", "a ̈b", "ẞ"] {
            assert_eq!(fold(&fold(text)), fold(text), "{text:?}");
        }
    }

    #[test]
    fn words_begin_after_a_character_that_is_not_alphanumeric() {
        assert_eq!(later_words("dark_knight-of 7").collect::<Vec<_>>(), ["knight-of 7", "of 7", "7"]);
        assert_eq!(later_words("-dark").collect::<Vec<_>>(), ["dark"]);
        assert_eq!(later_words("dark").count(), 0);
    }

    #[test]
    fn look_alike_handles_have_equal_skeletons() {
        for (one, other) in [("oliver_1", "0liver-l"), ("ill", "1l1"), ("modern", "modem"), ("sos", "505")] {
            assert_eq!(skeleton(one), skeleton(other));
        }
        assert_ne!(skeleton("anna"), skeleton("hanna"));
    }
}
