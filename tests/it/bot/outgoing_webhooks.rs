//! Outgoing webhooks: signatures, retries, delivery log and test messages.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

use super::mock_http::{MockHttp, Request};
use super::*;

on_sqlite!(events_are_signed_and_retried_until_accepted, a_receiver_that_responds_410_is_disabled,);

const SECRET: &str = "a-secret-of-the-operator";

fn is_signed(request: &Request) -> bool {
    let header = |name: &str| request.header(name).unwrap_or_default();
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(format!("{}.{}.{}", header("webhook-id"), header("webhook-timestamp"), request.body).as_bytes());
    header("webhook-signature") == format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// A site with a webhook whose receiver responds with this status.
async fn site_with_webhook(on: Backend, status: &Arc<AtomicU16>) -> (Server, MockHttp, String) {
    let discord = MockDiscord::start().await;
    let known = Arc::clone(status);
    let receiver = MockHttp::start(move |_| (known.load(Ordering::SeqCst), Vec::new(), b"{}".to_vec())).await;
    let mut server = site_of(on, &discord);
    let text = format!(
        "[[webhooks]]\nname = \"mine\"\nurl = \"{}/in?key=of-the-path\"\nsecret = \"{SECRET}\"\n",
        receiver.url
    );
    std::fs::write(server.data_dir().join("apogee.toml"), text).unwrap();
    server.run();
    eventually("a place", async || server.database.number("SELECT COUNT(*) FROM webhook_positions") == 1).await;
    let token = sign_in(&server, ADMIN).await;
    (server, receiver, token)
}

async fn act(server: &Server, token: &str, path: &str) -> u16 {
    server.execute(server.request(Method::POST, path).bearer_auth(token)).await.status.as_u16()
}

async fn events_are_signed_and_retried_until_accepted(on: Backend) {
    let status = Arc::new(AtomicU16::new(500));
    let (server, receiver, token) = site_with_webhook(on, &status).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY)).await;
    eventually("the first attempt", async || receiver.requests().len() == 1).await;
    // The test skips the delays between attempts.
    let sooner = "UPDATE webhook_deliveries SET next_at = 0 WHERE done_at IS NULL";
    eventually("a recorded failure", async || {
        server.database.number("SELECT COUNT(*) FROM webhook_deliveries WHERE status = 500") == 1
    })
    .await;
    assert!(server.database.number("SELECT MIN(next_at) FROM webhook_deliveries") > now());
    status.store(200, Ordering::SeqCst);
    server.database.run(sooner);
    let taken = "SELECT COUNT(*) FROM webhook_deliveries WHERE is_delivered";
    eventually("the first delivery", async || server.database.number(taken) == 1).await;
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY / 2)).await;
    eventually("the second delivery", async || server.database.number(taken) == 2).await;
    let requests = receiver.requests();
    assert!(requests.iter().all(is_signed), "{requests:?}");
    assert!(requests.iter().all(|one| !one.body.contains("in?key")));
    let ids: BTreeSet<&str> = requests.iter().map(|one| one.header("webhook-id").unwrap()).collect();
    assert_eq!((requests.len(), ids.len()), (3, 2), "a retry has the id of the first attempt");
    let sent: Vec<i64> = requests[1..]
        .iter()
        .flat_map(|one| {
            let body: Value = serde_json::from_str(&one.body).unwrap();
            assert_eq!(body["type"], "activity");
            let rows = body["data"]["events"].as_array().unwrap().clone();
            rows.into_iter().map(|row| row["id"].as_str().unwrap().parse().unwrap())
        })
        .collect();
    assert_eq!(sent, (1..=10).collect::<Vec<_>>(), "each row once, in order");
    // The test button of the admin page.
    assert_eq!(act(&server, &token, "/api/admin/webhooks/mine/test").await, 200);
    let test =
        until("the test", async || receiver.requests().into_iter().find(|one| one.body.contains("\"test\""))).await;
    assert!(is_signed(&test));
    assert_eq!(act(&server, &token, "/api/admin/webhooks/another/test").await, 404);
    // While disabled, nothing is sent; events in the meantime are skipped.
    assert_eq!(act(&server, &token, "/api/admin/webhooks/mine/off").await, 200);
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY / 3)).await;
    assert_eq!(act(&server, &token, "/api/admin/webhooks/mine/on").await, 200);
    // Events of an old log are no news.
    server.take(&key, &npc_kills("Old-1", 1, now() - 3 * DAY)).await;
    server.take(&key, &npc_kills("Bob-1", 1, now() - DAY / 4)).await;
    let last = until("news", async || receiver.requests().into_iter().find(|one| one.body.contains("Bob-1"))).await;
    assert!(!last.body.contains("Ann-1"));
    assert!(receiver.requests().iter().all(|one| !one.body.contains("Old-1")));
}

async fn a_receiver_that_responds_410_is_disabled(on: Backend) {
    let status = Arc::new(AtomicU16::new(410));
    let (server, receiver, token) = site_with_webhook(on, &status).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    eventually("the disabled webhook", async || {
        let off = "SELECT COUNT(*) FROM webhook_positions WHERE disabled_reason IS NOT NULL";
        server.database.number(off) == 1
    })
    .await;
    assert_eq!(receiver.requests().len(), 1);
    let state = server.execute(server.request(Method::GET, "/api/admin/state").bearer_auth(&token)).await;
    for secret in [SECRET, "of-the-path", "the-bot-token", "the-client-secret"] {
        assert!(!state.text().contains(secret), "diagnostics contain no secret: {secret}");
    }
    let sections = state.json()["state"]["sections"].as_array().unwrap().clone();
    let section = |id: &str| sections.iter().find(|section| section["id"] == id).unwrap().clone();
    assert_eq!(section("webhooks")["tone"], "warn");
    let log = section("webhook-log")["rows"].clone();
    assert_eq!((&log["rows"][0][3], &log["rows"][0][5]), (&json!("failed"), &json!(410)));
    // The receiver recovers: the failed delivery is retried.
    status.store(204, Ordering::SeqCst);
    assert_eq!(act(&server, &token, "/api/admin/webhooks/mine/on").await, 200);
    assert_eq!(act(&server, &token, log["acts"][0][0]["path"].as_str().unwrap()).await, 200);
    eventually("the delivery", async || {
        server.database.number("SELECT COUNT(*) FROM webhook_deliveries WHERE is_delivered") == 1
    })
    .await;
}
