//! The page of one player.

use reqwest::Url;
use scraper::{ElementRef, Html};

use super::SiteError;
use super::markup::{absolute, css, display_name, first, has_word, line, lines, link_tail};
use crate::domain::names::{GuildTag, Handle};

/// What a player's page says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citizen {
    /// In the site's spelling.
    pub handle: Handle,
    /// The name the player chose to show; any text.
    pub moniker: String,
    /// The only id that survives a change of handle; a third of the pages have none.
    pub citizen_record: Option<u64>,
    /// Absolute; the site's default picture is left as it is.
    pub avatar_url: Option<String>,
    pub main_org: Organization,
    /// The text about themselves, by lines; empty when there is none.
    pub bio_lines: Vec<String>,
}

/// The main organization as the player shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Organization {
    Shown(OrganizationShown),
    /// There is one, and it is nobody's business which.
    Redacted,
    None,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationShown {
    pub name: String,
    pub sid: GuildTag,
    /// The organization's own word for the rank, in any language.
    pub rank: Option<String>,
    /// 0 to 5.
    pub stars: u8,
    pub logo_url: Option<String>,
}

/// True when `code` stands in the bio as a word, without regard to case. No other text of the page counts: name,
/// organization, rank and website are also written by people, though not always by this one.
pub fn bio_has_code(citizen: &Citizen, code: &str) -> bool {
    citizen.bio_lines.iter().any(|line| has_word(line, code))
}

pub fn read(page: &str, base: &Url) -> Result<Citizen, SiteError> {
    let html = Html::parse_document(page);
    let root = html.root_element();
    let content = match first(root, css!("#public-profile .profile-content")) {
        Some(content) => content,
        None if first(root, css!("body#missing")).is_some() => return Err(SiteError::NotFound),
        None => return Err(SiteError::ChangedMarkup("the profile")),
    };
    let info = first(content, css!(".profile .info")).ok_or(SiteError::ChangedMarkup("the profile's head"))?;
    let handle = handle(info).ok_or(SiteError::ChangedMarkup("the handle"))?;
    let moniker = first(info, css!("p.entry > strong.value")).and_then(line).unwrap_or_else(|| handle.to_string());
    let citizen_record = first(content, css!("p.entry.citizen-record strong.value"))
        .and_then(line)
        .and_then(|text| text.trim_start_matches('#').parse().ok());
    let avatar_url = first(content, css!(".profile .thumb img"))
        .and_then(|img| img.value().attr("src"))
        .and_then(|src| absolute(base, src));
    let bio_lines = first(content, css!("div.entry.bio > div.value")).map(lines).unwrap_or_default();
    Ok(Citizen { handle, moniker, citizen_record, avatar_url, main_org: main_org(content, base)?, bio_lines })
}

/// The entry with a label is the handle: the moniker before it has none, the badge after it has a picture.
fn handle(info: ElementRef<'_>) -> Option<Handle> {
    let labelled = |entry: &ElementRef<'_>| first(*entry, css!("span.label")).is_some();
    let by_label = |entry: &ElementRef<'_>| {
        first(*entry, css!("span.label")).and_then(line).is_some_and(|label| label.eq_ignore_ascii_case("handle name"))
    };
    let entry = info.select(css!("p.entry")).find(by_label).or_else(|| info.select(css!("p.entry")).find(labelled))?;
    Handle::parse(&line(first(entry, css!("strong.value"))?)?).ok()
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
        let none_said = first(org, css!("div.empty")).is_some() || has_class("visibility-");
        return if none_said { Ok(Organization::None) } else { Err(SiteError::ChangedMarkup("the main organization")) };
    };
    let odd = || SiteError::ChangedMarkup("the main organization's tag");
    // Blanks without a link are how a redacted one looks should its class be renamed.
    let (Some(name), Some(tag)) = (line(link), link_tail(link, "orgs")) else {
        return if line(link).is_none() { Ok(Organization::Redacted) } else { Err(odd()) };
    };
    let sid = GuildTag::parse(tag).map_err(|_| odd())?;
    let stars = org.select(css!(".ranking span.active")).count().min(5) as u8;
    let logo_url =
        first(org, css!(".thumb img")).and_then(|img| img.value().attr("src")).and_then(|src| absolute(base, src));
    Ok(Organization::Shown(OrganizationShown {
        name: display_name(&name),
        rank: rank(org, &sid),
        sid,
        stars,
        logo_url,
    }))
}

/// The labelled value that is not the tag: labels may be in another language, the tag is known from the link.
fn rank(org: ElementRef<'_>, sid: &GuildTag) -> Option<String> {
    let mut values = org.select(css!(".info p.entry strong.value")).filter_map(line);
    let first_value = values.next()?;
    match values.next() {
        Some(second) => Some(second),
        None => (!first_value.eq_ignore_ascii_case(sid.as_str())).then_some(first_value),
    }
}
