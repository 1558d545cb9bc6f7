//! The commit feed.

use serde_json::{Value, json};

use crate::support::*;

on_sqlite!(commits_come_newest_first_in_pages);

async fn commits_come_newest_first_in_pages(on: Backend) {
    let mut server = Server::prepare(on);
    // With a configured repository, the site does not show the program's own history. Nothing listens at the API address.
    server.env("APOGEE_GITHUB_REPOS", "a/b");
    server.env("APOGEE_GITHUB_API_URL", "http://127.0.0.1:9");
    server.run();
    let empty = server.read("/api/commits").await;
    assert_eq!(empty["pagination"], json!({"limit": 20, "offset": 0, "total": 0, "hasNextPage": false}));
    server.database.run(
        "INSERT INTO commits (id, author_name, committed_at, message, branch, repository) VALUES \
         ('bbb', NULL, 1700000000, 'Second of a moment', 'main', 'a/b'), \
         ('aaa', 'Zoë 🚀', 1700000000, 'First of a moment', 'main', 'a/b'), \
         ('ccc', 'Ann', 1700000500, 'Newest <b>', 'main', 'a/b'), ('ddd', 'Ann', 1600000000, 'Oldest', 'main', 'a/b')",
    );
    let ids = |response: &Value| -> Vec<String> {
        response["commits"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = server.read("/api/commits").await;
    assert_eq!(ids(&all), ["ccc", "aaa", "bbb", "ddd"]);
    let first = json!({"id": "aaa", "author_name": "Zoë 🚀", "author_username": null, "author_avatar_url": null,
        "timestamp": 1_700_000_000, "message": "First of a moment", "branch": "main", "repository": "a/b"});
    assert_eq!(all["commits"][1], first);
    let page = server.read("/api/commits?limit=2&offset=1").await;
    assert_eq!(ids(&page), ["aaa", "bbb"]);
    assert_eq!(page["pagination"], json!({"limit": 2, "offset": 1, "total": 4, "hasNextPage": true}));
    assert_eq!(ids(&server.read("/api/commits?offset=9").await), Vec::<String>::new());
}
