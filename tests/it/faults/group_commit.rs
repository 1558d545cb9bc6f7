//! 20 writers share one SQLite commit that fails in the middle: rejected writes are not stored, acknowledged ones are, and
//! ranks, index and files agree with the database.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use reqwest::Method;
use serde_json::json;

use crate::faults::disk_faults::{DiskFaults, FAULTS, SentBatches, assert_intact, assert_pictures_intact, batch};
use crate::support::pictures::photograph;
use crate::support::*;

/// Makes SQLite roll back the whole transaction, as after an I/O error, when a key of this name is stored.
const TRIGGER: &str = "CREATE TRIGGER a_fault BEFORE INSERT ON ingest_keys WHEN NEW.name = 'fault' \
    BEGIN SELECT RAISE(ROLLBACK, 'disk I/O error'); END";
const USERS: [&str; 4] = ["7001", "7002", "7003", "7004"];

struct Site {
    server: Server,
    key: String,
    tokens: Vec<String>,
    promised: SentBatches,
    keys: i64,
    pictures: i64,
    _discord: mock_server::MockServer,
}

impl Site {
    /// Starts 20 writers while the database is locked, so that they wait and share commits. The seventh key is named `seventh`.
    async fn write_together(&mut self, round: i64, seventh: &str) {
        let photo = photograph();
        let mut lock =
            SqliteConnection::establish(&self.server.data_dir().join("apogee.db").display().to_string()).unwrap();
        lock.batch_execute("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE").unwrap();
        let names = (0..14).map(|n| if n == 7 { seventh.to_owned() } else { format!("extra-{round}-{n}") });
        let bodies: Vec<_> = names.map(|name| json!({ "name": name })).collect();
        let posts = bodies
            .iter()
            .enumerate()
            .map(|(n, body)| self.server.as_user(&self.tokens[n % 4], Method::POST, "/api/keys", Some(body)));
        let keys = futures_util::future::join_all(posts);
        let pictures = self.tokens.iter().map(|token| self.server.send_picture(token, "profile-image", &photo));
        let pictures = futures_util::future::join_all(pictures);
        let numbers = [2 * round, 2 * round + 1];
        let batches = numbers.map(batch);
        let batches =
            futures_util::future::join_all(batches.iter().map(|batch| self.server.try_send(&self.key, batch)));
        let release = async {
            tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
            lock.batch_execute("COMMIT").unwrap();
        };
        let (keys, pictures, batches, ()) = tokio::join!(keys, pictures, batches, release);
        self.keys += keys.iter().filter(|response| response.status == 200).count() as i64;
        self.pictures += pictures.iter().filter(|response| response.status == 200).count() as i64;
        for (number, response) in numbers.into_iter().zip(batches) {
            let of = if response.status == 200 { &mut self.promised.acknowledged } else { &mut self.promised.refused };
            of.insert(number);
        }
    }

    async fn agrees(&mut self, what: &str) {
        let count = |sql: &str| self.server.database.number(sql);
        assert_eq!(
            count("SELECT COUNT(*) FROM ingest_keys WHERE name LIKE 'extra-%' OR name = 'fault'"),
            self.keys,
            "{what}"
        );
        assert_eq!(count("SELECT COUNT(*) FROM uploads"), self.pictures, "{what}");
        assert_pictures_intact(&self.server, what).await;
        self.promised.assert_stored(&self.server, what);
        let (server, key) = (&self.server, &self.key);
        eventually("accepting a rejected batch", async || server.try_send(key, &batch(0)).await.status == 200).await;
        self.promised.acknowledged.insert(0);
        self.promised.refused.remove(&0);
        self.promised.resend(&self.server, &self.key).await;
        self.promised.assert_served(&self.server, what).await;
        // Frees quotas for the next round: keys and unused pictures are limited.
        self.server
            .database
            .run("DELETE FROM ingest_keys WHERE name LIKE 'extra-%'; UPDATE uploads SET is_used = TRUE");
        self.keys = 0;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "daily: injects faults"]
async fn a_fault_among_20_writers_stores_nothing_of_rejected_writes() {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let discord = server.with_discord().await;
    let layer = DiskFaults::attach(&mut server);
    server.run();
    let key = server.key("reader");
    let mut tokens = Vec::new();
    for user in USERS {
        tokens.push(server.sign_in(user).await);
        server.give_player(user, &format!("Owner-{user}"));
    }
    let (promised, keys, pictures) = (SentBatches::default(), 0, 0);
    let mut site = Site { server, key, tokens, promised, keys, pictures, _discord: discord };
    layer.disarm();
    site.write_together(0, "extra-seventh").await;
    let writes = layer.calls();
    site.agrees("without a fault").await;
    assert!(site.promised.acknowledged.contains(&0), "two batches were taken");

    site.server.database.run(TRIGGER);
    for round in 1..4 {
        site.write_together(round, "fault").await;
        site.agrees(&format!("round {round} with a transaction that SQLite rolled back")).await;
    }
    let log = site.server.log();
    let groups = log.lines().filter(|line| line.contains("a group of transactions was rolled back"));
    let largest =
        groups.filter_map(|line| line.split("transactions=").nth(1)?.split(' ').next()?.parse::<u32>().ok()).max();
    assert!(largest.is_some_and(|size| size > 4), "the writers shared a commit: {largest:?}\n{log}");

    for (round, fault) in (4..).zip(FAULTS) {
        let at = 1 + writes * (round as u64 - 4) / 4;
        layer.arm(at, fault);
        site.write_together(round, "extra-seventh").await;
        layer.disarm();
        site.agrees(&format!("write {at}, {fault:?}")).await;
    }
    site.server.restart();
    assert_intact(&site.server, "in the end");
    site.promised.assert_served(&site.server, "in the end").await;
}
