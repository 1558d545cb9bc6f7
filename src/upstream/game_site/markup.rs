//! Helpers for HTML: text extraction, whitespace folding, absolute URLs, detection of challenge pages.

use reqwest::Url;
use scraper::{ElementRef, Node, Selector};

/// Parses a selector literal once. An invalid selector fails every test that parses a page.
macro_rules! css {
    ($text:literal) => {{
        static SELECTOR: std::sync::LazyLock<scraper::Selector> =
            std::sync::LazyLock::new(|| scraper::Selector::parse($text).expect("selector literals are valid"));
        &*SELECTOR
    }};
}
pub(super) use css;

/// Returns the first matching descendant in document order.
pub(super) fn first<'a>(within: ElementRef<'a>, selector: &Selector) -> Option<ElementRef<'a>> {
    within.select(selector).next()
}

/// Returns the text of the first match, as [`line`] does.
pub(super) fn text_of(within: ElementRef<'_>, selector: &Selector) -> Option<String> {
    first(within, selector).and_then(line)
}

/// Returns the absolute URL of the first matching image.
pub(super) fn image_of(within: ElementRef<'_>, selector: &Selector, base: &Url) -> Option<String> {
    let source = first(within, selector)?.value().attr("src").filter(|source| !source.is_empty())?;
    base.join(source).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from)
}

/// Returns the text on one line with whitespace folded (including non-breaking spaces), or `None` if it is blank.
pub(super) fn line(element: ElementRef<'_>) -> Option<String> {
    Some(folded(&element.text().collect::<String>())).filter(|text| !text.is_empty())
}

/// Returns the visible lines of text: `<br>` and block elements break lines, whitespace is folded, empty lines are omitted.
pub(super) fn lines(element: ElementRef<'_>) -> Vec<String> {
    let mut text = String::new();
    collect(element, &mut text, 0);
    text.split('\n').map(folded).filter(|line| !line.is_empty()).collect()
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Maximum nesting depth. Real pages are far below it; parsing time grows with the square of the depth.
const MAX_DEPTH: usize = 500;

/// Returns true if tags are nested deeper than `MAX_DEPTH`. Counts tags without parsing the page.
pub(super) fn is_too_deep(page: &str) -> bool {
    let mut open: usize = 0;
    for tag in page.split('<').skip(1) {
        let name = tag.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        if tag.starts_with('/') {
            open = open.saturating_sub(1);
        } else if !name.is_empty()
            && !matches!(name, "br" | "img" | "meta" | "link" | "input" | "hr" | "source" | "wbr")
        {
            open += 1;
        }
        if open > MAX_DEPTH {
            return true;
        }
    }
    false
}

fn collect(element: ElementRef<'_>, into: &mut String, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    for child in element.children() {
        match child.value() {
            // A line break in the source is whitespace.
            Node::Text(text) => into.extend(text.chars().map(|c| if c == '\n' { ' ' } else { c })),
            Node::Element(tag) => {
                let Some(inner) = ElementRef::wrap(child) else { continue };
                match tag.name() {
                    "br" => into.push('\n'),
                    "script" | "style" | "template" => {}
                    "p" | "div" | "li" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "blockquote" | "tr" => {
                        into.push('\n');
                        collect(inner, into, depth + 1);
                        into.push('\n');
                    }
                    _ => collect(inner, into, depth + 1),
                }
            }
            _ => {}
        }
    }
}

/// Removes a second layer of HTML escaping, which the site sometimes adds to names (`A &amp;amp; B`).
pub(super) fn display_name(name: &str) -> String {
    ["&lt;<", "&gt;>", "&quot;\"", "&#039;'", "&#39;'", "&amp;&"].iter().fold(name.to_owned(), |name, pair| {
        let (escaped, plain) = pair.split_at(pair.len() - 1);
        name.replace(escaped, plain)
    })
}

/// Returns the last segment of a link such as `/orgs/SID`, or `None` if the link has another form.
pub(super) fn link_tail<'a>(element: ElementRef<'a>, folder: &str) -> Option<&'a str> {
    let path = element.value().attr("href")?;
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
    let (before, tail) = path.rsplit_once('/')?;
    (before.rsplit('/').next() == Some(folder) && !tail.is_empty()).then_some(tail)
}

/// Returns true if one of the lines contains `code` as a whole word, ignoring case. Claims look only at texts that the player or the
/// organization's officers write.
pub fn has_code(lines: &[String], code: &str) -> bool {
    lines.iter().any(|line| has_word(line, code))
}

/// An adjacent letter, digit or underscore, or a hyphen followed by one, makes it part of another word.
fn has_word(line: &str, code: &str) -> bool {
    let (line, code) = (line.to_ascii_uppercase(), code.to_ascii_uppercase());
    if code.is_empty() {
        return false;
    }
    line.match_indices(&code).any(|(at, found)| {
        let before = line[..at].chars().rev();
        let after = line[at + found.len()..].chars();
        !continues_word(before) && !continues_word(after)
    })
}

fn continues_word(mut neighbours: impl Iterator<Item = char>) -> bool {
    match neighbours.next() {
        Some('-') => neighbours.next().is_some_and(char::is_alphanumeric),
        Some(next) => next.is_alphanumeric() || next == '_',
        None => false,
    }
}

/// Returns true for challenge pages of bot protection services, which can have any status.
///
/// Players cannot forge one: the markers are titles or markup that the site escapes in user text.
pub(super) fn is_challenge(page: &str) -> bool {
    let head = &page[..page.floor_char_boundary(64 * 1024)];
    if head.contains("profile-content") || head.contains("id=\"organization-page\"") {
        return false;
    }
    let lower = head.to_ascii_lowercase();
    [
        "<title>just a moment",
        "<title>attention required",
        "<title>access denied",
        "<title>request rejected",
        "/cdn-cgi/challenge-platform/",
        "cf-browser-verification",
        "cf-challenge",
        "_incapsula_resource",
        "px-captcha",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
}
