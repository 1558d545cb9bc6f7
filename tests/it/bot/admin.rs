//! The admin page: schema and actions.

use super::*;
use crate::api::openapi::misfit;

on_sqlite!(
    the_page_shows_errors_and_matches_its_schema,
    an_admin_switches_feeds_and_runs_jobs,
    every_periodic_job_is_listed_with_its_runs,
    an_admin_ends_all_sessions_of_a_user,
);

async fn the_page_shows_errors_and_matches_its_schema(on: Backend) {
    let (server, _discord) = site(on).await;
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    let admin = sign_in(&server, ADMIN).await;
    // A server error is on the page, with its path and cause.
    server.database.run("ALTER TABLE commits RENAME TO commits_gone");
    let broken = server.get("/api/commits").await;
    assert_eq!((broken.status.as_u16(), broken.code().as_str()), (500, "INTERNAL"));
    assert!(!broken.text().contains("commits"), "visitors do not see the cause: {}", broken.text());
    server.database.run("ALTER TABLE commits_gone RENAME TO commits");
    let response = server.execute(server.request(Method::GET, "/api/admin/state").bearer_auth(&admin)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let mut json = response.json();
    let errors = json["state"]["errors"].as_array().unwrap();
    let error = errors.iter().find(|error| error["path"] == "/api/commits").expect("the error is listed");
    assert_eq!(error["code"], "INTERNAL");
    assert!(error["message"].as_str().unwrap().contains("commits"), "admins see the cause: {error}");
    assert!(error["request_id"].is_string());
    let ids: Vec<&str> =
        json["state"]["sections"].as_array().unwrap().iter().map(|section| section["id"].as_str().unwrap()).collect();
    let expected = "database index upstreams queues jobs statsfeed webhooks webhook-log rosters sessions keys reader";
    assert_eq!(ids.join(" "), expected);
    let document = server.get("/api/openapi.json").await.json();
    let responses = &document["paths"]["/api/admin/state"]["get"]["responses"];
    let shape = &responses["200"]["content"]["application/json"]["schema"];
    json.as_object_mut().unwrap().remove("success");
    assert_eq!(misfit(&document, shape, &json, "state"), Ok(()));
    assert!(!server.get("/api/admin/state").await.text().contains("sections"));
}

async fn an_admin_switches_feeds_and_runs_jobs(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    make_feed(&server, "11", "pu-npc-missions", &[]).await;
    let admin = sign_in(&server, ADMIN).await;
    let act =
        async |path: &str| server.execute(server.request(Method::POST, path).bearer_auth(&admin)).await.status.as_u16();
    let id = server.database.number("SELECT MAX(id) FROM statsfeed_channels");
    assert_eq!(act(&format!("/api/admin/statsfeed/{id}/off")).await, 200);
    server.take(&key, &npc_kills("Ann-1", 3, now() - 3_600_000)).await;
    assert_eq!(discord.posts("11"), 0);
    assert_eq!(act(&format!("/api/admin/statsfeed/{id}/on")).await, 200);
    eventually("the missed event", async || discord.lines("11").len() == 3).await;
    for (path, status) in [
        ("/api/admin/statsfeed/999/off".to_owned(), 404),
        (format!("/api/admin/statsfeed/{id}/sideways"), 404),
        ("/api/admin/statsfeed/x/off".to_owned(), 400),
        ("/api/admin/jobs/nothing/run".to_owned(), 404),
        ("/api/admin/deliveries/999/again".to_owned(), 404),
        ("/api/admin/jobs/visits/run".to_owned(), 200),
    ] {
        assert_eq!(act(&path).await, status, "{path}");
    }
}

async fn an_admin_ends_all_sessions_of_a_user(on: Backend) {
    let (server, _discord) = site(on).await;
    let (phone, laptop, admin) =
        (sign_in(&server, "43").await, sign_in(&server, "43").await, sign_in(&server, ADMIN).await);
    let me = async |token: &str| {
        server.execute(server.request(Method::GET, "/api/player/me").bearer_auth(token)).await.status.as_u16()
    };
    assert_eq!((me(&phone).await, me(&laptop).await), (200, 200));
    let state = server.execute(server.request(Method::GET, "/api/admin/state").bearer_auth(&admin)).await.json();
    let sections = state["state"]["sections"].as_array().unwrap();
    let rows = &sections.iter().find(|section| section["id"] == "sessions").unwrap()["rows"];
    let user = server.database.number("SELECT id FROM users WHERE discord_id = '43'");
    let at = rows["rows"].as_array().unwrap().iter().position(|row| row[0] == user).expect("the user is listed");
    assert_eq!(rows["rows"][at][2], 2, "both browsers are listed");
    let path = rows["acts"][at][0]["path"].as_str().unwrap();
    let act = async || server.execute(server.request(Method::POST, path).bearer_auth(&admin)).await.status.as_u16();
    assert_eq!(act().await, 200);
    assert_eq!((me(&phone).await, me(&laptop).await, me(&admin).await), (401, 401, 200));
    assert_eq!(act().await, 404, "no session remains");
}

async fn every_periodic_job_is_listed_with_its_runs(on: Backend) {
    let (server, _discord) = site(on).await;
    let admin = sign_in(&server, ADMIN).await;
    let mut expected = vec!["backups", "windows", "search", "feeds", "rebuild"];
    if on == Backend::Postgres {
        expected.push("changes");
    }
    let table = async || {
        let state = server.execute(server.request(Method::GET, "/api/admin/state").bearer_auth(&admin)).await.json();
        let sections = state["state"]["sections"].as_array().unwrap().clone();
        sections.into_iter().find(|section| section["id"] == "jobs").unwrap()["rows"]["rows"].clone()
    };
    eventually("the first run of each", async || {
        let rows = table().await;
        let has_run = |name: &&str| {
            let row = rows.as_array().unwrap().iter().find(|row| row[0] == **name);
            row.is_some_and(|row| row[3].as_i64().is_some_and(|runs| runs > 0))
        };
        expected.iter().all(has_run)
    })
    .await;
    for name in expected {
        let path = format!("/api/admin/jobs/{name}/run");
        let ran = server.execute(server.request(Method::POST, &path).bearer_auth(&admin)).await;
        assert_eq!(ran.status, 200, "{name}: {}", ran.text());
    }
}
