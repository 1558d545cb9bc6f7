//! Caching headers: which responses a proxy or browser may store, for whom, and in which encoding.

use reqwest::Method;
use serde_json::json;

use super::settings::People;
use crate::support::*;

on_sqlite!(responses_that_depend_on_the_viewer_are_private, the_sitemap_is_cached);

fn words(response: &Response, header: &str) -> Vec<String> {
    let values = response.headers.get_all(header).iter().map(|value| value.to_str().unwrap().to_lowercase());
    let list: Vec<String> = values.collect();
    list.iter().flat_map(|value| value.split(',')).map(|word| word.trim().to_owned()).collect()
}

/// Every documented reading route with example parameters.
async fn reading_paths(server: &Server) -> Vec<(String, bool)> {
    let document = server.get("/api/openapi.json").await.json();
    let mut paths = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        let security = &item["get"]["security"];
        if item["get"].is_null() || path == "/api/live" || path == "/metrics" {
            continue;
        }
        let depends = security.as_array().unwrap().iter().any(|one| one != &json!({}));
        let filled =
            [("{handle}", "bob-1"), ("{tag}", "ALPHA"), ("{id}", "1"), ("{discordId}", "503"), ("{code}", "BCDF-GHJK")]
                .into_iter()
                .fold(path.clone(), |path, (name, value)| path.replace(name, value));
        paths.push((filled, depends));
    }
    assert!(paths.iter().filter(|(_, depends)| *depends).count() > 10, "{paths:?}");
    paths
}

async fn responses_that_depend_on_the_viewer_are_private(on: Backend) {
    let people = People::on(on).await;
    let hide = json!({ "handle": "Bob-1", "profile_hidden": true });
    assert_eq!(people.save("503", "/api/player/settings", hide).await.status, 200);
    let (server, token) = (&people.server, people.server.sign_in("503").await);
    for (path, depends) in reading_paths(server).await {
        let own = server.as_user(&token, Method::GET, &path, None).await;
        let guests = server.get(&path).await;
        for (whose, response) in [("own", &own), ("a guest's", &guests)] {
            let varies = words(response, "vary").contains(&"authorization".to_owned());
            assert_eq!(varies, depends, "{path}, {whose}: {:?}", response.headers);
        }
        assert_eq!(words(&own, "cache-control").contains(&"private".to_owned()), depends, "{path}: {:?}", own.headers);
    }
    // A response for the owner can be revalidated.
    let own = server.as_user(&token, Method::GET, "/api/player/bob-1", None).await;
    assert_eq!(own.json()["player"]["viewing_as_owner"], true);
    let same = server.request(Method::GET, "/api/player/bob-1").bearer_auth(&token);
    let same = server.execute(same.header("if-none-match", own.header("etag").unwrap())).await;
    assert_eq!(same.status, 304);
    assert_eq!(words(&same, "vary"), words(&own, "vary"));
    assert_eq!(words(&same, "cache-control"), words(&own, "cache-control"));
}

async fn the_sitemap_is_cached(on: Backend) {
    let server = Server::start(on).await;
    server.take(&server.key("reader"), &npc_kills("Ann-1", 1, now() - DAY)).await;
    let first = server.get("/sitemap.xml").await;
    assert!(first.text().contains("/player/Ann-1</loc>"), "{}", first.text());
    // Without its tables, the sitemap cannot be generated again.
    server.database.run("ALTER TABLE player_scores RENAME TO gone");
    let second = server.get("/sitemap.xml").await;
    assert_eq!((second.status.as_u16(), second.bytes), (200, first.bytes.clone()));
    let known = server.request(Method::GET, "/sitemap.xml").header("if-none-match", first.header("etag").unwrap());
    assert_eq!(server.execute(known).await.status, 304);
    server.database.run("ALTER TABLE gone RENAME TO player_scores");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_encoded_responses_have_a_content_encoding() {
    let mut server = Server::prepare(Backend::Sqlite);
    std::fs::create_dir_all(server.data_dir().join("static")).unwrap();
    std::fs::write(server.data_dir().join("static/own.txt"), "figures ".repeat(2_000)).unwrap();
    let _discord = server.with_discord().await;
    server.run();
    server.take(&server.key("reader"), &npc_kills("Ann-1", 1, now() - DAY)).await;
    let token = server.sign_in("7001").await;
    server.give_player("7001", "Own-1");
    let picture = server.upload(&token, "profile-image", &crate::support::pictures::photograph()).await;
    for path in
        [picture.as_str(), "/static/own.txt", "/static/icons/icon-192.png", "/og/player/ann-1.png", "/favicon.ico"]
    {
        for accepted in ["gzip, br, zstd", "identity"] {
            let request = server.request(Method::GET, path).header("accept-encoding", accepted);
            let response = server.execute(request).await;
            assert_eq!(response.status, 200, "{path}");
            assert_eq!(response.header("content-encoding"), None, "{path} {accepted}");
            assert!(response.header("etag").is_some_and(|tag| tag.starts_with('"')), "{path}: a strong entity tag");
            let part =
                server.request(Method::GET, path).header("accept-encoding", accepted).header("range", "bytes=0-9");
            let part = server.execute(part).await;
            assert_eq!(part.header("content-encoding"), None, "{path} {accepted}");
            if part.status == 206 {
                assert_eq!(part.bytes, response.bytes[..10], "{path}");
            }
        }
    }
    let stream = server.request(Method::GET, "/api/live?topics=counts").header("accept-encoding", "gzip");
    let stream = stream.send().await.unwrap();
    assert_eq!(stream.headers().get("content-encoding"), None);
}
