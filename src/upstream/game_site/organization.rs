//! Parsers for the public page and the member lists of an organization.

use reqwest::Url;
use scraper::{ElementRef, Html};
use serde::Deserialize;

use super::SiteError;
use super::markup::{css, display_name, first, image_of, is_too_deep, lines, link_tail, text_of};
use crate::domain::names::{GuildTag, Handle};

/// Members per page of the site's list.
pub(super) const PAGE_SIZE: u32 = 32;

/// Public data of an organization. The page does not name the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationPage {
    pub name: String,
    pub sid: GuildTag,
    pub logo_url: Option<String>,
    /// Count shown by the site, including hidden members.
    pub member_count: Option<u32>,
    /// Lines of headline, history, manifesto and charter, which officers of the organization write.
    pub text_lines: Vec<String>,
}

/// One page of a member list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MembersPage {
    /// Members on all pages, including hidden ones.
    pub total: u32,
    /// Visible members of this page.
    pub members: Vec<Member>,
    /// Number of redacted or hidden members of this page.
    pub unnamed: u32,
}

impl MembersPage {
    /// Returns true if no later page can contain members.
    pub fn is_last(&self, page: u32) -> bool {
        (self.members.is_empty() && self.unnamed == 0) || page.saturating_mul(PAGE_SIZE) >= self.total
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub handle: Handle,
    /// Name of the rank, chosen by the organization.
    pub rank: Option<String>,
    /// True if the main organization of the member is another one.
    pub affiliate: bool,
}

pub(super) fn parse(page: &str, base: &Url) -> Result<OrganizationPage, SiteError> {
    let html = Html::parse_document(page);
    let root = html.root_element();
    if first(root, css!("body#missing")).is_some() {
        return Err(SiteError::NotFound);
    }
    let org = first(root, css!("body#organization-page")).ok_or(SiteError::ChangedMarkup("the organization"))?;
    let title = text_of(org, css!("h1")).ok_or(SiteError::ChangedMarkup("the organization's name"))?;
    // A name can contain slashes; the tag follows the last one.
    let (name, tag) = title.rsplit_once('/').ok_or(SiteError::ChangedMarkup("the organization's tag"))?;
    let sid = GuildTag::parse(tag.trim()).map_err(|_| SiteError::ChangedMarkup("the organization's tag"))?;
    let member_count = text_of(org, css!(".logo .count")).and_then(|text| first_number(&text));
    let texts = [css!(".join-us .markitup-text"), css!("#tab-history"), css!("#tab-manifesto"), css!("#tab-charter")];
    Ok(OrganizationPage {
        name: display_name(name.trim()),
        sid,
        logo_url: image_of(org, css!(".logo img"), base),
        member_count,
        text_lines: texts.iter().filter_map(|text| first(org, text)).flat_map(lines).collect(),
    })
}

/// Returns the first number in a text such as "1,234 members".
fn first_number(text: &str) -> Option<u32> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let number: String = text[from..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || matches!(c, ',' | '.' | '\'' | '\u{a0}'))
        .filter(char::is_ascii_digit)
        .collect();
    number.parse().ok()
}

#[derive(Deserialize)]
struct MembersResponse {
    success: i64,
    #[serde(default)]
    code: String,
    data: Option<MembersData>,
}

#[derive(Deserialize)]
struct MembersData {
    totalrows: serde_json::Value,
    html: Option<String>,
}

pub(super) fn parse_members_response(text: &str) -> Result<MembersPage, SiteError> {
    let changed = SiteError::ChangedMarkup("the member list");
    let Ok(response) = serde_json::from_str::<MembersResponse>(text) else { return Err(changed) };
    if response.success != 1 {
        // Errors have status 200 and a code.
        return Err(match response.code.as_str() {
            "ErrApiThrottled" => SiteError::Blocked { retry_after: None },
            "ErrInvalidOrganization" => SiteError::NotFound,
            _ => changed,
        });
    }
    let Some(data) = response.data else { return Err(changed) };
    // Currently sent as a string; a number is accepted as well.
    let total = data.totalrows.to_string();
    let Ok(total) = total.trim_matches(|c: char| c == '"' || c.is_whitespace()).parse() else { return Err(changed) };
    let (members, unnamed) = parse_member_rows(data.html.as_deref().unwrap_or_default())?;
    Ok(MembersPage { total, members, unnamed })
}

pub(super) fn parse_member_rows(html: &str) -> Result<(Vec<Member>, u32), SiteError> {
    if is_too_deep(html) {
        return Err(SiteError::ChangedMarkup("the member list"));
    }
    let html = Html::parse_fragment(html);
    let (mut members, mut unnamed, mut unreadable) = (Vec::new(), 0, 0);
    for row in html.root_element().select(css!("li.member-item")) {
        let is_visible = row.value().classes().any(|class| class.eq_ignore_ascii_case("org-visibility-V"));
        match is_visible.then(|| member(row)) {
            Some(Some(member)) => members.push(member),
            Some(None) => unreadable += 1,
            None => unnamed += 1,
        }
    }
    // A single invalid handle must not prevent the whole list from being read.
    if unreadable > 0 && members.is_empty() {
        return Err(SiteError::ChangedMarkup("a member"));
    }
    unnamed += unreadable;
    if members.is_empty() && unnamed == 0 && html.root_element().text().any(|text| !text.trim().is_empty()) {
        return Err(SiteError::ChangedMarkup("the member list"));
    }
    Ok((members, unnamed))
}

fn member(row: ElementRef<'_>) -> Option<Member> {
    let nick = text_of(row, css!("span.nick"));
    let linked = first(row, css!("a.membercard")).and_then(|link| link_tail(link, "citizens"));
    let handle = Handle::parse(nick.as_deref().or(linked)?).ok()?;
    let title = text_of(row, css!(".roles .title")).unwrap_or_default();
    Some(Member { handle, rank: text_of(row, css!("span.rank")), affiliate: title.eq_ignore_ascii_case("affiliate") })
}
