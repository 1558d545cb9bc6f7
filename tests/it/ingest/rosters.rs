//! Rosters: member lists of the game's site assign players to guilds, and errors of the site remove none.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::game_site::{GameSite, Listed, members_page};
use crate::support::mock_server::{MockResponse, MockServer};
use crate::support::*;

on_both!(
    rosters_assign_unclaimed_players_to_guilds,
    a_newer_player_page_takes_precedence_over_a_roster,
    t25_a_shrinking_roster_needs_a_second_download,
    failures_of_the_site_pause_calls_and_change_no_guild,
    claimed_guilds_are_read_first_then_the_most_viewed,
    rosters_can_be_disabled,
);

struct Site {
    server: Server,
    game_site: GameSite,
    admin: String,
    _discord: MockServer,
}

impl Site {
    /// A site with these guilds that reads rosters at the maximum rate.
    async fn on(on: Backend, guilds: &[&str]) -> Self {
        Self::with(on, guilds, "[rosters]\npages-per-minute = 60\n").await
    }

    async fn with(on: Backend, guilds: &[&str], settings: &str) -> Self {
        let mut server = Server::prepare(on);
        let game_site = server.with_game_site().await;
        let discord = server.with_discord().await;
        server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
        std::fs::write(server.data_dir().join("apogee.toml"), settings).unwrap();
        for tag in guilds {
            server.database.run(&format!(
                "INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('{tag}', '{tag}', lower('{tag}'), 1)"
            ));
        }
        server.run();
        let admin = server.sign_in("900").await;
        Self { server, game_site, admin, _discord: discord }
    }

    /// Inserts players of a guild, as an import does.
    fn members(&self, tag: &str, handles: &[&str]) {
        for handle in handles {
            self.server.database.run(&format!(
                "INSERT INTO players (handle, handle_folded, player_name, guild_id, created_at) \
                   SELECT '{handle}', lower('{handle}'), '{handle}', id, 1 FROM guilds WHERE tag = '{tag}'; \
                 UPDATE guilds SET known_members = known_members + 1 WHERE tag = '{tag}'"
            ));
        }
    }

    /// Runs the job until a condition holds.
    async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        eventually(what, async || {
            let is_so = holds().await;
            if !is_so {
                self.ring().await;
            }
            is_so
        })
        .await;
    }

    async fn ring(&self) -> u16 {
        let path = "/api/admin/jobs/rosters/run";
        self.server.as_user(&self.admin, Method::POST, path, None).await.status.as_u16()
    }

    async fn guild_of(&self, handle: &str) -> Value {
        self.server.read(&format!("/api/player/{handle}")).await["player"]["org_short"].clone()
    }

    /// The number of rosters that were read and stored.
    fn read(&self) -> i64 {
        self.server.database.number("SELECT COUNT(*) FROM guild_rosters WHERE read_at IS NOT NULL")
    }

    /// The number of consecutive failed downloads of a guild.
    fn failures(&self, tag: &str) -> i64 {
        self.server.database.number(&format!(
            "SELECT COALESCE(MAX(failures), 0) FROM guild_rosters r JOIN guilds g ON g.id = r.guild_id WHERE g.tag = '{tag}'"
        ))
    }

    async fn section(&self) -> Value {
        self.section_called("rosters").await
    }

    async fn section_called(&self, id: &str) -> Value {
        let state = self.server.as_user(&self.admin, Method::GET, "/api/admin/state", None).await.json();
        let sections = state["state"]["sections"].as_array().unwrap().clone();
        sections.into_iter().find(|section| section["id"] == id).unwrap()
    }

    /// The number of runs of the job.
    async fn job_runs(&self) -> i64 {
        let rows = self.section_called("jobs").await["rows"]["rows"].as_array().unwrap().clone();
        rows.iter().find(|row| row[0] == "rosters").and_then(|row| row[3].as_i64()).unwrap_or(0)
    }
}

fn fact(section: &Value, label: &str) -> i64 {
    let facts = section["facts"].as_array().unwrap();
    facts.iter().find(|fact| fact["label"] == label).unwrap()["value"].as_i64().unwrap()
}

async fn rosters_assign_unclaimed_players_to_guilds(on: Backend) {
    let site = Site::on(on, &["EXWING", "KITES"]).await;
    let server = &site.server;
    let stay = ["Stay-1", "Stay-2", "Stay-3", "Stay-4", "Stay-5"];
    site.members("EXWING", &stay);
    site.members("EXWING", &["Gone-1"]);
    site.members("KITES", &["Moved-1", "Kite-2", "Kite-3", "Kite-4", "Kite-5", "Kite-6"]);
    let key = server.key("reader");
    for (handle, kills) in [("Pilot-1", 3), ("Moved-1", 4), ("Gone-1", 5), ("Affiliate-1", 6), ("Stay-1", 1)] {
        server.take(&key, &npc_kills(handle, kills, now() - DAY)).await;
    }
    assert_eq!(site.guild_of("pilot-1").await, Value::Null);
    assert_eq!(server.read("/api/guild/EXWING").await["guild"]["roster"], Value::Null);
    // 35 members on two pages; most of them never played here.
    let mut listed = Listed::main(&["PILOT-1", "Moved-1", "Late-1"]);
    listed.extend(Listed::main(&stay));
    listed.extend((0..25).map(|n| Listed::Main(format!("Stranger-{n}"))));
    listed.extend([Listed::Affiliate("Affiliate-1".into()), Listed::Redacted]);
    assert_eq!(listed.len(), 35);
    site.game_site.roster("EXWING", &listed);
    site.until("the roster", async || site.read() == 1).await;

    assert_eq!(site.guild_of("pilot-1").await, "EXWING");
    assert_eq!(site.guild_of("moved-1").await, "EXWING");
    assert_eq!(site.guild_of("gone-1").await, Value::Null);
    assert_eq!(site.guild_of("affiliate-1").await, Value::Null, "an affiliate's main organization is another one");
    assert_eq!(site.guild_of("stay-1").await, "EXWING");
    let guild = server.read("/api/guild/EXWING").await["guild"].clone();
    assert_eq!((&guild["total_member_count"], &guild["member_count"]), (&json!(7), &json!(35)));
    assert_eq!(guild["overall"], 8, "sums follow: 3 + 4 + 1");
    let roster = &guild["roster"];
    let counts = ["named", "affiliates", "unnamed", "total", "is_partial"].map(|field| roster[field].clone());
    assert_eq!(counts, [json!(33), json!(1), json!(1), json!(35), json!(false)]);
    assert!((now() / 1_000 - roster["updated_at"].as_i64().unwrap()).abs() < 60);
    let members = server.read("/api/guild/EXWING/members").await;
    let handles: Vec<&str> =
        members["members"].as_array().unwrap().iter().map(|row| row["handle"].as_str().unwrap()).take(3).collect();
    assert_eq!(handles, ["Moved-1", "Pilot-1", "Stay-1"]);
    let found = server.read("/api/search/players?q=pilot-1").await["results"][0].clone();
    assert_eq!(found["org_short"], "EXWING", "{found}");
    let feed = server.read("/api/guild/EXWING/activity?limit=100").await;
    assert_eq!(feed["pagination"]["total"], 8, "the guild's feed contains the events of its members");
    let board = server.read("/api/guilds/leaderboard").await["data"].clone();
    assert_eq!((&board[0]["org_short"], &board[0]["overall"]), (&json!("EXWING"), &json!(8)));
    assert_eq!(server.read("/api/guild/KITES").await["guild"]["overall"], 0);

    // A listed member plays here for the first time.
    server.take(&key, &npc_kills("Late-1", 2, now() - DAY / 2)).await;
    site.until("the guild of a new player", async || site.guild_of("late-1").await == "EXWING").await;
    assert_eq!(server.read("/api/guild/EXWING").await["guild"]["overall"], 10);

    let section = site.section().await;
    assert_eq!((fact(&section, "Guilds"), fact(&section, "Read within a day")), (2, 1));
    assert_eq!(fact(&section, "Never read"), 1);
    // Everything derived agrees with the database.
    let before = server.read("/api/guilds/leaderboard").await;
    let mut site = site;
    site.server.restart();
    assert_eq!(site.server.read("/api/guilds/leaderboard").await, before);
}

async fn a_newer_player_page_takes_precedence_over_a_roster(on: Backend) {
    let site = Site::on(on, &["EXWING", "KITES"]).await;
    site.members("KITES", &["Fresh-1", "Stale-1", "Kite-3", "Kite-4", "Kite-5", "Kite-6"]);
    site.members("EXWING", &["Loyal-1"]);
    // Two player pages are newer than the roster, one is older.
    let (later, earlier) = (now() + DAY, now() - DAY);
    for (handle, at) in [("Fresh-1", later), ("Loyal-1", later), ("Stale-1", earlier)] {
        site.server.database.run(&format!("UPDATE players SET site_read_at = {at} WHERE handle = '{handle}'"));
    }
    site.game_site.roster("EXWING", &Listed::main(&["Fresh-1", "Stale-1"]));
    site.until("the roster", async || site.read() == 1).await;
    assert_eq!(site.guild_of("fresh-1").await, "KITES");
    assert_eq!(site.guild_of("stale-1").await, "EXWING");
    assert_eq!(site.guild_of("loyal-1").await, "EXWING", "not named, but the own page is newer");
}

async fn t25_a_shrinking_roster_needs_a_second_download(on: Backend) {
    let site = Site::on(on, &["AGREE", "CHANGED", "EMPTY", "CUT"]).await;
    let names = |tag: &str| (0..10).map(|n| format!("{tag}-{n}")).collect::<Vec<_>>();
    for tag in ["AGREE", "CHANGED", "EMPTY", "CUT"] {
        let handles = names(tag);
        site.members(tag, &handles.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let listed = |tag: &str, count: usize| {
        let members: Vec<Listed> = names(tag).into_iter().take(count).map(Listed::Main).collect();
        members_page(count, &members)
    };
    site.game_site.roster_in_turn("AGREE", [listed("AGREE", 4), listed("AGREE", 4)]);
    site.game_site.roster_in_turn("CHANGED", [listed("CHANGED", 4), listed("CHANGED", 10)]);
    site.game_site.roster_in_turn("EMPTY", [members_page(0, &[])]);
    // The site counts ten members and lists four.
    let cut: Vec<Listed> = names("CUT").into_iter().take(4).map(Listed::Main).collect();
    site.game_site.roster_in_turn("CUT", [members_page(10, &cut)]);
    site.until("all four", async || {
        site.read() == 1 && ["CHANGED", "EMPTY", "CUT"].iter().all(|tag| site.failures(tag) == 1)
    })
    .await;
    let count = async |tag: &str| {
        site.server.read(&format!("/api/guild/{tag}/members")).await["pagination"]["total"].as_i64().unwrap()
    };
    assert_eq!(count("AGREE").await, 4);
    for tag in ["CHANGED", "EMPTY", "CUT"] {
        assert_eq!(count(tag).await, 10, "{tag}: stored members are unchanged");
    }
    let requested = site.game_site.requested_rosters();
    assert_eq!(requested.iter().filter(|tag| *tag == "AGREE").count(), 2);
    let section = site.section().await;
    assert_eq!((&section["tone"], fact(&section, "Failing")), (&json!("warn"), 3));
    let text = section["rows"].to_string();
    assert!(text.contains("two downloads of the list disagree") && text.contains("the list is empty"), "{text}");
}

async fn failures_of_the_site_pause_calls_and_change_no_guild(on: Backend) {
    let site = Site::on(on, &["EXWING"]).await;
    site.members("EXWING", &["Pilot-1"]);
    site.game_site.roster_in_turn("EXWING", [MockResponse::status(503, "")]);
    site.until("a call", async || !site.game_site.requested_rosters().is_empty()).await;
    // Calls are paused however often an admin runs the job.
    site.until("five more runs", async || site.job_runs().await >= 6).await;
    assert_eq!(site.game_site.requested_rosters().len(), 1);
    assert_eq!(site.guild_of("pilot-1").await, "EXWING");
    // A guild unknown to the site loses no member either, and is postponed by a week.
    let site = Site::on(on, &["NOBODY"]).await;
    site.members("NOBODY", &["Pilot-1"]);
    let unknown = json!({ "success": 0, "code": "ErrInvalidOrganization", "data": null });
    site.game_site.roster_in_turn("NOBODY", [MockResponse::ok(unknown.to_string())]);
    site.until("a failure", async || site.failures("NOBODY") == 1).await;
    assert_eq!(site.guild_of("pilot-1").await, "NOBODY");
    let next = site.server.database.number("SELECT MIN(next_at) FROM guild_rosters");
    assert!(next > now() + 6 * DAY, "{next}");
}

async fn claimed_guilds_are_read_first_then_the_most_viewed(on: Backend) {
    let site = Site::on(on, &["REST", "SEEN", "POPULAR", "CLAIMED"]).await;
    for tag in ["REST", "SEEN", "POPULAR", "CLAIMED"] {
        site.game_site.roster(tag, &Listed::main(&[&format!("Of-{tag}")]));
    }
    site.server.database.run(
        "UPDATE guilds SET views = 3 WHERE tag = 'SEEN'; UPDATE guilds SET views = 900 WHERE tag = 'POPULAR'; \
         INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at, guild_id) \
           SELECT '501', 'somebody', 1, 1, id FROM guilds WHERE tag = 'CLAIMED'",
    );
    site.until("all rosters", async || site.read() == 4).await;
    assert_eq!(site.game_site.requested_rosters(), ["CLAIMED", "POPULAR", "SEEN", "REST"]);
    let days = |tag: &str| {
        let next = site.server.database.number(&format!(
            "SELECT next_at FROM guild_rosters r JOIN guilds g ON g.id = r.guild_id WHERE g.tag = '{tag}'"
        ));
        (next - now() + DAY / 2) / DAY
    };
    assert_eq!(["CLAIMED", "POPULAR", "SEEN", "REST"].map(days), [1, 1, 1, 7]);
}

async fn rosters_can_be_disabled(on: Backend) {
    let site = Site::with(on, &["EXWING"], "[rosters]\nenabled = false\n").await;
    assert_eq!(site.section().await["tone"], "off");
    assert_eq!(site.ring().await, 404);
    // Guilds of a demo are invented, so nothing is read, whatever the settings say.
    let site = Site::on(on, &["EXWING"]).await;
    site.server.database.run(
        "INSERT INTO demo_universe (id, seed, players, guilds, events, key_id, created_at) VALUES (1, 1, 1, 1, 1, 1, 1)",
    );
    assert_eq!(site.section().await["tone"], "off");
    site.until("a run of the job", async || site.job_runs().await > 0).await;
    assert!(site.game_site.requested_rosters().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_reads_rosters_and_all_apply_them() {
    let site = Site::on(Backend::Postgres, &["EXWING"]).await;
    site.members("EXWING", &["Stay-1"]);
    let key = site.server.key("reader");
    site.server.take(&key, &npc_kills("Pilot-1", 3, now() - DAY)).await;
    site.game_site.roster("EXWING", &Listed::main(&["Stay-1", "Pilot-1"]));
    let mut other = site.server.beside();
    std::fs::write(other.data_dir().join("apogee.toml"), "[rosters]\npages-per-minute = 60\n").unwrap();
    other.run();
    let run = "/api/admin/jobs/rosters/run";
    site.until("the roster", async || {
        other.as_user(&site.admin, Method::POST, run, None).await;
        site.read() == 1
    })
    .await;
    eventually("the other process has applied the roster", async || {
        other.read("/api/guild/EXWING").await["guild"]["overall"] == 3
            && other.read("/api/guilds/leaderboard").await["data"][0]["overall"] == 3
    })
    .await;
    assert_eq!(site.game_site.requested_rosters(), ["EXWING"], "only one call");
}
