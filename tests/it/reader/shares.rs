//! What leaves the machine with `--share` and with an import of old logs.

use reqwest::Method;
use serde_json::{Value, json};

use super::uploads::{claim, game, reader};
use crate::support::*;

on_sqlite!(pay_leaves_the_machine_only_if_it_is_shared_and_an_import_sends_the_logs_of_its_own_player,);

const PLAYER: &str = "Real-Ace";
const STORED_PAY: &str = "SELECT COUNT(*) FROM events WHERE category = 9";

/// A run of the game on a day, with a stay and a payout.
fn log(day: u32, handle: &str) -> String {
    let line = |time: &str, text: &str| format!("<2026-06-{day:02}T22:{time}Z> {text}\r\n");
    [
        line("00:00.000", "BackupNameAttachment=\" Build(11715810) 19 Jun 26 (22 00 00)\"  -- used by backup system"),
        line("00:01.000", "Branch: sc-alpha-4.7.0"),
        line("00:10.000", &format!("[Notice] <AccountLoginCharacterStatus_Character> Character: createdAt 1 - updatedAt 1 - geid 20100000000{day} - accountId 1 - name {handle} - state STATE_CURRENT [Team_GameServices][Login]")),
        line("00:11.000", &format!("[Notice] <Legacy login response> [CIG-net] User Login Success - Handle[{handle}] - Time[1] [Team_GameServices][Login]")),
        line("00:20.000", "[Notice] <Context Establisher Done> establisher=\"CReplicationModel\" runningTime=2.7 map=\"megamap\" gamerules=\"SC_Default\" sessionId=\"0\" [Team_Network]"),
        line("09:03.788", "[Notice] <SHUDEvent_OnNotification> Added notification \"Awarded 28375 aUEC: \" [75] to queue. New queue size: 3, MissionId: [00000000-0000-0000-0000-000000000000], ObjectiveId: [] [Team_CoreGameplayFeatures][Missions][Comms]"),
        line("59:00.000", "[Notice] <SystemQuit> CSystem::Quit invoked with - cause=30016, reason=User closed the application, exitCode=0 [Team_Unknown][System]"),
    ]
    .concat()
}

async fn pay_leaves_the_machine_only_if_it_is_shared_and_an_import_sends_the_logs_of_its_own_player(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("71").await;
    let post = async |path: &str, body: Value| server.as_user(&token, Method::POST, path, Some(&body)).await.json();
    let key = post("/api/keys", json!({"name": "PC"})).await["secret"].as_str().unwrap().to_owned();
    claim(&server, "71", PLAYER);
    post("/api/player/settings", json!({"sharing": {"pay": true}})).await;
    let root = tempfile::tempdir().unwrap();
    let (live, folder) = game(root.path());
    std::fs::write(&live, log(19, PLAYER)).unwrap();
    let run = |args: &[&str]| {
        let site = ["--server", &server.address, "--key", &key];
        let output = reader(root.path(), &[args, &site].concat()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    };

    // Both print it; the site, whose owner shares pay, gets it only from the second.
    let path = live.to_str().unwrap();
    for (share, stored) in [(&[][..], 0), (&["--share", "pay"][..], 1)] {
        let printed = run(&[&["--once", "--json", path], share].concat());
        assert_eq!(printed.lines().filter(|line| line.contains("\"amount\":28375")).count(), 1, "{printed}");
        assert_eq!(server.database.number(STORED_PAY), stored, "{share:?}");
    }

    // An import without a terminal ends with the summary. With --yes it sends the logs of the account's player, once.
    let backups = folder.join("logbackups");
    for (day, handle) in [(17, PLAYER), (18, "Somebody-Else")] {
        std::fs::write(backups.join(format!("{day}.log")), log(day, handle)).unwrap();
    }
    let events = || server.database.number("SELECT COUNT(*) FROM events");
    let (before, backups) = (events(), backups.to_str().unwrap());
    let summary = run(&["import", backups]);
    assert!(summary.starts_with("2 logs, 1 MB, June 2026 to "), "{summary}");
    for part in ["Hours in the universe: 1 ", "[x] 1  Real-Ace: 1 log", "[ ] 2  Somebody-Else: 1 log", "--yes"] {
        assert!(summary.contains(part), "{part} is missing: {summary}");
    }
    assert_eq!(events(), before);
    let sent = run(&["import", backups, "--yes"]);
    assert!(sent.trim_end().ends_with(&format!("{}/player/{PLAYER}/career", server.address)), "{sent}");
    assert_eq!((events() > before, server.database.number(STORED_PAY)), (true, 1));
    let after = events();
    assert!(run(&["import", backups, "--yes"]).contains("0 new, 0 already known"));
    assert_eq!(events(), after);
    let others = "SELECT COUNT(*) FROM players WHERE handle_folded = 'somebody-else'";
    assert_eq!(server.database.number(others), 0);
}
