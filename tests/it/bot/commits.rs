//! The commit feed: polling with entity tags, live updates and proxied avatars.

use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::mock_http::{MockHttp, Response};
use super::*;

on_sqlite!(
    new_commits_of_a_polled_repository_reach_open_pages,
    a_new_site_shows_the_programs_own_history,
    a_local_repository_is_imported,
);

fn json_said(body: Value, tag: &str) -> Response {
    (
        200,
        vec![("ETag", format!("\"{tag}\"")), ("Content-Type", "application/json".into())],
        body.to_string().into_bytes(),
    )
}

fn picture() -> Vec<u8> {
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::from_pixel(200, 200, image::Rgb([9, 90, 200]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    png.into_inner()
}

fn commit(id: &str, at: &str, avatar: &str) -> Value {
    json!({ "sha": id, "commit": { "author": { "name": "Ada", "date": at }, "committer": { "name": "Ada", "date": at },
        "message": format!("Change {id}") }, "author": { "login": "ada", "avatar_url": avatar } })
}

async fn new_commits_of_a_polled_repository_reach_open_pages(on: Backend) {
    let discord = MockDiscord::start().await;
    let version = Arc::new(AtomicUsize::new(1));
    let (known, base) = (Arc::clone(&version), Arc::new(std::sync::OnceLock::<String>::new()));
    let own = Arc::clone(&base);
    let github = MockHttp::start(move |request| {
        let (at, url) = (known.load(Ordering::SeqCst), own.get().cloned().unwrap_or_default());
        if request.path.starts_with("/picture") {
            return (200, vec![("Content-Type", "image/png".into())], picture());
        }
        if request.path == "/repos/octo/station" {
            return json_said(json!({ "default_branch": "trunk" }), "x");
        }
        let tag = format!("v{at}");
        if request.header("if-none-match") == Some(format!("\"{tag}\"").as_str()) {
            return (304, Vec::new(), Vec::new());
        }
        let all: Vec<Value> = (1..=at)
            .rev()
            .map(|n| commit(&format!("c{n}"), &format!("2026-01-0{n}T10:00:00Z"), &format!("{url}/picture.png")))
            .collect();
        json_said(json!(all), &tag)
    })
    .await;
    base.set(github.url.clone()).unwrap();
    let mut server = site_of(on, &discord);
    server.env("APOGEE_GITHUB_REPOS", "octo/station");
    server.env("APOGEE_GITHUB_API_URL", &github.url);
    server.run();
    let total = async || server.read("/api/commits").await["pagination"]["total"].as_i64().unwrap();
    eventually("the first poll", async || total().await == 1).await;
    let mut stream = server.request(Method::GET, "/api/live?topics=commits").send().await.unwrap();
    let token = sign_in(&server, ADMIN).await;
    let polls = || github.requests().iter().filter(|request| request.path.contains("/commits?")).count();
    let poll_again = async || {
        let before = polls();
        let request = server.request(Method::POST, "/api/admin/jobs/commits/run").bearer_auth(&token);
        assert_eq!(server.execute(request).await.status, 200);
        eventually("a poll", async || polls() > before).await;
    };
    poll_again().await;
    let last = github.requests().into_iter().rfind(|request| request.path.contains("/commits?")).unwrap();
    assert_eq!(last.header("if-none-match"), Some("\"v1\""), "unchanged commits are not sent again");
    version.store(2, Ordering::SeqCst);
    poll_again().await;
    let mut received = String::new();
    while !received.contains("\"c2\"") {
        received += &String::from_utf8_lossy(&stream.chunk().await.unwrap().unwrap());
    }
    // The message of the first commit may arrive after the stream opened, but never a second time.
    let repeated = received.matches("\"id\":\"c1\"").count();
    assert!(received.contains("event: commit") && repeated <= 1, "{received}");
    assert!(!received.contains(&github.url), "pages contain no URL of other sites: {received}");
    let row = server.read("/api/commits").await["commits"][0].clone();
    assert_eq!((&row["id"], &row["branch"]), (&json!("c2"), &json!("trunk")));
    // The avatar is fetched once, re-encoded, and served by this site.
    let path = row["author_avatar_url"].as_str().unwrap().to_owned();
    for _ in 0..3 {
        let shown = server.get(&path).await;
        assert_eq!((shown.status.as_u16(), shown.header("content-type")), (200, Some("image/jpeg")));
        let made = image::load_from_memory(&shown.bytes).unwrap();
        assert_eq!((made.width(), made.height()), (96, 96));
    }
    assert_eq!(github.requests().iter().filter(|request| request.path == "/picture.png").count(), 1);
    for path in ["/avatars/00000000000000000000000000000000", "/avatars/..%2f..%2fapogee.db", "/avatars/x"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
    }
}

async fn a_new_site_shows_the_programs_own_history(on: Backend) {
    let mut server = Server::prepare(on);
    server.run();
    let embedded = apogee::features::commits::own_history_len();
    let shown = until("the history", async || {
        let list = server.read("/api/commits?limit=100").await;
        (list["pagination"]["total"] == embedded).then_some(list)
    })
    .await;
    for commit in shown["commits"].as_array().unwrap() {
        assert_eq!(commit["repository"], "apogee");
        assert_eq!(commit["id"].as_str().unwrap().len(), 40);
    }
    // A build from a git checkout embeds its history.
    let is_checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join(".git").exists();
    assert_eq!(embedded > 0, is_checkout);
}

async fn a_local_repository_is_imported(on: Backend) {
    let mut server = Server::prepare(on);
    let repository = tempfile::TempDir::new().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.arg("-C").arg(repository.path()).args(["-c", "user.name=Zoë", "-c", "user.email=z@example.org"]);
        assert!(command.args(arguments).output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "trunk"]);
    for message in ["First", "Second\n\nWith <b>body</b>"] {
        git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    for _ in 0..2 {
        server.command(&["import", "commits", repository.path().to_str().unwrap()]);
    }
    server.run();
    let list = server.read("/api/commits").await;
    let messages: Vec<&str> =
        list["commits"].as_array().unwrap().iter().map(|c| c["message"].as_str().unwrap()).collect();
    let mut sorted = messages.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, ["First", "Second\n\nWith <b>body</b>"], "each commit once");
    assert_eq!((&list["commits"][0]["author_name"], &list["commits"][0]["branch"]), (&json!("Zoë"), &json!("trunk")));
}
