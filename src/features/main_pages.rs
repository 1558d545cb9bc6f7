//! The static pages that visitors find by themselves.

/// Path, title and description of the static pages in the sitemap.
pub const MAIN_PAGES: [(&str, &str, &str); 12] = [
    ("/players", "Player rating", "Top performing players ranked by various statistics"),
    ("/guilds", "Guild Rating", "Top performing guilds ranked by various statistics"),
    ("/activity", "Live activity", "Live kills, losses and missions of all players"),
    ("/updates", "Updates & Changes", "Changes to the source code of this site"),
    ("/about", "About", "What this site is and how it works"),
    ("/guides", "Guides", "Getting started, and setting up the StatsFeed in Discord"),
    ("/privacy", "Privacy Policy", "What this site stores and for how long"),
    ("/terms", "Terms of Service", "The rules of this site"),
    ("/api", "API Documentation", "Every route of the public API, with examples"),
    ("/discord-bot", "Discord bot", "Player and guild statistics in Discord"),
    ("/connect-app", "Connect App", "The log reader that uploads your statistics"),
    ("/upload", "Read my log", "Read your Game.log in this browser: nothing leaves your computer until you say so"),
];
