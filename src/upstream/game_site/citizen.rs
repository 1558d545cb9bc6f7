//! Parser for the public page of a player.

use reqwest::Url;
use scraper::{ElementRef, Html};

use super::SiteError;
use super::markup::{css, display_name, first, image_of, line, lines, link_tail, text_of};
use crate::domain::names::{GuildTag, Handle};

/// Public data of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citizen {
    /// In the capitalization of the site.
    pub handle: Handle,
    /// Display name; any text.
    pub moniker: String,
    /// The only id that survives a change of handle. A third of the pages have none.
    pub citizen_record: Option<u64>,
    /// Absolute URL. May be the default avatar of the site.
    pub avatar_url: Option<String>,
    pub main_org: Organization,
    /// Lines of the bio; empty if there is none.
    pub bio_lines: Vec<String>,
}

/// Main organization of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Organization {
    Shown(OrganizationShown),
    /// The player hides which organization it is.
    Redacted,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationShown {
    pub name: String,
    pub sid: GuildTag,
    /// Name of the rank, chosen by the organization, in any language.
    pub rank: Option<String>,
    pub logo_url: Option<String>,
}

pub fn parse(page: &str, base: &Url) -> Result<Citizen, SiteError> {
    let html = Html::parse_document(page);
    let root = html.root_element();
    let content = match first(root, css!("#public-profile .profile-content")) {
        Some(content) => content,
        None if first(root, css!("body#missing")).is_some() => return Err(SiteError::NotFound),
        None => return Err(SiteError::ChangedMarkup("the profile")),
    };
    let info = first(content, css!(".profile .info")).ok_or(SiteError::ChangedMarkup("the profile's head"))?;
    let handle = handle(info).ok_or(SiteError::ChangedMarkup("the handle"))?;
    let moniker = text_of(info, css!("p.entry > strong.value")).unwrap_or_else(|| handle.to_string());
    let citizen_record = text_of(content, css!("p.entry.citizen-record strong.value"))
        .and_then(|text| text.trim_start_matches('#').parse().ok());
    let avatar_url = image_of(content, css!(".profile .thumb img"), base);
    let bio_lines = first(content, css!("div.entry.bio > div.value")).map(lines).unwrap_or_default();
    Ok(Citizen { handle, moniker, citizen_record, avatar_url, main_org: main_org(content, base)?, bio_lines })
}

/// Finds the entry with a label. The moniker before it has no label, and the badge after it has an image.
fn handle(info: ElementRef<'_>) -> Option<Handle> {
    let has_label = |entry: &ElementRef<'_>| first(*entry, css!("span.label")).is_some();
    let is_handle_name = |entry: &ElementRef<'_>| {
        text_of(*entry, css!("span.label")).is_some_and(|label| label.eq_ignore_ascii_case("handle name"))
    };
    let entries = || info.select(css!("p.entry"));
    let entry = entries().find(is_handle_name).or_else(|| entries().find(has_label))?;
    Handle::parse(&text_of(entry, css!("strong.value"))?).ok()
}

fn main_org(content: ElementRef<'_>, base: &Url) -> Result<Organization, SiteError> {
    let Some(org) = first(content, css!("div.main-org")) else {
        return Err(SiteError::ChangedMarkup("the main organization"));
    };
    let has_class = |wanted: &str| org.value().classes().any(|class| class.eq_ignore_ascii_case(wanted));
    if has_class("visibility-R") || has_class("visibility-H") {
        return Ok(Organization::Redacted);
    }
    let Some(link) = first(org, css!(".info a.value")) else {
        let is_empty = first(org, css!("div.empty")).is_some() || has_class("visibility-");
        return if is_empty { Ok(Organization::None) } else { Err(SiteError::ChangedMarkup("the main organization")) };
    };
    let changed = || SiteError::ChangedMarkup("the main organization's tag");
    // A redacted organization has neither name nor link, even if its class is renamed.
    let (Some(name), Some(tag)) = (line(link), link_tail(link, "orgs")) else {
        return if line(link).is_none() { Ok(Organization::Redacted) } else { Err(changed()) };
    };
    let sid = GuildTag::parse(tag).map_err(|_| changed())?;
    let logo_url = image_of(org, css!(".thumb img"), base);
    Ok(Organization::Shown(OrganizationShown { name: display_name(&name), rank: rank(org, &sid), sid, logo_url }))
}

/// Returns the value that is not the tag. Labels may be in any language; the tag is known from the link.
fn rank(org: ElementRef<'_>, sid: &GuildTag) -> Option<String> {
    let mut values = org.select(css!(".info p.entry strong.value")).filter_map(line);
    let first_value = values.next()?;
    match values.next() {
        Some(second) => Some(second),
        None => (!first_value.eq_ignore_ascii_case(sid.as_str())).then_some(first_value),
    }
}
