//! The lock of the data directory.

use crate::support::*;

/// T12: every command that writes directly to the database names the process that holds the lock.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t12_a_second_process_is_rejected_and_the_holder_is_named() {
    let server = Server::start(Backend::Sqlite).await;
    let file = server.data_dir().join("p.csv");
    std::fs::write(&file, "handle\nAnn-1\n").unwrap();
    let commands: [&[&str]; 5] = [
        &["serve", "--listen", "127.0.0.1:0"],
        &["reindex"],
        &["demo", "--players", "10", "--guilds", "1", "--events", "10"],
        &["import", "players", file.to_str().unwrap()],
        &["restore", "nothing.tar.zst"],
    ];
    for command in commands {
        let refused = server.try_command(command);
        let sentence = refused.error;
        assert_eq!(refused.code, 1, "{command:?}: {sentence}");
        assert!(sentence.contains("apogee serve on http://") && sentence.contains("stop it first"), "{sentence}");
    }
    // Allowed beside a server: keys, exports and backups.
    server.key("beside");
    server.command(&["export", "players", server.data_dir().join("x.csv").to_str().unwrap()]);
    server.command(&["backup", server.data_dir().join("x.tar.zst").to_str().unwrap()]);
    assert_eq!(server.read("/api/stats/counts").await["players"], 0);
}
