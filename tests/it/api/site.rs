//! Configuration and texts for the page.

use serde_json::json;

use crate::support::*;

on_sqlite!(the_config_describes_sign_in, external_links_are_empty_by_default);

async fn the_config_describes_sign_in(on: Backend) {
    let mut server = Server::start(on).await;
    let without = server.get("/api/config").await;
    assert_eq!((without.status.as_u16(), without.code().as_str()), (200, "NOT_CONFIGURED"));
    assert!(without.json()["site"]["name"].is_string());
    server.stop();
    server.env("APOGEE_DISCORD_CLIENT_ID", "1234567890");
    server.env("APOGEE_DISCORD_CLIENT_SECRET", "a-secret-that-never-prints");
    server.env("APOGEE_PUBLIC_URL", "https://stats.example/");
    server.run();
    let response = server.get("/api/config").await;
    assert!(!response.text().contains("a-secret-that-never-prints"));
    let config = response.json();
    assert_eq!(config["discord"]["clientId"], json!("1234567890"));
    assert_eq!(config["discord"]["redirectUri"], json!("https://stats.example/link"));
    assert!(config["discord"]["authorizeUrl"].as_str().unwrap().starts_with("https://discord.com/"));
}

fn write_settings(server: &Server, text: &str) {
    std::fs::write(server.data_dir().join("apogee.toml"), text).unwrap();
}

const LINKS: [&str; 6] =
    ["community_url", "support_url", "kanban_url", "bot_invite_url", "installer_url", "source_url"];

async fn external_links_are_empty_by_default(on: Backend) {
    let mut server = Server::start(on).await;
    let site = server.get("/api/config").await.json()["site"].clone();
    for key in LINKS.iter().chain(&["support_contact"]) {
        assert_eq!(site[key], json!(""), "{key}");
    }
    for page in ["about", "privacy", "terms", "api"] {
        let text = server.get(&format!("/pages/{page}.md")).await.text();
        assert!(!text.contains("{{") && !text.to_lowercase().contains("contact:"), "{page}: {text}");
        assert!(!text.trim_end().lines().last().unwrap_or_default().starts_with('#'), "{page} ends with a heading");
    }

    server.stop();
    server.env("APOGEE_DISCORD_CLIENT_ID", "1234567890");
    write_settings(
        &server,
        "[site]\nsupport_contact = \"help@stats.example\"\nsource_url = \"https://code.example/\"\n",
    );
    server.run();
    let site = server.read("/api/config").await["site"].clone();
    assert_eq!(site["source_url"], json!("https://code.example/"));
    let invite = site["bot_invite_url"].as_str().unwrap();
    assert!(invite.starts_with("https://discord.com/oauth2/authorize?client_id=1234567890&scope=bot"), "{invite}");
    for page in ["about", "privacy", "terms", "api"] {
        let text = server.get(&format!("/pages/{page}.md")).await.text();
        assert!(text.contains("help@stats.example"), "{page}");
    }
}
