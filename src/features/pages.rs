//! What others see of a link: title and description of every public address, and whether it exists.

use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::{guilds, players};
use crate::store::leaderboard;
use crate::views::players::PlayerPage;

/// Title, description, canonical path and picture of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    pub title: String,
    pub description: String,
    pub path: String,
    pub image: Option<String>,
}

/// Addresses with a fixed title; the description is about the page.
const FIXED: [(&str, &str, &str); 19] = [
    ("/players", "Player rating", "Top performing players ranked by various statistics"),
    ("/guilds", "Guild Rating", "Top performing guilds ranked by various statistics"),
    ("/activity", "Live activity", "Kills, losses and missions of everybody, as they happen"),
    ("/updates", "Updates & Changes", "What changed in the source code of this site"),
    ("/about", "About", "What this site is and how it works"),
    ("/guides", "Guides", "How to start, and how to set up the statsfeed in Discord"),
    ("/privacy", "Privacy Policy", "What this site stores and for how long"),
    ("/terms", "Terms of Service", "The rules of this site"),
    ("/api", "API Documentation", "Every route of the public API, with examples"),
    ("/discord-bot", "Discord bot", "Statistics of players and guilds inside of Discord"),
    ("/connect-app", "Connect App", "The log reader that brings your own statistics here"),
    ("/connect", "Connect a log reader", "Confirm the code that your log reader shows"),
    ("/link", "Link your account", "Link your account to access your stats and exclusive features"),
    ("/player/claim", "Claim your profile", "Verify ownership of your profile to access exclusive features"),
    ("/profile", "My profile", "Your own profile"),
    ("/profile/data", "My data", "What this site keeps of you, to take along or to delete"),
    ("/admin", "Admin", "The state of this site"),
    ("/image-editor-test", "Image editor", "A place to try the image editor"),
    ("/changelog", "Updates & Changes", "What changed in the source code of this site"),
];

/// What an address shows, and its HTTP status: 404 for what does not exist.
pub async fn shown(app: &App, path: &str) -> Result<(u16, Shown), AppError> {
    let site = &app.settings.site.name;
    if path == "/" || path.is_empty() {
        let description =
            format!("Statistics, rankings and profiles of the players and guilds of {}", app.settings.site.game);
        return Ok((200, Shown { title: site.clone(), description, path: "/".into(), image: None }));
    }
    if let Some((path, title, description)) = FIXED.iter().find(|(fixed, ..)| *fixed == path.trim_end_matches('/')) {
        let title = format!("{title} - {site}");
        return Ok((200, Shown { title, description: (*description).into(), path: (*path).into(), image: None }));
    }
    let mut parts = path.trim_matches('/').split('/');
    let found = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some("player"), Some(handle), _, None) => player(app, handle).await?,
        // Canonical is the player's own page.
        (Some("overlay"), Some("player"), Some(handle), None) => player(app, handle).await?,
        (Some("guild"), Some(tag), _, None) => guild(app, tag).await?,
        (Some("auth"), None, ..) => Some(("Link your account".to_owned(), String::new(), "/link".to_owned())),
        _ => None,
    };
    Ok(match found {
        Some((title, description, path)) => {
            (200, Shown { title: format!("{title} - {site}"), description, path, image: None })
        }
        None => {
            let description = "There is nothing at this address.".to_owned();
            (404, Shown { title: format!("Not found - {site}"), description, path: path.to_owned(), image: None })
        }
    })
}

type Found = Option<(String, String, String)>;

async fn player(app: &App, handle: &str) -> Result<Found, AppError> {
    match players::profile(app, &Viewer::Guest, handle).await {
        Ok(PlayerPage::Full(player)) => {
            let rank = player.rank_overall.map_or(String::new(), |rank| format!("#{rank} overall. "));
            let description = format!(
                "{rank}{} player kills, {} NPC kills, {} vehicles destroyed.",
                player.pu_player_kills, player.pve_kills, player.vehicle_destructions
            );
            Ok(Some((player.handle.clone(), description, format!("/player/{}", player.handle))))
        }
        Ok(PlayerPage::Hidden(player)) => {
            let path = format!("/player/{}", player.handle);
            Ok(Some(("Profile hidden".into(), "This profile has been hidden from public view by owner.".into(), path)))
        }
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn guild(app: &App, tag: &str) -> Result<Found, AppError> {
    match guilds::profile(app, tag).await {
        Ok(guild) => {
            let rank = guild.rank_overall.map_or(String::new(), |rank| format!("#{rank} overall. "));
            let description = format!("{rank}{} members, {} active.", guild.member_count, guild.active_member_count);
            Ok(Some((format!("{} [{}]", guild.name, guild.short), description, format!("/guild/{}", guild.short))))
        }
        Err(AppError::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// How many players and guilds the sitemap names: the best of each, since one file takes 50,000 addresses.
const MAPPED_PLAYERS: i64 = 20_000;
const MAPPED_GUILDS: i64 = 5_000;

/// The addresses a search engine should know, root-relative.
pub async fn mapped(app: &App) -> Result<Vec<String>, AppError> {
    let (players, guilds) = app
        .store
        .read(|conn| {
            Ok((
                leaderboard::best_handles(conn, MAPPED_PLAYERS)?,
                crate::store::guilds::page(conn, Metric::Overall, true, MAPPED_GUILDS, 0)?,
            ))
        })
        .await?;
    let fixed =
        ["/", "/players", "/guilds", "/activity", "/updates", "/about", "/guides", "/privacy", "/terms", "/api"];
    let mut paths: Vec<String> = fixed.map(ToOwned::to_owned).to_vec();
    paths.extend(["/discord-bot", "/connect-app"].map(ToOwned::to_owned));
    paths.extend(players.into_iter().map(|handle| format!("/player/{handle}")));
    paths.extend(guilds.into_iter().map(|guild| format!("/guild/{}", guild.tag)));
    Ok(paths)
}
