//! Metadata of pages: title, description and share image of every public URL, and whether it exists.

use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::app::{App, Sitemap};
use crate::cards;
use crate::config::Settings;
use crate::domain::names::player_path;
use crate::domain::times::HOUR_SECS;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::main_pages::MAIN_PAGES;
use crate::features::{activity, guilds, leaderboard, players};
use crate::store::conn::AnyConn;
use crate::store::leaderboard as stored;
use crate::views::cards::Embed;
use crate::views::players::{PlayerPage, PlayerView};

/// Metadata of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMeta {
    pub title: String,
    pub description: String,
    /// Canonical URL, root-relative.
    pub path: String,
    /// Root-relative URL of a picture of 1200x630.
    pub image: String,
    /// Whether the page has a share card and can be embedded elsewhere.
    pub has_card: bool,
    /// Whether search engines may list the page.
    pub is_listed: bool,
    /// What the page shows first, so that it is in the HTML.
    pub first: FirstPaint,
    /// See [`leaderboard::why_career`].
    pub why_career: Option<String>,
    /// Whether this is a player whose career comes first.
    pub opens_on_career: bool,
}

/// The part of a page that its HTML contains, and that is visible before its script has run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstPaint {
    Nothing,
    Heading(&'static str),
    /// Root-relative URL of the banner of a profile.
    Banner(String),
}

impl PageMeta {
    fn plain(title: String, description: String, path: String) -> Self {
        Self {
            title,
            description,
            path,
            image: DEFAULT_IMAGE.into(),
            has_card: false,
            is_listed: true,
            first: FirstPaint::Nothing,
            why_career: None,
            opens_on_career: false,
        }
    }

    fn with_card(self, image: String) -> Self {
        Self { image, has_card: true, ..self }
    }

    fn unlisted(self) -> Self {
        Self { is_listed: false, ..self }
    }
}

/// Share image of pages without a card.
const DEFAULT_IMAGE: &str = "/static/images/card-background.png";
/// Pages about the signed-in user, which are not listed.
const PRIVATE_PATHS: [&str; 5] = ["/profile", "/profile/data", "/admin", "/image-editor-test", "/link"];

/// Path, title and description of the other static pages.
const OTHER_PAGES: [(&str, &str, &str); 8] = [
    ("/connect", "Connect a log reader", "Confirm the code that your log reader shows"),
    ("/link", "Link your account", "Link your account to access your stats and exclusive features"),
    ("/player/claim", "Claim your profile", "Verify ownership of your profile to access exclusive features"),
    ("/profile", "My profile", "Your own profile"),
    ("/profile/data", "My data", "Download or delete your data"),
    ("/admin", "Admin", "The state of this site"),
    ("/image-editor-test", "Image editor", "Test page of the image editor"),
    ("/changelog", "Updates & Changes", "Changes to the source code of this site"),
];

/// Returns the HTTP status and metadata of a path; 404 if the page does not exist.
pub async fn page_meta(app: &App, path: &str) -> Result<(u16, PageMeta), AppError> {
    let (status, meta) = meta_of(app, path).await?;
    // Pages load although the database does not respond: each tells what it could not read.
    let why_career = leaderboard::why_career(app).await.unwrap_or_default();
    Ok((status, PageMeta { why_career, ..meta }))
}

async fn meta_of(app: &App, path: &str) -> Result<(u16, PageMeta), AppError> {
    let site = &app.settings.site.name;
    if path == "/" || path.is_empty() {
        let description =
            format!("Statistics, rankings and profiles of the players and guilds of {}", app.settings.site.game);
        return Ok((200, PageMeta::plain(site.clone(), description, "/".into())));
    }
    if let Some((path, title, description)) =
        MAIN_PAGES.iter().chain(&OTHER_PAGES).find(|(fixed, ..)| *fixed == path.trim_end_matches('/'))
    {
        let meta = PageMeta::plain(format!("{title} - {site}"), (*description).into(), (*path).into());
        let is_board = ["/players", "/guilds"].contains(path);
        let meta = if is_board { PageMeta { first: FirstPaint::Heading(title), ..meta } } else { meta };
        return Ok((200, if PRIVATE_PATHS.contains(path) { meta.unlisted() } else { meta }));
    }
    let mut parts = path.trim_matches('/').split('/');
    let found = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("player"), Some(handle), _, None) => player(app, handle).await,
        // The canonical page is the player's.
        (Some("overlay"), Some("player"), Some(handle), None) => {
            // An overlay in a video stream shows nothing of a page.
            player(app, handle).await.map(|meta| PageMeta { first: FirstPaint::Nothing, ..meta })
        }
        (Some("guild"), Some(tag), _, None) => guild(app, tag).await,
        (Some("event"), Some(id), None, _) => event(app, id).await,
        (Some("auth"), None, ..) => {
            Ok(PageMeta::plain("Link your account".into(), String::new(), "/link".into()).unlisted())
        }
        _ => Err(AppError::NotFound(String::new())),
    };
    match found {
        Ok(meta) => Ok((200, PageMeta { title: format!("{} - {site}", meta.title), ..meta })),
        Err(AppError::NotFound(_)) => {
            let description = "This page does not exist.".to_owned();
            Ok((404, PageMeta::plain(format!("Not found - {site}"), description, path.to_owned()).unlisted()))
        }
        Err(error) => Err(error),
    }
}

async fn player(app: &App, handle: &str) -> Result<PageMeta, AppError> {
    match players::profile(app, &Viewer::Guest, handle).await? {
        PlayerPage::Full(player) => {
            let (description, opens_on_career) = (player_description(&player), player.opens_on_career);
            let (path, image) = (player_path(&player.handle), format!("/og/player/{}.png", player.handle));
            let banner = player_banner(player.banner_image, &player.handle);
            let meta = PageMeta::plain(player.handle, description, path).with_card(image);
            Ok(PageMeta { first: FirstPaint::Banner(banner), opens_on_career, ..meta })
        }
        PlayerPage::Hidden(player) => {
            let path = player_path(&player.handle);
            let description = "This profile has been hidden from public view by owner.".into();
            Ok(PageMeta::plain("Profile hidden".into(), description, path).unlisted())
        }
    }
}

/// The figures of the career where the profile opens on it, else those of fights.
fn player_description(player: &PlayerView) -> String {
    let ranked = |rank: Option<i64>, by: &str| rank.map_or(String::new(), |rank| format!("#{rank} {by}. "));
    if player.opens_on_career {
        let (rank, hours) = (ranked(player.rank_career, "in career"), player.universe_time / HOUR_SECS);
        let (contracts, ships) = (player.missions_completed, player.ships_flown);
        return format!("{rank}{contracts} contracts completed, {hours} hours in the universe, {ships} ships flown.");
    }
    let rank = ranked(player.rank_overall, "overall");
    let (players, npcs, vehicles) = (player.pu_player_kills, player.pve_kills, player.vehicle_destructions);
    format!("{rank}{players} player kills, {npcs} NPC kills, {vehicles} vehicles destroyed.")
}

/// The banner of a player: its own, or always the same one for the same name, as in `frontend/src/lib/images.ts`.
fn player_banner(own: Option<String>, name: &str) -> String {
    const COUNT: u32 = 7;
    let own = own.filter(|path| path.starts_with('/') && !path.starts_with("//"));
    let mix = |hash: u32, c: char| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193);
    own.unwrap_or_else(|| {
        let hash = name.chars().flat_map(char::to_lowercase).fold(0x811c_9dc5, mix);
        format!("/static/images/banner-player-{}.webp", hash % COUNT + 1)
    })
}

async fn guild(app: &App, tag: &str) -> Result<PageMeta, AppError> {
    let guild = guilds::profile(app, tag).await?;
    let (rank, by) =
        if guild.opens_on_career { (guild.rank_career, "in career") } else { (guild.rank_overall, "overall") };
    let rank = rank.map_or(String::new(), |rank| format!("#{rank} {by}. "));
    let description = format!("{rank}{} members, {} active.", guild.member_count, guild.active_member_count);
    let (path, image) = (format!("/guild/{}", guild.short), format!("/og/guild/{}.png", guild.short));
    Ok(PageMeta::plain(format!("{} [{}]", guild.name, guild.short), description, path).with_card(image))
}

/// Events are not listed: there are millions of them.
async fn event(app: &App, id: &str) -> Result<PageMeta, AppError> {
    let id = id.parse().map_err(|_| AppError::NotFound(String::new()))?;
    activity::event(&app.store, id).await?;
    let description = "An event with its facts, and whose logs reported it".into();
    Ok(PageMeta::plain(format!("Event {id}"), description, format!("/event/{id}")).unlisted())
}

/// The oEmbed response for a URL of this site. `size` is the maximum size of its image.
pub async fn embed(app: &App, url: &str, size: (i64, i64)) -> Result<Embed, AppError> {
    let missing = || AppError::NotFound("No player or guild at this URL.".into());
    let path = url.strip_prefix(app.public_url.as_str()).filter(|path| path.starts_with('/')).ok_or_else(missing)?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let (_, meta) = page_meta(app, path).await?;
    if !meta.has_card {
        return Err(missing());
    }
    let (width, height) = (i64::from(cards::WIDTH), i64::from(cards::HEIGHT));
    let fits = width <= size.0 && height <= size.1;
    Ok(Embed {
        version: "1.0",
        r#type: "link",
        title: meta.title,
        provider_name: app.settings.site.name.clone(),
        provider_url: app.public_url.clone(),
        cache_age: 60,
        thumbnail_url: fits.then(|| format!("{}{}", app.public_url, meta.image)),
        thumbnail_width: fits.then_some(width),
        thumbnail_height: fits.then_some(height),
    })
}

/// A built-in Markdown text with its placeholders filled. While no contact is set, paragraphs with the contact are left out.
pub fn built_in_text(settings: &Settings, text: &str) -> String {
    if settings.site.support_contact.is_empty() {
        return fill_placeholders(settings, &without_paragraphs_naming(text, "{{contact}}"));
    }
    fill_placeholders(settings, text)
}

/// Replaces `{{site_name}}`, `{{contact}}`, `{{effective_date}}` and the retention periods in a Markdown text by the settings.
/// Other text in braces is unchanged.
pub fn fill_placeholders(settings: &Settings, text: &str) -> String {
    let site = &settings.site;
    text.replace("{{site_name}}", &site.name)
        .replace("{{contact}}", &site.support_contact)
        .replace("{{effective_date}}", &site.effective_date)
        .replace("{{visits_days}}", &days(settings.retention.visits_days))
        .replace("{{unused_uploads_days}}", &days(settings.retention.unused_uploads_days))
}

/// Removes the paragraphs that contain `value`, and headings without text below them.
fn without_paragraphs_naming(text: &str, value: &str) -> String {
    /// Level of a heading; 0 for a paragraph.
    fn level(block: &str) -> usize {
        let is_heading = block.trim().lines().count() == 1;
        if is_heading { block.bytes().take_while(|byte| *byte == b'#').count() } else { 0 }
    }
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.contains(value)).collect();
    let has_text = |at: usize, level_here: usize| {
        let next = blocks.get(at + 1).map(|next| level(next));
        next.is_some_and(|next| next == 0 || next > level_here)
    };
    let remaining = blocks.iter().enumerate().filter(|(at, block)| level(block) == 0 || has_text(*at, level(block)));
    remaining.map(|(_, block)| *block).collect::<Vec<_>>().join("\n\n")
}

fn days(count: i64) -> String {
    if count == 1 { "a day".into() } else { format!("{count} days") }
}

/// Entries of the sitemap: the best players and guilds. A sitemap may contain 50,000 URLs.
const SITEMAP_MAX_PLAYERS: i64 = 20_000;
const SITEMAP_MAX_GUILDS: i64 = 5_000;

/// The sitemap is cached, since it reads thousands of rows.
const SITEMAP_TTL: Duration = Duration::from_secs(3_600);

/// The sitemap in XML. It is built by one caller while others wait, and cached for an hour or until a player's visibility changes.
pub async fn sitemap(app: &App) -> Result<Bytes, AppError> {
    let mut known = app.sitemap.lock().await;
    let generation = app.projections.visibility_generation();
    if let Some(known) = known
        .as_ref()
        .filter(|known| known.visibility_generation == generation && known.created_at.elapsed() < SITEMAP_TTL)
    {
        return Ok(known.xml.clone());
    }
    let origin = &app.public_url;
    // Handles, tags and paths contain no characters that XML requires to be escaped.
    let entries: String =
        sitemap_paths(app).await?.iter().map(|path| format!("<url><loc>{origin}{path}</loc></url>\n")).collect();
    let xml = Bytes::from(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
    ));
    *known = Some(Sitemap { xml: xml.clone(), visibility_generation: generation, created_at: Instant::now() });
    Ok(xml)
}

/// Root-relative URLs for search engines.
async fn sitemap_paths(app: &App) -> Result<Vec<String>, AppError> {
    let metric = leaderboard::opening_metric(app).await?;
    let read = move |conn: &mut AnyConn| {
        let players = stored::top_handles(conn, metric, SITEMAP_MAX_PLAYERS)?;
        Ok((players, crate::store::guilds::top(conn, metric, SITEMAP_MAX_GUILDS)?))
    };
    let (players, guilds) = app.store.read(read).await?;
    let mut paths = vec!["/".to_owned()];
    paths.extend(MAIN_PAGES.map(|(path, ..)| path.to_owned()));
    paths.extend(players.into_iter().map(|handle| player_path(&handle)));
    paths.extend(guilds.into_iter().map(|(.., tag)| format!("/guild/{tag}")));
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::{Settings, built_in_text, fill_placeholders, without_paragraphs_naming};

    #[test]
    fn only_built_in_texts_depend_on_a_contact() {
        let mut settings = Settings::default();
        settings.site.name = "Example".into();
        let text = "# {{site_name}}\n\n## Empty\n\nWrite to {{contact}}\n";
        assert_eq!(fill_placeholders(&settings, text), "# Example\n\n## Empty\n\nWrite to \n");
        assert_eq!(fill_placeholders(&settings, "# One heading\n"), "# One heading\n");
        assert_eq!(built_in_text(&settings, text), "# Example");
        settings.site.support_contact = "mail@example.org".into();
        assert_eq!(built_in_text(&settings, text), "# Example\n\n## Empty\n\nWrite to mail@example.org\n");
    }

    #[test]
    fn paragraphs_with_an_unset_value_and_empty_headings_are_removed() {
        let text = "# About\n\nWhat it is.\n\n## Contact\n\nWrite to {{contact}}\n\n## More\n\nText.\n\n## Help\n\n{{contact}}\n";
        assert_eq!(without_paragraphs_naming(text, "{{contact}}"), "# About\n\nWhat it is.\n\n## More\n\nText.");
        assert_eq!(without_paragraphs_naming("# A\n\n## B\n\nText.", "{{contact}}"), "# A\n\n## B\n\nText.");
    }
}
