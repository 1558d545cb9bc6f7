//! The page of an organization, and its member lists.

use reqwest::Url;
use scraper::{ElementRef, Html};
use serde::Deserialize;

use super::SiteError;
use super::markup::{absolute, css, display_name, first, has_word, is_too_deep, line, lines, link_tail};
use crate::domain::names::{GuildTag, Handle};

/// Members on one page of the site's own list.
pub(super) const PAGE_SIZE: u32 = 32;

/// What an organization's page says. Who owns it is not on this page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationPage {
    pub name: String,
    pub sid: GuildTag,
    pub logo_url: Option<String>,
    pub banner_url: Option<String>,
    /// As the site counts, hidden members included.
    pub member_count: Option<u32>,
    pub texts: OrganizationTexts,
}

/// The texts that the organization's officers write, by lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrganizationTexts {
    pub headline: Vec<String>,
    pub history: Vec<String>,
    pub manifesto: Vec<String>,
    pub charter: Vec<String>,
}

/// One page of members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MembersPage {
    /// Of the whole list, hidden members included.
    pub total: u32,
    /// Those of this page who can be named.
    pub members: Vec<Member>,
    /// How many of this page are redacted or hidden.
    pub unnamed: u32,
}

impl MembersPage {
    /// True when there is no page after this one that could hold anybody.
    pub fn is_last(&self, page: u32) -> bool {
        (self.members.is_empty() && self.unnamed == 0) || page.saturating_mul(PAGE_SIZE) >= self.total
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub handle: Handle,
    pub moniker: String,
    /// The organization's own word.
    pub rank: Option<String>,
    /// 0 to 5.
    pub stars: u8,
    /// An affiliate's main organization is another one.
    pub affiliate: bool,
    /// Such as "Owner" or "Officer".
    pub roles: Vec<String>,
    pub avatar_url: Option<String>,
}

/// True when `code` stands as a word in one of the organization's texts; its name and tag do not count.
pub fn organization_has_code(page: &OrganizationPage, code: &str) -> bool {
    let texts = &page.texts;
    [&texts.headline, &texts.history, &texts.manifesto, &texts.charter]
        .into_iter()
        .flatten()
        .any(|line| has_word(line, code))
}

pub(super) fn read(page: &str, base: &Url) -> Result<OrganizationPage, SiteError> {
    let html = Html::parse_document(page);
    let root = html.root_element();
    if first(root, css!("body#missing")).is_some() {
        return Err(SiteError::NotFound);
    }
    let org = first(root, css!("body#organization-page")).ok_or(SiteError::ChangedMarkup("the organization"))?;
    let title = first(org, css!("h1")).and_then(line).ok_or(SiteError::ChangedMarkup("the organization's name"))?;
    // Names may hold slashes themselves; the tag is what follows the last one.
    let (name, tag) = title.rsplit_once('/').ok_or(SiteError::ChangedMarkup("the organization's tag"))?;
    let sid = GuildTag::parse(tag.trim()).map_err(|_| SiteError::ChangedMarkup("the organization's tag"))?;
    let picture = |found: Option<ElementRef<'_>>| {
        found.and_then(|img| img.value().attr("src")).and_then(|src| absolute(base, src))
    };
    let member_count = first(org, css!(".logo .count")).and_then(line).and_then(|text| digits(&text));
    let text = |found: Option<ElementRef<'_>>| found.map(lines).unwrap_or_default();
    Ok(OrganizationPage {
        name: display_name(name.trim()),
        sid,
        logo_url: picture(first(org, css!(".logo img"))),
        banner_url: picture(first(org, css!(".banner img"))),
        member_count,
        texts: OrganizationTexts {
            headline: text(first(org, css!(".join-us .markitup-text"))),
            history: text(first(org, css!("#tab-history"))),
            manifesto: text(first(org, css!("#tab-manifesto"))),
            charter: text(first(org, css!("#tab-charter"))),
        },
    })
}

/// The first number in a text such as "1,234 members".
fn digits(text: &str) -> Option<u32> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let number: String = text[from..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '\u{a0}'))
        .filter(char::is_ascii_digit)
        .collect();
    number.parse().ok()
}

#[derive(Deserialize)]
struct MembersAnswer {
    success: i64,
    #[serde(default)]
    code: String,
    data: Option<MembersData>,
}

#[derive(Deserialize)]
struct MembersData {
    totalrows: Total,
    #[serde(default)]
    html: Option<String>,
}

/// Sent as a text today; a number would be no surprise.
#[derive(Deserialize)]
#[serde(untagged)]
enum Total {
    Number(u32),
    Text(String),
}

pub(super) fn read_members_answer(text: &str, base: &Url) -> Result<MembersPage, SiteError> {
    let odd = SiteError::ChangedMarkup("the member list");
    let Ok(answer) = serde_json::from_str::<MembersAnswer>(text) else { return Err(odd) };
    if answer.success != 1 {
        // Errors come with HTTP 200 and a word.
        return Err(match answer.code.as_str() {
            "ErrApiThrottled" => SiteError::Blocked { retry_after: None },
            "ErrInvalidOrganization" => SiteError::NotFound,
            _ => odd,
        });
    }
    let Some(data) = answer.data else { return Err(odd) };
    let total = match data.totalrows {
        Total::Number(total) => Some(total),
        Total::Text(text) => text.trim().parse().ok(),
    };
    let Some(total) = total else { return Err(odd) };
    let (members, unnamed) = read_member_rows(data.html.as_deref().unwrap_or_default(), base)?;
    Ok(MembersPage { total, members, unnamed })
}

pub(super) fn read_member_rows(html: &str, base: &Url) -> Result<(Vec<Member>, u32), SiteError> {
    if is_too_deep(html) {
        return Err(SiteError::ChangedMarkup("the member list"));
    }
    let html = Html::parse_fragment(html);
    let (mut members, mut unnamed) = (Vec::new(), 0);
    let mut unreadable = 0;
    for row in html.root_element().select(css!("li.member-item")) {
        let shown = row.value().classes().any(|class| class.eq_ignore_ascii_case("org-visibility-V"));
        match shown.then(|| member(row, base)) {
            Some(Some(member)) => members.push(member),
            Some(None) => unreadable += 1,
            None => unnamed += 1,
        }
    }
    // One handle of a kind that is not known here must not keep a whole list from being read.
    if unreadable > 0 && members.is_empty() {
        return Err(SiteError::ChangedMarkup("a member"));
    }
    unnamed += unreadable;
    if members.is_empty() && unnamed == 0 && html.root_element().text().any(|text| !text.trim().is_empty()) {
        return Err(SiteError::ChangedMarkup("the member list"));
    }
    Ok((members, unnamed))
}

fn member(row: ElementRef<'_>, base: &Url) -> Option<Member> {
    let nick = first(row, css!("span.nick")).and_then(line);
    let linked = first(row, css!("a.membercard")).and_then(|link| link_tail(link, "citizens"));
    let handle = Handle::parse(nick.as_deref().or(linked)?).ok()?;
    let title = first(row, css!(".roles .title")).and_then(line).unwrap_or_default();
    let stars = first(row, css!(".ranking-stars .stars"))
        .and_then(|stars| stars.value().attr("style"))
        .and_then(digits)
        .map_or(0, |percent| (percent.min(100) / 20) as u8);
    Some(Member {
        moniker: first(row, css!("span.name")).and_then(line).unwrap_or_else(|| handle.to_string()),
        handle,
        rank: first(row, css!("span.rank")).and_then(line),
        stars,
        affiliate: title.eq_ignore_ascii_case("affiliate"),
        roles: row.select(css!(".roles .role")).filter_map(line).collect(),
        avatar_url: first(row, css!(".thumb img")).and_then(|i| i.value().attr("src")).and_then(|s| absolute(base, s)),
    })
}
