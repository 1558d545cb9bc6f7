//! A panic is one failed response and is counted. Projections are rebuilt, and the server continues.
//!
//! Failpoints cause the panics; only builds with debug assertions have them (`failpoint`).

use serde_json::json;

use crate::support::*;

on_both!(
    a_panic_after_a_commit_fails_one_response_and_projections_are_rebuilt,
    a_panic_during_ingest_fails_one_response,
);

struct Site {
    server: Server,
    key: String,
    failpoints: tempfile::TempDir,
}

impl Site {
    async fn on(on: Backend) -> Self {
        let failpoints = tempfile::tempdir().unwrap();
        let mut server = Server::prepare(on).into_process();
        server.env("FAILPOINTS", failpoints.path().to_str().unwrap());
        server.run();
        let key = server.key("reader");
        Self { server, key, failpoints }
    }

    /// Makes the program panic once at this point.
    fn arm(&self, name: &str) {
        std::fs::write(self.failpoints.path().join(name), "").unwrap();
    }

    async fn panics(&self) -> u64 {
        let text = self.server.get("/metrics").await.text();
        let line = text.lines().find(|line| line.starts_with("apogee_panics_total ")).unwrap();
        line.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

async fn a_panic_after_a_commit_fails_one_response_and_projections_are_rebuilt(on: Backend) {
    let site = Site::on(on).await;
    let (server, key) = (&site.server, &site.key);
    let at = now() - DAY;
    server.take(key, &npc_kills("Ann-1", 3, at)).await;
    for round in 1..=2 {
        site.arm("effect");
        let pilot = format!("Missed-{round}");
        let batch = npc_kills(&pilot, 5 + round, at);
        let refused = server.try_send(key, &batch).await;
        // On PostgreSQL, the follower's thread may have run the effect; then the request succeeds.
        if on == Backend::Sqlite || refused.status != 200 {
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (500, "INTERNAL"), "{}", refused.text());
        }
        assert_eq!(site.panics().await, round as u64);
        // The events are stored, and the writer continues.
        let again = server.send(key, &batch).await;
        assert_eq!((&again["accepted"], &again["duplicates"]), (&json!(0), &json!(5 + round)));
        server.take(key, &npc_kills(&format!("Next-{round}"), 1, at)).await;
        eventually("rebuilding the projections", async || {
            let found = server.read(&format!("/api/search/fast?q={pilot}")).await;
            found["results"][0]["handle"] == pilot.as_str()
        })
        .await;
        let player = server.read(&format!("/api/player/{pilot}")).await["player"].clone();
        assert_eq!((&player["overall"], &player["rank_overall"]), (&json!(5 + round), &json!(1)), "{pilot}");
        let board = server.read("/api/players/leaderboard").await;
        assert_eq!(board["players"][0]["handle"], pilot.as_str());
        assert_eq!(board["pagination"]["total"], 1 + 2 * round);
    }
    assert_eq!(site.panics().await, 2);
}

async fn a_panic_during_ingest_fails_one_response(on: Backend) {
    let site = Site::on(on).await;
    let (server, key) = (&site.server, &site.key);
    // More panics than workers: no worker is lost.
    for round in 1..=4 {
        site.arm("ingest");
        let batch = npc_kills("Ann-1", 2, now() - round * DAY);
        let refused = tokio::time::timeout(HANG, server.try_send(key, &batch)).await;
        assert_eq!(refused.expect("a response arrives").code(), "INTERNAL");
        assert_eq!(site.panics().await, round as u64);
        let taken = tokio::time::timeout(HANG, server.send(key, &batch)).await;
        assert_eq!(taken.expect("a response arrives")["accepted"], 2);
    }
}
