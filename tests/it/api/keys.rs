//! Ingest keys: creation, listing and revocation by their owners.

use reqwest::Method;
use serde_json::json;

use crate::support::*;

on_sqlite!(
    a_key_is_valid_until_it_is_revoked,
    keys_belong_to_their_creator,
    a_login_of_a_reader_respects_the_limit_of_keys
);

async fn a_key_is_valid_until_it_is_revoked(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    assert_eq!(server.as_user(&token, Method::GET, "/api/keys", None).await.json()["keys"], json!([]));
    let made = server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": " Gaming PC "}))).await.json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    assert_eq!((&made["key"]["name"], &made["key"]["last_used_at"]), (&json!("Gaming PC"), &json!(null)));
    server.give_player("7001", "Key-Owner");
    server.take_from_log_of(&secret, "Key-Owner", &npc_kills("Key-Owner", 1, now() - DAY)).await;
    let listed = server.as_user(&token, Method::GET, "/api/keys", None).await;
    assert!(!listed.text().contains(&secret), "a secret is shown only once");
    let key = &listed.json()["keys"][0];
    assert!(key["last_used_at"].as_i64().unwrap() >= now() / 1000 - 60, "{key}");
    let stored = server.database.words("SELECT key_hash AS value FROM ingest_keys");
    assert!(stored.iter().all(|hash| hash.len() == 64 && !secret.contains(hash)), "only hashes are stored");

    // After revocation the next batch is rejected, even by a server that has used the key before.
    server.take_from_log_of(&secret, "Key-Owner", &npc_kills("Key-Owner", 1, now() - 2 * DAY)).await;
    let path = format!("/api/keys/{}", key["id"].as_str().unwrap());
    assert_eq!(server.as_user(&token, Method::DELETE, &path, None).await.status, 200);
    let refused = server.try_send(&secret, &npc_kills("Key-Owner", 1, now() - 3 * DAY)).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(server.as_user(&token, Method::GET, "/api/keys", None).await.json()["keys"], json!([]));
    assert_eq!(server.as_user(&token, Method::DELETE, &path, None).await.code(), "NOT_FOUND");
}

async fn keys_belong_to_their_creator(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "7003");
    server.run();
    let (owner, other, admin) =
        (server.sign_in("7001").await, server.sign_in("7002").await, server.sign_in("7003").await);
    let name = json!({"name": "Tower"});
    let make = async |token: &str| server.as_user(token, Method::POST, "/api/keys", Some(&name)).await;
    let (one, two) = (make(&owner).await.json(), make(&owner).await.json());
    let path = |made: &serde_json::Value| format!("/api/keys/{}", made["key"]["id"].as_str().unwrap());
    assert_eq!(server.as_user(&other, Method::GET, "/api/keys", None).await.json()["keys"], json!([]));
    assert_eq!(server.as_user(&other, Method::DELETE, &path(&one), None).await.code(), "NOT_FOUND");
    assert_eq!(server.as_user(&admin, Method::DELETE, &path(&one), None).await.status, 200);
    assert_eq!(server.as_user(&owner, Method::DELETE, &path(&two), None).await.status, 200);
    for odd in ["/api/keys/x", "/api/keys/0", "/api/keys/99999999999999999999", "/api/keys/Tower"] {
        assert_eq!(server.as_user(&owner, Method::DELETE, odd, None).await.code(), "NOT_FOUND", "{odd}");
    }
    for name in ["", "  ", "a\u{7}b", &"x".repeat(61)] {
        let response = server.as_user(&owner, Method::POST, "/api/keys", Some(&json!({ "name": name }))).await;
        assert_eq!(response.code(), "VALIDATION", "{name:?}");
    }
    for _ in 0..20 {
        assert_eq!(make(&owner).await.status, 200);
    }
    assert_eq!(make(&owner).await.code(), "CONFLICT");
    // A key created with the command line has no owner; admins can revoke it.
    server.key("cli");
    let id = server.database.number("SELECT id FROM ingest_keys WHERE name = 'cli'");
    let path = format!("/api/keys/{id}");
    assert_eq!(server.as_user(&owner, Method::DELETE, &path, None).await.code(), "NOT_FOUND");
    assert_eq!(server.as_user(&admin, Method::DELETE, &path, None).await.status, 200);
}

async fn a_login_of_a_reader_respects_the_limit_of_keys(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    for n in 0..20 {
        let name = json!({ "name": format!("key {n}") });
        assert_eq!(server.as_user(&token, Method::POST, "/api/keys", Some(&name)).await.status, 200);
    }
    let login =
        server.execute(server.request(Method::POST, "/api/reader/login").json(&json!({"name": "PC"}))).await.json();
    let path = format!("/api/reader/login/{}/answer", login["code"].as_str().unwrap());
    let allow = async || server.as_user(&token, Method::POST, &path, Some(&json!({"allow": true}))).await;
    let refused = allow().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "CONFLICT"));
    assert!(refused.text().contains("20 ingest keys"), "{}", refused.text());
    assert_eq!(server.database.number("SELECT COUNT(*) FROM ingest_keys"), 20);
    // The code remains valid until the user has fewer keys.
    server.command(&["key", "revoke", "key 3"]);
    assert_eq!(allow().await.json()["state"], "confirmed");
    let key = server.request(Method::GET, "/api/ingest/key").bearer_auth(login["key"].as_str().unwrap());
    assert_eq!(server.execute(key).await.status, 200);
}
