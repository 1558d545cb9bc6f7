//! Visits: sums for the admins' page, single ones gone after five days.

use super::*;

on_both!(visits_become_sums_and_single_ones_are_forgotten);

async fn visits_become_sums_and_single_ones_are_forgotten(on: Backend) {
    let (server, _discord) = site(on).await;
    let track = async |cookie: Option<&str>, data: Value| {
        let body = json!({ "pageTitle": "x", "customData": data }).to_string();
        let mut request = server.request(Method::POST, "/api/analytics/track").body(body);
        if let Some(cookie) = cookie {
            request = request.header("cookie", cookie).header("sec-fetch-site", "same-origin");
        }
        let answer = server.ask(request).await;
        assert_eq!(answer.status, 202, "{}", answer.text());
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    };
    let first = track(None, json!({ "type": "page_view", "pagePath": "/", "referrer": "news.example" })).await;
    track(Some(&first), json!({ "type": "page_view", "pagePath": "/player/Ann-1", "screenResolution": "1x1" })).await;
    track(Some(&first), json!({ "type": "performance", "pagePath": "/", "loadTime": 400 })).await;
    let second = track(None, json!({ "type": "page_view", "pagePath": "/player/Bob-1" })).await;
    track(Some(&second), json!({ "type": "performance", "pagePath": "/", "loadTime": 600 })).await;
    track(Some(&second), json!({ "type": "error", "pagePath": "/", "message": "Broke" })).await;
    let admin = sign_in(&server, ADMIN).await;
    let sums = async || {
        let answer = server.ask(server.request(Method::GET, "/api/admin/state").bearer_auth(&admin)).await;
        answer.json()["state"]["visits"].clone()
    };
    let before = sums().await;
    let today = before["days"].as_array().unwrap().last().unwrap().clone();
    let figures =
        [&today["views"], &today["visitors"], &today["errors"], &today["load_ms"]].map(|f| f.as_i64().unwrap());
    assert_eq!(figures, [3, 2, 1, 500]);
    assert_eq!(before["pages"][0], json!({ "label": "/player/…", "value": 2 }));
    assert_eq!(before["referrers"], json!([{ "label": "news.example", "value": 1 }]));
    let kept = server.database.words("SELECT data AS value FROM visits");
    assert!(kept.iter().all(|data| !data.contains("screenResolution")), "{kept:?}");
    // Five days pass.
    let old = now() - 5 * DAY - 60_000;
    server.database.run(&format!("UPDATE visits SET visited_at = {old} WHERE kind <> 'error'"));
    let run = server.request(Method::POST, "/api/admin/jobs/visits/run").bearer_auth(&admin);
    assert_eq!(server.ask(run).await.status, 200);
    until("single visits are gone", async || {
        (server.database.number("SELECT COUNT(*) FROM visits") == 1).then_some(())
    })
    .await;
    assert_eq!(sums().await, before, "the sums stay");
}
