//! Signatures of incoming webhooks of Discord and GitHub, and replays.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::*;

on_sqlite!(an_interaction_requires_a_valid_signature, a_push_requires_a_valid_signature_and_counts_once,);

async fn an_interaction_requires_a_valid_signature(on: Backend) {
    let (server, _discord) = site(on).await;
    let sign = |key: &SigningKey, at: &str, body: &str| hex(&key.sign(format!("{at}{body}").as_bytes()).to_bytes());
    let at = (now() / 1_000).to_string();
    let ping = json!({ "type": 1, "id": "ping" }).to_string();
    let good = sign(&key(), &at, &ping);
    let other = sign(&SigningKey::from_bytes(&[8; 32]), &at, &ping);
    let old = (now() / 1_000 - 301).to_string();
    let changed = ping.replace("ping", "pong");
    // Invalid JSON is rejected for its signature: the body is not parsed before.
    let refused: [(&str, Option<&str>, Option<&str>, &str); 8] = [
        ("no signature", None, Some(&at), &ping),
        ("no time", Some(&good), None, &ping),
        ("another key", Some(&other), Some(&at), &ping),
        ("a changed byte", Some(&good), Some(&at), &changed),
        ("another time", Some(&good), Some(&old), &ping),
        ("an expired call", Some(&sign(&key(), &old, &ping)), Some(&old), &ping),
        ("no hexadecimal", Some("zz"), Some(&at), &ping),
        ("no JSON", None, None, "{"),
    ];
    for (what, signature, time, body) in refused {
        let response = signed(&server, signature, time, body.to_owned()).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (401, "UNAUTHORIZED"), "{what}");
    }
    let response = signed(&server, Some(&good), Some(&at), ping.clone()).await;
    assert_eq!((response.status.as_u16(), response.json()), (200, json!({ "type": 1 })));
    let again = signed(&server, Some(&good), Some(&at), ping.clone()).await;
    assert_eq!(again.status, 401, "a replayed call");
    let nonsense = signed(&server, Some(&sign(&key(), &at, "{")), Some(&at), "{".into()).await;
    assert_eq!(nonsense.status, 400, "a signed call with an invalid body");
}

fn push(id: &str, branch: &str) -> String {
    json!({
        "ref": format!("refs/heads/{branch}"), "deleted": false, "repository": { "full_name": "octo/station" },
        "sender": { "login": "ada", "avatar_url": "https://avatars.githubusercontent.com/u/1" },
        "commits": [{ "id": id, "message": "One", "timestamp": "2026-01-02T11:00:00+01:00",
            "author": { "name": "Ada", "email": "a@b", "username": "ada" } }]
    })
    .to_string()
}

fn hmac(secret: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(body.as_bytes());
    format!("sha256={}", hex(&mac.finalize().into_bytes()))
}

async fn deliver(server: &Server, id: &str, signature: Option<(&str, &str)>, body: &str) -> Response {
    let mut request = server.request(Method::POST, "/api/webhooks/github").body(body.to_owned());
    request = request.header("x-github-event", "push").header("x-github-delivery", id);
    if let Some((name, value)) = signature {
        request = request.header(name, value);
    }
    server.execute(request).await
}

async fn a_push_requires_a_valid_signature_and_counts_once(on: Backend) {
    let discord = MockDiscord::start().await;
    let mut server = site_of(on, &discord);
    server.run();
    let body = push("aaa", "main");
    let header = "x-hub-signature-256";
    let good = hmac("webhook-secret-1", &body);
    let off = deliver(&server, "d0", Some((header, &good)), &body).await;
    assert_eq!(off.status, 404, "without a secret the route does not exist");
    server.stop();
    server.env("APOGEE_GITHUB_WEBHOOK_SECRET", "webhook-secret-1");
    server.run();
    let (other, empty) = (hmac("another", &body), hmac("", &body));
    for (what, signature) in [
        ("no signature", None),
        ("another secret", Some((header, other.as_str()))),
        ("no secret", Some((header, empty.as_str()))),
        ("SHA-1 alone", Some(("x-hub-signature", "sha1=0a4d55a8d778e5022fab701977c5d840bbc486d0"))),
        ("half a signature", Some((header, &good[..40]))),
    ] {
        let response = deliver(&server, "d1", signature, &body).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (401, "UNAUTHORIZED"), "{what}");
    }
    let changed = body.replace("One", "Two");
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &changed).await.status, 401, "a changed byte");
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &body).await.json()["commits"], 1);
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &body).await.json()["commits"], 0, "a repeated delivery");
    // A signed request with the id of an accepted delivery is ignored.
    let another = push("bbb", "other");
    let signature = hmac("webhook-secret-1", &another);
    assert_eq!(deliver(&server, "d1", Some((header, &signature)), &another).await.json()["commits"], 0);
    let stored = server.read("/api/commits").await;
    assert_eq!(stored["pagination"]["total"], 1);
    let picture = stored["commits"][0]["author_avatar_url"].as_str().unwrap();
    assert!(picture.starts_with("/avatars/") && !picture.contains("github"), "{picture}");
}

/// Sends only the head of a request and returns the response.
fn head_alone(server: &Server, path: &str, headers: &str) -> String {
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n");
    crate::api::rate_limits::exchange(&server.address, head.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhooks_body_is_not_read_before_its_headers_are_valid() {
    let without = Server::start(Backend::Sqlite).await;
    let (mut server, _discord) = site(Backend::Sqlite).await;
    server.stop();
    server.env("APOGEE_GITHUB_WEBHOOK_SECRET", "webhook-secret-1");
    server.run();
    let (github, interactions) = ("/api/webhooks/github", "/api/discord/interactions");
    let good = format!("X-Hub-Signature-256: sha256={}\r\n", "ab".repeat(32));
    let short = "X-Hub-Signature-256: sha256=abcd\r\nContent-Length: 20000000\r\n";
    let old =
        format!("X-Signature-Ed25519: {}\r\nX-Signature-Timestamp: 1\r\nContent-Length: 200000\r\n", "ab".repeat(64));
    for (what, site, path, headers, status) in [
        ("no secret", &without, github, format!("{good}Content-Length: 20000000\r\n"), 404),
        ("no signature", &server, github, "Content-Length: 20000000\r\n".to_owned(), 401),
        ("half a signature", &server, github, short.to_owned(), 401),
        ("too long", &server, github, format!("{good}Content-Length: 99000000\r\n"), 413),
        ("no bot", &without, interactions, old.clone(), 404),
        ("no headers", &server, interactions, "Content-Length: 200000\r\n".to_owned(), 401),
        ("an expired call", &server, interactions, old, 401),
    ] {
        let response = head_alone(site, path, &headers);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{what}: {response}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_webhook_calls_are_rate_limited_and_valid_ones_are_not() {
    let mut server = Server::prepare(Backend::Sqlite);
    let file = "trusted-proxies = [\"127.0.0.1\"]\n[limits]\nloopback = true\n";
    std::fs::write(server.data_dir().join("apogee.toml"), file).unwrap();
    server.env("APOGEE_GITHUB_WEBHOOK_SECRET", "webhook-secret-1");
    server.run();
    let push = async |address: &str, secret: &str| {
        let body = json!({ "zen": "x" }).to_string();
        let signature = hmac(secret, &body);
        let request = server.request(Method::POST, "/api/webhooks/github").body(body);
        let request = request.header("x-forwarded-for", address.to_owned()).header("x-github-event", "ping");
        server.execute(request.header("x-hub-signature-256", signature)).await
    };
    for _ in 0..60 {
        assert_eq!(push("198.51.100.1", "webhook-secret-1").await.status, 200);
    }
    for _ in 0..30 {
        assert_eq!(push("198.51.100.2", "guessed").await.status, 401);
    }
    let refused = push("198.51.100.2", "webhook-secret-1").await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    assert!(refused.header("retry-after").is_some());
    assert_eq!(push("198.51.100.1", "webhook-secret-1").await.status, 200, "other addresses are not affected");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn few_pushes_per_address_are_read_concurrently_and_others_succeed() {
    use std::io::{Read, Write};
    let mut server = Server::prepare(Backend::Sqlite);
    let file = "trusted-proxies = [\"127.0.0.1\"]\n[limits]\nloopback = true\n";
    std::fs::write(server.data_dir().join("apogee.toml"), file).unwrap();
    server.env("APOGEE_GITHUB_WEBHOOK_SECRET", "webhook-secret-1");
    server.run();
    let begin = || {
        let mut stream = crate::api::rate_limits::connect(&server.address);
        let head = format!(
            "POST /api/webhooks/github HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n\
             X-Hub-Signature-256: sha256={}\r\nContent-Length: 20000000\r\n\r\n{{",
            "ab".repeat(32)
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    // Two requests wait for their bodies, and the third one gets a response.
    let mut streams: Vec<_> = (0..3).map(|_| begin()).collect();
    let answered = until("a response to one of three", async || {
        streams.iter_mut().find_map(|stream| {
            stream.set_read_timeout(Some(std::time::Duration::from_millis(20))).unwrap();
            let mut start = [0; 12];
            stream.read_exact(&mut start).ok().map(|()| String::from_utf8_lossy(&start).into_owned())
        })
    });
    assert_eq!(answered.await, "HTTP/1.1 429");
    let body = json!({ "zen": "x" }).to_string();
    let signature = hmac("webhook-secret-1", &body);
    let request = server.request(Method::POST, "/api/webhooks/github").body(body).header("x-github-event", "ping");
    let request = request.header("x-forwarded-for", "198.51.100.2").header("x-hub-signature-256", signature);
    assert_eq!(server.execute(request).await.status, 200);
}
