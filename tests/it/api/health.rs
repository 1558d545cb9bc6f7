//! Health, readiness and metrics.

use serde_json::json;

use crate::support::*;

on_both!(health_readiness_and_metrics_respond);

async fn health_readiness_and_metrics_respond(on: Backend) {
    let server = Server::start(on).await;
    let health = server.read("/api/health").await;
    assert_eq!(health["status"], "up");
    assert_eq!(health["version"], env!("CARGO_PKG_VERSION"));
    let ready = server.read("/api/ready").await;
    assert_eq!(ready, json!({"success": true, "ready": true, "database": true, "index": true}));
    let key = server.key("reader");
    server.take(&key, &npc_kills("Counted", 3, now() - DAY)).await;
    let figures = server.get("/metrics").await.text();
    for line in ["apogee_events_total 3", "apogee_players 1", "apogee_guilds 0", "apogee_live_readers 0"] {
        assert!(figures.lines().any(|l| l == line), "{line} in {figures}");
    }
    // A client behind a proxy is not on loopback.
    let request = server.request(reqwest::Method::GET, "/metrics").header("x-forwarded-for", "203.0.113.9");
    assert_eq!(server.execute(request).await.status.as_u16(), 404);
    if on == Backend::Postgres {
        // Without a database, the client should retry later, and the process remains healthy.
        server.database.refuse_connections();
        let busy = server.get("/api/activity").await;
        assert_eq!(
            (busy.status.as_u16(), busy.code().as_str(), busy.header("retry-after")),
            (503, "OVERLOADED", Some("1"))
        );
        let unready = server.get("/api/ready").await;
        assert_eq!((unready.status.as_u16(), &unready.json()["database"]), (503, &json!(false)));
        assert_eq!(server.get("/api/health").await.status.as_u16(), 200);
        server.database.accept_connections();
        eventually("connected again", async || server.get("/api/ready").await.status == 200).await;
    }
}
