//! Link previews: share cards, meta tags and oEmbed.

use reqwest::Method;
use serde_json::json;

use super::leaderboard::insert_guilds;
use crate::support::pictures::{file, flag};
use crate::support::*;

on_sqlite!(
    players_and_guilds_have_cards,
    a_hidden_player_loses_its_card,
    page_heads_describe_link_previews,
    the_page_of_an_event_has_its_title_and_is_not_indexed,
    a_link_is_embeddable_by_oembed,
);

const MAX_BYTES: usize = 80 * 1024;

async fn site(on: Backend) -> Server {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    server
}

async fn players_and_guilds_have_cards(on: Backend) {
    let server = site(on).await;
    for path in ["/og/player/ANN-1.png", "/og/player/ann-1.png", "/og/guild/alpha.png", "/og/guild/ALPHA.png"] {
        let card = server.get(path).await;
        assert_eq!((card.status.as_u16(), card.header("content-type")), (200, Some("image/png")), "{path}");
        let drawn = image::load_from_memory(&card.bytes).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (1200, 630), "{path}");
        assert!(card.bytes.len() <= MAX_BYTES, "{path}: {} bytes", card.bytes.len());
        assert_eq!(card.header("cross-origin-resource-policy"), Some("cross-origin"), "{path}");
        let tag = card.header("etag").unwrap().to_owned();
        let again = server.execute(server.request(Method::GET, path).header("if-none-match", tag)).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0), "{path}");
        let head = server.execute(server.request(Method::HEAD, path)).await;
        assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0), "{path}");
    }
    for path in
        ["/og/player/nobody-here.png", "/og/guild/NOPE.png", "/og/player/ann-1", "/og/player/%3Cb%3E.png", "/og/x.png"]
    {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
    // A new name or picture changes the card immediately.
    let tag = async |path: &str| server.get(path).await.header("etag").unwrap().to_owned();
    let before = tag("/og/player/ann-1.png").await;
    server.database.run("UPDATE players SET player_name = 'Ярослав & <b>' WHERE handle_folded = 'ann-1'");
    let renamed = tag("/og/player/ann-1.png").await;
    let name = "cccccccccccccccccccccccccccccccc.jpg";
    std::fs::create_dir_all(server.data_dir().join("uploads")).unwrap();
    let picture = file(&flag(400, 400), image::ImageFormat::Jpeg);
    std::fs::write(server.data_dir().join("uploads").join(name), picture).unwrap();
    server.database.run(&format!("UPDATE players SET profile_image = '/uploads/{name}' WHERE handle_folded = 'ann-1'"));
    let dressed = server.get("/og/player/ann-1.png").await;
    assert!(before != renamed && dressed.header("etag") != Some(renamed.as_str()));
    let drawn = image::load_from_memory(&dressed.bytes).unwrap().into_rgb8();
    let (left, right) = (drawn.get_pixel(110, 160).0, drawn.get_pixel(240, 160).0);
    assert!(left[0] > 150 && left[1] < 90 && right[1] > 150 && right[0] < 90, "{left:?} {right:?}");
    // A missing picture is replaced by the default picture.
    std::fs::remove_file(server.data_dir().join("uploads").join(name)).unwrap();
    server.database.run("UPDATE players SET player_name = 'Ann' WHERE handle_folded = 'ann-1'");
    assert_eq!(server.get("/og/player/ann-1.png").await.status, 200);
}

async fn a_hidden_player_loses_its_card(on: Backend) {
    let server = site(on).await;
    let path = "/og/player/ann-1.png";
    let tag = server.get(path).await.header("etag").unwrap().to_owned();
    server.database.run("UPDATE players SET is_hidden = TRUE WHERE handle_folded = 'ann-1'");
    eventually("hiding the card", async || server.get(path).await.status == 404).await;
    let known = server.execute(server.request(Method::GET, path).header("if-none-match", tag)).await;
    assert_eq!(known.status, 404, "a conditional request fails as well");
    let page = server.get("/player/ann-1").await.text();
    assert!(!page.contains("/og/player/") && page.contains("noindex"), "{page}");
    let embed = server.get(&format!("/api/oembed?url={}", server.url("/player/ann-1"))).await;
    assert_eq!(embed.code(), "NOT_FOUND");
    server.database.run("UPDATE players SET is_hidden = FALSE WHERE handle_folded = 'ann-1'");
    assert_eq!(server.get(path).await.status, 200);
}

/// The `content` of a tag with this name or property.
fn content(page: &str, name: &str) -> String {
    let tag = page.split("<meta ").find(|tag| tag.contains(&format!("\"{name}\"")));
    let tag = tag.unwrap_or_else(|| panic!("no {name} in {page}"));
    tag.split("content=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

async fn page_heads_describe_link_previews(on: Backend) {
    let server = site(on).await;
    server.database.run("UPDATE guilds SET name = '</title><script>alert(1)</script>\"' WHERE tag = 'BETA'");
    for (path, own, image) in [
        ("/", "/", "/static/images/card-background.png"),
        ("/players", "/players", "/static/images/card-background.png"),
        ("/guilds/", "/guilds", "/static/images/card-background.png"),
        ("/player/ANN-1", "/player/Ann-1", "/og/player/Ann-1.png"),
        ("/player/ann-1/weapons", "/player/Ann-1", "/og/player/Ann-1.png"),
        ("/guild/alpha", "/guild/ALPHA", "/og/guild/ALPHA.png"),
        ("/guild/beta", "/guild/BETA", "/og/guild/BETA.png"),
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status, 200, "{path}");
        let page = response.text();
        assert!(!page.contains("<script>"), "{path}: {page}");
        assert_eq!(page.matches("<title>").count(), 1, "{path}");
        assert!(page.contains(&format!("<link rel=\"canonical\" href=\"{}\">", server.url(own))), "{path}");
        assert_eq!(content(&page, "og:url"), server.url(own), "{path}");
        assert_eq!(content(&page, "og:image"), server.url(image), "{path}");
        assert_eq!(content(&page, "og:site_name"), "Apogee", "{path}");
        for filled in ["description", "og:title", "og:description", "og:image:width", "twitter:card"] {
            assert!(!content(&page, filled).is_empty(), "{path}: {filled}");
        }
        assert_eq!(page.contains("json+oembed"), image.starts_with("/og/"), "{path}");
        assert!(!page.contains("noindex"), "{path}");
        assert_eq!(server.get(image).await.status, 200, "{path}: its picture exists");
    }
    // The preview of a player without fights tells the career.
    server.take(&server.key("operator"), &stay("Cid-1", 2)).await;
    let page = server.get("/player/cid-1").await.text();
    let told = "#1 in career. 0 contracts completed, 2 hours in the universe, 0 ships flown.";
    assert_eq!(
        (content(&page, "description").as_str(), server.get("/og/player/cid-1.png").await.status.as_u16()),
        (told, 200)
    );
    for (path, status) in
        [("/player/nobody-here", 404), ("/guild/NOPE", 404), ("/no/such", 404), ("/profile", 200), ("/admin", 200)]
    {
        let response = server.get(path).await;
        assert_eq!(response.status, status, "{path}");
        assert!(response.text().contains("noindex"), "{path} must not be indexed");
    }
}

async fn the_page_of_an_event_has_its_title_and_is_not_indexed(on: Backend) {
    let server = site(on).await;
    let id = server.read("/api/activity?limit=1").await["data"][0]["id"].as_str().unwrap().to_owned();
    let response = server.get(&format!("/event/{id}")).await;
    let page = response.text();
    assert_eq!(response.status, 200);
    assert!(page.contains(&format!("<title>Event {id} - Apogee</title>")) && page.contains("noindex"), "{page}");
    assert_eq!(content(&page, "og:url"), server.url(&format!("/event/{id}")));
    for path in ["/event/0", "/event/x", &format!("/event/{id}/more"), &format!("/activity/{id}")] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

async fn a_link_is_embeddable_by_oembed(on: Backend) {
    let server = site(on).await;
    // The page names the oEmbed address.
    let page = server.get("/player/ann-1").await.text();
    let href = page.split("json+oembed").nth(1).unwrap().split("href=\"").nth(1).unwrap().split('"').next().unwrap();
    let embed = server.read(href.strip_prefix(&server.address).unwrap()).await;
    assert_eq!((&embed["version"], &embed["type"]), (&json!("1.0"), &json!("link")));
    assert_eq!(embed["title"], "Ann-1 - Apogee");
    assert_eq!(embed["thumbnail_url"], server.url("/og/player/Ann-1.png"));
    assert_eq!((&embed["thumbnail_width"], &embed["thumbnail_height"]), (&json!(1200), &json!(630)));
    let guild = server.read(&format!("/api/oembed?format=json&url={}", server.url("/guild/alpha?x=1"))).await;
    assert_eq!(guild["thumbnail_url"], server.url("/og/guild/ALPHA.png"));
    let small = server.read(&format!("/api/oembed?maxwidth=640&url={}", server.url("/guild/ALPHA"))).await;
    assert!(small.get("thumbnail_url").is_none());
    for (query, code) in [
        ("", "VALIDATION"),
        ("?format=xml&url=x", "VALIDATION"),
        ("?maxwidth=0&url=x", "VALIDATION"),
        ("?url=https://elsewhere.example/player/ann-1", "NOT_FOUND"),
        ("?url=/player/ann-1", "NOT_FOUND"),
    ] {
        assert_eq!(server.get(&format!("/api/oembed{query}")).await.code(), code, "{query}");
    }
    for path in ["/", "/players", "/player/nobody-here", ".evil.example/player/ann-1"] {
        let response = server.get(&format!("/api/oembed?url={}{path}", server.address)).await;
        assert_eq!(response.code(), "NOT_FOUND", "{path}");
    }
}
