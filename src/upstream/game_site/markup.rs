//! Small readings of markup: text with line breaks, blanks that only look like text, addresses made whole.

use reqwest::Url;
use scraper::{ElementRef, Node, Selector};

/// A selector written in the source, parsed once; a typing error in it fails every test that reads a page.
macro_rules! css {
    ($text:literal) => {{
        static SELECTOR: std::sync::LazyLock<scraper::Selector> =
            std::sync::LazyLock::new(|| scraper::Selector::parse($text).expect("a selector in the source is valid"));
        &*SELECTOR
    }};
}
pub(super) use css;

/// The first element below, in the order of the page.
pub(super) fn first<'a>(within: ElementRef<'a>, selector: &Selector) -> Option<ElementRef<'a>> {
    within.select(selector).next()
}

/// The text in one line, white space (also non-breaking) folded; `None` when nothing but blanks is there.
pub(super) fn line(element: ElementRef<'_>) -> Option<String> {
    let text: String = element.text().collect();
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!folded.is_empty()).then_some(folded)
}

/// The text as a reader sees it: `<br>` and blocks break lines, white space is folded, empty lines are left out.
pub(super) fn lines(element: ElementRef<'_>) -> Vec<String> {
    let mut text = String::new();
    collect(element, &mut text, 0);
    text.split('\n')
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|line| !line.is_empty())
        .collect()
}

/// Deeper nesting than any page of the site has; parsing takes time by the square of the depth.
const MAX_DEPTH: usize = 500;

/// True when more elements are open at once than any real page has. A cheap count of tags, before anything is parsed.
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
            // A line break in the source is white space; only markup breaks lines.
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

/// Names come escaped once too often from the site now and then (`A &amp;amp; B`); this takes the second layer off.
pub(super) fn display_name(name: &str) -> String {
    ["&lt;<", "&gt;>", "&quot;\"", "&#039;'", "&#39;'", "&amp;&"].iter().fold(name.to_owned(), |name, pair| {
        let (escaped, plain) = pair.split_at(pair.len() - 1);
        name.replace(escaped, plain)
    })
}

/// An address from a page made absolute; anything but http and https is left out.
pub(super) fn absolute(base: &Url, address: &str) -> Option<String> {
    if address.is_empty() {
        return None;
    }
    base.join(address).ok().filter(|url| matches!(url.scheme(), "http" | "https")).map(String::from)
}

/// The last part of a link such as `/orgs/SID`, when the link has that form.
pub(super) fn link_tail<'a>(element: ElementRef<'a>, folder: &str) -> Option<&'a str> {
    let path = element.value().attr("href")?;
    let path = path.split(['?', '#']).next().unwrap_or(path).trim_end_matches('/');
    let (before, tail) = path.rsplit_once('/')?;
    (before.rsplit('/').next() == Some(folder) && !tail.is_empty()).then_some(tail)
}

/// True when `code` stands in `line` as a word of its own, without regard to case.
///
/// A letter or digit beside it makes it part of another word, and so does a hyphen that leads on to one.
pub(super) fn has_word(line: &str, code: &str) -> bool {
    let (line, code) = (line.to_ascii_uppercase(), code.to_ascii_uppercase());
    if code.is_empty() {
        return false;
    }
    line.match_indices(&code).any(|(at, found)| {
        let before = line[..at].chars().rev();
        let after = line[at + found.len()..].chars();
        !joins(before) && !joins(after)
    })
}

fn joins(mut neighbours: impl Iterator<Item = char>) -> bool {
    match neighbours.next() {
        Some('-') => neighbours.next().is_some_and(char::is_alphanumeric),
        Some(next) => next.is_alphanumeric() || next == '_',
        None => false,
    }
}

/// True for the pages that stand in front of the site instead of it.
///
/// They are sent with any status. Players cannot make a real page look like one: what marks them is a title, or markup
/// that the site escapes in user text.
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
