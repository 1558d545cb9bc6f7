//! What the page needs to know of the site.

use serde_json::json;

use crate::support::*;

on_both!(sign_in_is_told_as_it_is_set_up);

async fn sign_in_is_told_as_it_is_set_up(on: Backend) {
    let mut server = Server::start(on).await;
    let without = server.get("/api/config").await;
    assert_eq!((without.status.as_u16(), without.code().as_str()), (200, "NOT_CONFIGURED"));
    assert!(without.json()["site"]["name"].is_string());
    server.stop();
    server.env("APOGEE_DISCORD_CLIENT_ID", "1234567890");
    server.env("APOGEE_DISCORD_CLIENT_SECRET", "a-secret-that-never-prints");
    server.env("APOGEE_PUBLIC_URL", "https://stats.example/");
    server.run();
    let answer = server.get("/api/config").await;
    assert!(!answer.text().contains("a-secret-that-never-prints"));
    let config = answer.json();
    assert_eq!(config["discord"]["clientId"], json!("1234567890"));
    assert_eq!(config["discord"]["redirectUri"], json!("https://stats.example/link"));
    assert!(config["discord"]["authorizeUrl"].as_str().unwrap().starts_with("https://discord.com/"));
}
