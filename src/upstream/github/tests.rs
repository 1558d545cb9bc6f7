use serde_json::json;

use super::*;
use crate::upstream::mock_server::{MockResponse, MockServer};

fn github(site: &MockServer) -> Github {
    Github::new(&site.url).unwrap()
}

const REPOSITORY: &str = "octo/station";

fn rows() -> String {
    json!([
        {"sha": "b2", "commit": {"author": {"name": "Ada", "date": "2026-01-01T10:00:00Z"}, "committer": {"name": "GitHub", "date": "2026-01-02T10:00:00Z"}, "message": "Second\n\nbody"}, "author": {"login": "ada", "avatar_url": "https://pictures.example/1"}},
        {"sha": "a1", "commit": {"author": {"name": "Bob", "date": "2026-01-01T10:00:00+01:00"}, "committer": null, "message": "First"}, "author": null},
        {"sha": "00", "commit": {"author": null, "committer": null, "message": "no time"}, "author": null}
    ])
    .to_string()
}

#[tokio::test]
async fn unchanged_commits_are_not_downloaded_again() {
    let site = MockServer::start(|request, _| match request.path.as_str() {
        "/repos/octo/station" => MockResponse::ok("{\"default_branch\":\"trunk\"}"),
        _ if request.header("if-none-match") == Some("\"v1\"") => MockResponse::status(304, ""),
        _ => MockResponse::ok(rows())
            .with_header("ETag", "\"v1\"")
            .with_header("Link", "<http://x/?page=2>; rel=\"next\""),
    })
    .await;
    let github = github(&site);
    let Polled::Commits { commits, etag, has_more } = github.commits(REPOSITORY, 1, None).await.unwrap() else {
        panic!()
    };
    assert_eq!(commits.len(), 2);
    assert_eq!(
        commits[0],
        Commit {
            id: "b2".into(),
            author_name: Some("Ada".into()),
            author_username: Some("ada".into()),
            author_avatar_url: Some("https://pictures.example/1".into()),
            timestamp: 1_767_348_000,
            message: "Second\n\nbody".into(),
            branch: Some("trunk".into()),
            repository: "octo/station".into(),
        }
    );
    assert_eq!((commits[1].timestamp, commits[1].author_username.as_deref()), (1_767_258_000, None));
    assert!(has_more);
    assert_eq!(github.commits(REPOSITORY, 1, etag.as_deref()).await.unwrap(), Polled::Unchanged);
    let _ = github.commits(REPOSITORY, 2, None).await.unwrap();
    let paths: Vec<_> = site.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths[3], "/repos/octo/station/commits?per_page=100&page=2");
    assert_eq!(paths.iter().filter(|path| *path == "/repos/octo/station").count(), 1);
}

#[tokio::test]
async fn commits_are_returned_without_a_default_branch() {
    let site = MockServer::start(|request, _| {
        if request.path == "/repos/octo/station" { MockResponse::status(404, "") } else { MockResponse::ok(rows()) }
    })
    .await;
    let Polled::Commits { commits, .. } = github(&site).commits(REPOSITORY, 1, None).await.unwrap() else { panic!() };
    assert_eq!(commits[0].branch, None);
}

#[tokio::test]
async fn no_request_is_sent_while_the_rate_limit_is_exhausted() {
    let reset = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 600;
    for (status, headers) in [
        (403, vec![("X-RateLimit-Remaining", "0".to_owned()), ("X-RateLimit-Reset", reset.to_string())]),
        (429, vec![("Retry-After", "600".to_owned())]),
        (403, vec![("Retry-After", "600".to_owned())]),
    ] {
        let site = MockServer::start(move |_, _| {
            headers
                .iter()
                .fold(MockResponse::status(status, "{}"), |reply, (name, value)| reply.with_header(name, value))
        })
        .await;
        let github = github(&site);
        for _ in 0..5 {
            match github.commits(REPOSITORY, 1, None).await {
                Err(GithubError::RateLimited { retry_after }) => {
                    assert!(retry_after > Duration::from_secs(590), "{retry_after:?}")
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(site.request_count(), 1);
    }
    // The last request within the limit still succeeds.
    let site = MockServer::start(move |_, _| {
        MockResponse::ok("[]").with_header("X-RateLimit-Remaining", 0).with_header("X-RateLimit-Reset", reset)
    })
    .await;
    let github = github(&site);
    assert!(github.commits(REPOSITORY, 1, None).await.is_ok());
    assert!(matches!(github.commits(REPOSITORY, 1, None).await, Err(GithubError::RateLimited { .. })));
    assert_eq!(site.request_count(), 1);
}

#[tokio::test]
async fn each_failure_returns_a_specific_error() {
    use GithubError as E;
    let outcome = async |reply: MockResponse| {
        let site = MockServer::start(move |_, _| reply.clone()).await;
        github(&site).commits(REPOSITORY, 1, None).await.unwrap_err()
    };
    let silent = MockServer::start(|_, _| MockResponse::NoResponse).await;
    let mut impatient = github(&silent);
    impatient.http.timeout = Duration::from_millis(200);
    assert!(matches!(impatient.commits(REPOSITORY, 1, None).await, Err(E::TimedOut)));
    assert!(matches!(outcome(MockResponse::CloseConnection).await, E::Unreachable(_)));
    assert!(matches!(outcome(MockResponse::Truncated { body: b"[".to_vec() }).await, E::Unreachable(_)));
    assert!(matches!(outcome(MockResponse::status(404, "")).await, E::NotFound));
    assert!(matches!(outcome(MockResponse::status(403, "{}")).await, E::UnexpectedStatus(403)));
    assert!(matches!(
        outcome(MockResponse::status(301, "").with_header("Location", "http://169.254.169.254/")).await,
        E::UnexpectedStatus(301)
    ));
    assert!(matches!(outcome(MockResponse::status(500, "")).await, E::UnexpectedStatus(500)));
    assert!(matches!(outcome(MockResponse::ok("{}")).await, E::InvalidResponse(_)));
}

fn sign(secret: &str, body: &[u8]) -> String {
    use hmac::Mac as _;
    let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body);
    let digits: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256={digits}")
}

#[test]
fn a_push_is_accepted_only_with_a_matching_signature() {
    // The example in GitHub's documentation.
    let documented = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert!(signature_matches("It's a Secret to Everybody", Some(documented), b"Hello, World!"));
    let body = b"{\"zen\":\"Keep it simple\"}";
    let good = sign("key", body);
    assert!(signature_matches("key", Some(&good), body));
    assert!(!signature_matches("other", Some(&good), body));
    assert!(!signature_matches("key", Some(&good), b"{\"zen\":\"Keep it simpl3\"}"));
    assert!(!signature_matches("", Some(&sign("", body)), body), "an empty secret never matches");
    for bad in [
        None,
        Some(""),
        Some("sha256="),
        Some(&good[7..]),
        Some(&good[..good.len() - 2]),
        Some("sha1=0a4d55a8d778e5022fab701977c5d840bbc486d0"),
    ] {
        assert!(!signature_matches("key", bad, body), "{bad:?}");
    }
}

#[test]
fn a_push_is_parsed_into_commits_of_its_branch() {
    let push = |reference: &str, deleted: bool| {
        json!({
            "ref": reference, "deleted": deleted, "repository": {"full_name": "octo/station"},
            "sender": {"login": "ada", "avatar_url": "https://pictures.example/1"},
            "commits": [
                {"id": "a1", "message": "One", "timestamp": "2026-01-02T11:00:00+01:00", "author": {"name": "Ada", "email": "a@b", "username": "ada"}},
                {"id": "b2", "message": "Two", "timestamp": "2026-01-02T10:00:01Z", "author": {"name": "Bob", "email": "b@b"}}
            ]
        })
        .to_string()
    };
    let commits = parse_webhook("push", push("refs/heads/dev/next", false).as_bytes()).unwrap().unwrap();
    assert_eq!((commits[0].timestamp, commits[0].branch.as_deref()), (1_767_348_000, Some("dev/next")));
    assert_eq!(
        (commits[0].author_avatar_url.as_deref(), commits[1].author_avatar_url.as_deref()),
        (Some("https://pictures.example/1"), None)
    );
    assert_eq!(parse_webhook("push", push("refs/tags/v1", false).as_bytes()).unwrap(), Some(Vec::new()));
    assert_eq!(parse_webhook("push", push("refs/heads/old", true).as_bytes()).unwrap(), Some(Vec::new()));
    assert_eq!(parse_webhook("ping", b"{}").unwrap(), None);
    assert_eq!(parse_webhook("star", b"{}").unwrap(), None);
    assert!(parse_webhook("push", b"{\"ref\":1}").is_err());
}
