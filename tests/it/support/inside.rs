//! The program within the process of the test, for checks that no request can make.

use std::sync::Arc;

use apogee::app::App;
use apogee::config::{Flags, Settings};
use apogee::domain::viewer::Member;
use apogee::features::{bootstrap, settings};
use serde_json::json;

use super::Server;

/// Opens the program on the database of a server, without serving.
pub fn inside(server: &Server, dir: &std::path::Path) -> Arc<App> {
    let flags = Flags::default().with("data-dir", dir.display().to_string()).with("database-url", &server.database.url);
    let settings = Settings::load(&flags).unwrap();
    server.database.run(
        "INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at) VALUES ('1', 'root', 1, 1) \
         ON CONFLICT (discord_id) DO NOTHING",
    );
    Arc::new(bootstrap::open(settings, "http://localhost".into()).unwrap())
}

pub async fn set_hidden(app: &Arc<App>, handle: &str, is_hidden: bool) {
    let admin = Member {
        user_id: 1,
        discord_id: "1".into(),
        session_id: String::new(),
        player_id: None,
        guild_ownership: None,
        is_admin: true,
    };
    let change = json!({ "handle": handle, "profile_hidden": is_hidden });
    settings::save(app, &admin, serde_json::from_value(change).unwrap()).await.unwrap();
}
