//! Every link of the site has a target: in pages, the sitemap and texts.

use std::collections::BTreeSet;
use std::path::Path;

use apogee::domain::names::{PATH_WORDS, player_path};

use super::leaderboard::insert_guilds;
use super::openapi::operations;
use crate::support::*;

on_sqlite!(every_link_leads_somewhere, texts_follow_the_settings, players_named_like_a_word_of_a_path_are_found);

/// Served texts, and the page that shows each.
const TEXTS: [(&str, &str); 9] = [
    ("/pages/about.md", "/about"),
    ("/pages/privacy.md", "/privacy"),
    ("/pages/terms.md", "/terms"),
    ("/pages/api.md", "/api"),
    ("/pages/quick-start-guide.md", "/guides"),
    ("/pages/whose-reports-count.md", "/guides"),
    ("/pages/configuring-statsfeed-channels.md", "/guides"),
    ("/help_en.md", "/discord-bot"),
    ("/app_readme.md", "/connect-app"),
];

/// The paths of the page's router without parameters.
fn pages() -> BTreeSet<String> {
    let router = Path::new(env!("CARGO_MANIFEST_DIR")).join("frontend/src/app/router.tsx");
    let text = std::fs::read_to_string(router).unwrap();
    let quoted = text.split('"').skip(1).step_by(2).filter(|word| word.starts_with('/') && !word.contains(':'));
    let found: BTreeSet<String> = quoted.map(ToOwned::to_owned).collect();
    assert!(found.len() > 15 && found.contains("/connect-app"), "the router could not be parsed: {found:?}");
    found
}

/// Targets of links and images in a Markdown text, except in code.
fn links(markdown: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut found = BTreeSet::new();
    for line in markdown.lines() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            continue;
        }
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        found.extend(targets.map(ToOwned::to_owned));
    }
    found
}

/// The anchor of a heading, as the page generates it: `SDKs and libraries` becomes `sdks-and-libraries`.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let heading = |line: &str| line.strip_prefix("## ").map(ToOwned::to_owned);
    let slug = |title: String| {
        let letters: String = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-').collect();
        letters.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
    };
    markdown.lines().filter_map(heading).map(slug).collect()
}

async fn every_link_leads_somewhere(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    let mut wanted = pages();
    for (text, page) in TEXTS {
        let response = server.get(text).await;
        assert_eq!(response.status, 200, "{text}");
        assert!(response.header("last-modified").is_some(), "{text}");
        wanted.insert(text.to_owned());
        wanted.insert(page.to_owned());
        for link in links(&response.text()) {
            assert!(link.starts_with('/') || link.starts_with('#'), "{text}: {link} leads to another site");
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let page = if path.is_empty() { page } else { path };
            wanted.insert(page.to_owned());
            if !anchor.is_empty() {
                let mut known = BTreeSet::new();
                for (other, _) in TEXTS.iter().filter(|(_, shown)| *shown == page) {
                    known.extend(anchors(&server.get(other).await.text()));
                }
                assert!(known.contains(anchor), "{text}: {link} is not one of {known:?}");
            }
        }
    }
    let map = server.get("/sitemap.xml").await.text();
    let mapped: Vec<String> = map
        .split("<loc>")
        .skip(1)
        .map(|rest| rest.split("</loc>").next().unwrap().strip_prefix(&server.address).unwrap().to_owned())
        .collect();
    for path in ["/player/Ann-1", "/guild/ALPHA", "/", "/players"] {
        assert!(mapped.iter().any(|known| known == path), "{path} is not in {mapped:?}");
    }
    wanted.extend(mapped);
    let robots = server.get("/robots.txt").await.text();
    assert!(robots.contains(&server.url("/sitemap.xml")) && robots.contains("Disallow: /api/"));
    let manifest = server.get("/manifest.webmanifest").await;
    assert_eq!(manifest.header("content-type"), Some("application/manifest+json"));
    let manifest = manifest.json();
    assert_eq!(manifest["start_url"], "/");
    let posted = server.execute(server.request(reqwest::Method::POST, "/players")).await;
    assert_eq!((posted.status.as_u16(), posted.header("allow")), (405, Some("GET, HEAD")));
    wanted.extend(manifest["icons"].as_array().unwrap().iter().map(|icon| icon["src"].as_str().unwrap().to_owned()));
    wanted.extend(["/favicon.ico", "/robots.txt", "/sitemap.xml", "/auth", "/api/openapi.json"].map(ToOwned::to_owned));
    // Links in page heads.
    for path in wanted.clone() {
        let page = server.get(&path).await;
        if !page.header("content-type").is_some_and(|of_type| of_type.starts_with("text/html")) {
            continue;
        }
        let text = page.text();
        let refers =
            text.split("href=\"").chain(text.split("src=\"")).skip(1).filter_map(|rest| rest.split('"').next());
        let own = refers.map(|link| link.strip_prefix(&server.address).unwrap_or(link).replace("&amp;", "&"));
        wanted.extend(own.filter(|link| link.starts_with('/') && !link.starts_with("//")));
    }
    assert!(wanted.len() > 40, "{wanted:?}");
    for path in wanted {
        let response = server.get(&path).await;
        assert_eq!(response.status, 200, "{path}");
    }
}

async fn texts_follow_the_settings(on: Backend) {
    let mut server = Server::prepare(on);
    let settings = "[site]\nname = \"Zenith\"\nsupport_contact = \"help@zenith.example\"\neffective_date = \"May 4, 2026\"\n\
        [retention]\nvisits-days = 3\n";
    std::fs::write(server.data_dir().join("apogee.toml"), settings).unwrap();
    server.run();
    for (text, _) in TEXTS {
        let body = server.get(text).await.text();
        assert!(!body.contains("{{"), "{text}: {}", body.split("{{").nth(1).unwrap_or_default());
    }
    let privacy = server.get("/pages/privacy.md").await;
    for said in [
        "Effective May 4, 2026",
        "what Zenith stores",
        "help@zenith.example",
        "deleted after 3 days",
        "deleted after a day",
    ] {
        assert!(privacy.text().contains(said), "{said}");
    }
    assert!(server.get("/pages/about.md").await.text().starts_with("# About Zenith"));
    let tag = privacy.header("etag").unwrap().to_owned();
    let again =
        server.execute(server.request(reqwest::Method::GET, "/pages/privacy.md").header("if-none-match", tag)).await;
    assert_eq!(again.status, 304);
    // A customized text replaces the built-in one without a restart, with the same placeholders.
    std::fs::create_dir_all(server.data_dir().join("static/pages")).unwrap();
    std::fs::write(server.data_dir().join("static/pages/privacy.md"), "# Ours\n\n{{contact}} {{odd}}").unwrap();
    assert_eq!(server.get("/pages/privacy.md").await.text(), "# Ours\n\nhelp@zenith.example {{odd}}");
    // The two customized texts begin with their own headings.
    std::fs::write(server.data_dir().join("static/help_en.md"), "# Help of {{site_name}}").unwrap();
    assert_eq!(server.get("/help_en.md").await.text(), "# Help of Zenith");
    let head = server.execute(server.request(reqwest::Method::HEAD, "/help_en.md?t=1")).await;
    assert!(head.status == 200 && head.header("last-modified").is_some() && head.bytes.is_empty());
    for path in ["/pages/none.md", "/pages/..%2fapogee.toml", "/pages/../../Cargo.toml", "/pages/.env.md"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

#[test]
fn every_word_in_the_place_of_a_handle_is_known() {
    let paths = operations().into_iter().map(|(_, path)| path.trim_start_matches("/api").to_owned()).chain(pages());
    let words: BTreeSet<String> = paths
        .filter_map(|path| path.strip_prefix("/player/")?.split('/').next().map(ToOwned::to_owned))
        .filter(|word| !word.starts_with('{'))
        .collect();
    assert_eq!(words.iter().map(String::as_str).collect::<Vec<_>>(), PATH_WORDS);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("frontend/src/lib/paths.ts");
    let list = PATH_WORDS.map(|word| format!("\"{word}\"")).join(", ");
    assert!(std::fs::read_to_string(page).unwrap().contains(&format!("new Set([{list}])")), "{list}");
}

async fn players_named_like_a_word_of_a_path_are_found(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    let handles: Vec<&str> = PATH_WORDS.into_iter().filter(|word| word.len() > 2).collect();
    for (number, handle) in (1..).zip(&handles) {
        server.take(&key, &npc_kills(handle, number, now() - DAY)).await;
    }
    let sitemap = server.get("/sitemap.xml").await.text();
    for handle in &handles {
        let path = player_path(handle);
        assert!(sitemap.contains(&format!("{path}<")), "{path}");
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.text().contains(&format!("<title>{handle} - ")), "{path}");
        assert_eq!(server.read(&format!("/api{path}")).await["player"]["handle"], *handle);
        for list in ["weapons", "vehicles", "missions", "activity"] {
            assert_eq!(server.get(&format!("/api{path}/{list}")).await.status, 200, "{path}/{list}");
        }
    }
}
