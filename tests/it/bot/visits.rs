//! Page visits: daily totals for the admin page, and deletion of single visits after five days.

use super::*;

on_sqlite!(
    visits_become_daily_totals_and_single_ones_are_deleted,
    stored_visits_are_limited_per_session_network_and_day,
    the_cookie_of_a_visit_is_secure_on_https,
);

async fn visits_become_daily_totals_and_single_ones_are_deleted(on: Backend) {
    let (server, _discord) = site(on).await;
    let track = async |cookie: Option<&str>, data: Value| {
        let body = json!({ "pageTitle": "x", "customData": data }).to_string();
        let mut request = server.request(Method::POST, "/api/analytics/track").body(body);
        if let Some(cookie) = cookie {
            request = request.header("cookie", cookie).header("sec-fetch-site", "same-origin");
        }
        let response = server.execute(request).await;
        assert_eq!(response.status, 202, "{}", response.text());
        response.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    };
    let first = track(None, json!({ "type": "page_view", "pagePath": "/", "referrer": "news.example" })).await;
    track(Some(&first), json!({ "type": "page_view", "pagePath": "/player/Ann-1", "screenResolution": "1x1" })).await;
    track(Some(&first), json!({ "type": "performance", "pagePath": "/", "loadTime": 400 })).await;
    let second = track(None, json!({ "type": "page_view", "pagePath": "/player/Bob-1" })).await;
    track(Some(&second), json!({ "type": "performance", "pagePath": "/", "loadTime": 600 })).await;
    track(Some(&second), json!({ "type": "error", "pagePath": "/", "message": "Broke" })).await;
    let admin = sign_in(&server, ADMIN).await;
    let sums = async || {
        let response = server.execute(server.request(Method::GET, "/api/admin/state").bearer_auth(&admin)).await;
        response.json()["state"]["visits"].clone()
    };
    let before = sums().await;
    let today = before["days"].as_array().unwrap().last().unwrap().clone();
    let figures =
        [&today["views"], &today["visitors"], &today["errors"], &today["load_ms"]].map(|f| f.as_i64().unwrap());
    assert_eq!(figures, [3, 2, 1, 500]);
    assert_eq!(before["pages"][0], json!({ "label": "/player/…", "value": 2 }));
    assert_eq!(before["referrers"], json!([{ "label": "news.example", "value": 1 }]));
    let stored = server.database.words("SELECT data AS value FROM visits");
    assert!(stored.iter().all(|data| !data.contains("screenResolution")), "{stored:?}");
    // Five days pass.
    let old = now() - 5 * DAY - 60_000;
    server.database.run(&format!("UPDATE visits SET visited_at = {old} WHERE kind <> 'error'"));
    let run = server.request(Method::POST, "/api/admin/jobs/visits/run").bearer_auth(&admin);
    assert_eq!(server.execute(run).await.status, 200);
    eventually("deleted visits", async || server.database.number("SELECT COUNT(*) FROM visits") == 1).await;
    assert_eq!(sums().await, before, "totals are unchanged");
    // Totals by referrer are stored for 90 days, those by page forever.
    let day = now() / DAY - 91;
    server.database.run(&format!(
        "INSERT INTO visit_days (day, page_path, kind, visits, total_ms) VALUES ({day}, 'old.example', 'referrer', 1, 0), \
         ({day}, '/', 'page_view', 1, 0)"
    ));
    let run = server.request(Method::POST, "/api/admin/jobs/visits/run").bearer_auth(&admin);
    assert_eq!(server.execute(run).await.status, 200);
    eventually("deleted hosts", async || {
        let rows = format!("SELECT COUNT(*) FROM visit_days WHERE day = {day}");
        server.database.number(&rows) == 1
    })
    .await;
}

/// A site behind a local proxy, without rate limits.
async fn behind_proxy(on: Backend, more: &str) -> Server {
    let mut server = Server::prepare(on);
    let file = format!("trusted-proxies = [\"127.0.0.1\"]\n{more}[limits]\nenabled = false\n");
    std::fs::write(server.data_dir().join("apogee.toml"), file).unwrap();
    server.run();
    server
}

async fn stored_visits_are_limited_per_session_network_and_day(on: Backend) {
    let server = behind_proxy(on, "").await;
    let message = "x".repeat(2_000);
    let one = json!({ "customData": { "type": "error", "pagePath": "/", "message": message, "filename": message } });
    let body = json!({ "events": vec![one; 10] }).to_string();
    let track = async |address: &str, session: Option<&str>| {
        let mut request = server.request(Method::POST, "/api/analytics/track").body(body.clone());
        request = request.header("x-forwarded-for", address.to_owned());
        if let Some(session) = session {
            let cookie = format!("apogee_visit={session}");
            request = request.header("cookie", cookie).header("sec-fetch-site", "same-origin");
        }
        assert_eq!(server.execute(request).await.status, 202);
    };
    let stored = |filter: &str| server.database.number(&format!("SELECT COUNT(*) FROM visits WHERE {filter}"));
    let session = "0123456789abcdef0123456789abcdef";
    for n in 0..60 {
        track(&format!("2001:db8:{n:x}::1"), Some(session)).await;
    }
    assert_eq!(stored("1 = 1"), 500, "limit per session, from any network");
    for n in 0..310 {
        track(&format!("2001:db8:ffff:1::{n:x}"), None).await;
    }
    assert_eq!(stored(&format!("session_id <> '{session}'")), 3_000, "limit per network, for any number of sessions");
    let largest = server.database.number("SELECT MAX(LENGTH(data)) FROM visits");
    assert!(largest < 1_000, "{largest}");
    // After the daily limit, totals continue and single visits are not stored.
    server.database.run("UPDATE visit_days SET visits = 67108864 WHERE kind = 'stored_bytes'");
    let (rows, sum) = (stored("1 = 1"), "SELECT visits FROM visit_days WHERE kind = 'error'");
    let before = server.database.number(sum);
    track("198.51.100.1", None).await;
    assert_eq!((stored("1 = 1"), server.database.number(sum)), (rows, before + 10));
}

async fn the_cookie_of_a_visit_is_secure_on_https(on: Backend) {
    let plain = behind_proxy(on, "").await;
    let tls = behind_proxy(on, "public-url = \"https://stats.example\"\n").await;
    let body = json!({ "pageTitle": "x", "customData": { "pagePath": "/" } }).to_string();
    let cookie = async |server: &Server, proto: Option<&'static str>| {
        let mut request = server.request(Method::POST, "/api/analytics/track").body(body.clone());
        if let Some(proto) = proto {
            request = request.header("x-forwarded-proto", proto);
        }
        server.execute(request).await.header("set-cookie").unwrap().to_owned()
    };
    assert!(!cookie(&plain, None).await.contains("Secure"));
    assert!(cookie(&plain, Some("https")).await.contains("; Secure"));
    assert!(cookie(&tls, None).await.contains("; Secure"));
}
