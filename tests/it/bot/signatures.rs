//! Calls of Discord and of GitHub are believed by their signature alone, once.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::*;

on_both!(an_interaction_is_believed_by_its_signature_alone, a_push_is_believed_by_its_signature_alone_and_once,);

async fn an_interaction_is_believed_by_its_signature_alone(on: Backend) {
    let (server, _discord) = site(on).await;
    let sign = |key: &SigningKey, at: &str, body: &str| hex(&key.sign(format!("{at}{body}").as_bytes()).to_bytes());
    let at = (now() / 1_000).to_string();
    let ping = json!({ "type": 1, "id": "ping" }).to_string();
    let good = sign(&key(), &at, &ping);
    let other = sign(&SigningKey::from_bytes(&[8; 32]), &at, &ping);
    let old = (now() / 1_000 - 301).to_string();
    let changed = ping.replace("ping", "pong");
    // What is no JSON at all is refused for its signature: nothing of it was read.
    let refused: [(&str, Option<&str>, Option<&str>, &str); 8] = [
        ("no signature", None, Some(&at), &ping),
        ("no time", Some(&good), None, &ping),
        ("another key", Some(&other), Some(&at), &ping),
        ("a changed byte", Some(&good), Some(&at), &changed),
        ("another time", Some(&good), Some(&old), &ping),
        ("an old call", Some(&sign(&key(), &old, &ping)), Some(&old), &ping),
        ("no hexadecimal", Some("zz"), Some(&at), &ping),
        ("no JSON", None, None, "{"),
    ];
    for (what, signature, time, body) in refused {
        let answer = signed(&server, signature, time, body.to_owned()).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (401, "UNAUTHORIZED"), "{what}");
    }
    let answer = signed(&server, Some(&good), Some(&at), ping.clone()).await;
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({ "type": 1 })));
    let again = signed(&server, Some(&good), Some(&at), ping.clone()).await;
    assert_eq!(again.status, 401, "the same call once more");
    let nonsense = signed(&server, Some(&sign(&key(), &at, "{")), Some(&at), "{".into()).await;
    assert_eq!(nonsense.status, 400, "a believed call that cannot be read");
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

async fn deliver(server: &Server, id: &str, signature: Option<(&str, &str)>, body: &str) -> Answer {
    let mut request = server.request(Method::POST, "/api/webhooks/github").body(body.to_owned());
    request = request.header("x-github-event", "push").header("x-github-delivery", id);
    if let Some((name, value)) = signature {
        request = request.header(name, value);
    }
    server.ask(request).await
}

async fn a_push_is_believed_by_its_signature_alone_and_once(on: Backend) {
    let discord = Discord::start().await;
    let mut server = site_of(on, &discord);
    server.run();
    let body = push("aaa", "main");
    let header = "x-hub-signature-256";
    let good = hmac("webhook-secret-1", &body);
    let off = deliver(&server, "d0", Some((header, &good)), &body).await;
    assert_eq!(off.status, 404, "without a secret there is no such address");
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
        let answer = deliver(&server, "d1", signature, &body).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (401, "UNAUTHORIZED"), "{what}");
    }
    let changed = body.replace("One", "Two");
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &changed).await.status, 401, "a changed byte");
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &body).await.json()["commits"], 1);
    assert_eq!(deliver(&server, "d1", Some((header, &good)), &body).await.json()["commits"], 0, "the same again");
    // Whatever comes under the id of a delivery that was taken is nothing, also when it is signed.
    let another = push("bbb", "other");
    let signature = hmac("webhook-secret-1", &another);
    assert_eq!(deliver(&server, "d1", Some((header, &signature)), &another).await.json()["commits"], 0);
    let stored = server.read("/api/commits").await;
    assert_eq!(stored["pagination"]["total"], 1);
    let picture = stored["commits"][0]["author_avatar_url"].as_str().unwrap();
    assert!(picture.starts_with("/avatars/") && !picture.contains("github"), "{picture}");
}
