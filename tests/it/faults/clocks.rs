//! T27: the clock of the server changes while it runs.

use reqwest::Method;

use crate::support::preload::Preload;
use crate::support::*;

on_sqlite!(t27_a_clock_moving_back_revives_no_session_and_loses_no_data);

const HOUR: i64 = 3_600;

async fn t27_a_clock_moving_back_revives_no_session_and_loses_no_data(on: Backend) {
    let mut server = Server::prepare(on).into_process();
    let _discord = server.with_discord().await;
    let clock = Preload::attach(&mut server, "clock.c", "CLOCK_OFF", 2);
    server.run();
    let key = server.key("reader");
    let (stays, leaves) = (server.sign_in("7001").await, server.sign_in("7002").await);
    let logout = server.as_user(&leaves, Method::POST, "/api/auth/logout", None).await;
    assert_eq!(logout.status, 200, "{}", logout.text());
    server.take(&key, &npc_kills("Ann-1", 5, now() - 2 * DAY)).await;
    let me = async |token: &str| server.as_user(token, Method::GET, "/api/player/me", None).await.status.as_u16();
    assert_eq!([me(&stays).await, me(&leaves).await], [200, 401]);

    clock.write(&[2 * HOUR]);
    assert_eq!([me(&stays).await, me(&leaves).await], [401, 401], "two hours later: the fault layer is preloaded");
    clock.write(&[-HOUR]);
    assert_eq!([me(&stays).await, me(&leaves).await], [200, 401], "a signed-out session remains ended");
    let traded = server.as_user(&stays, Method::POST, "/api/auth/refresh", None).await;
    assert_eq!(traded.status, 200, "{}", traded.text());
    let traded = traded.json()["token"].as_str().unwrap().to_owned();

    // New events get the next ids and count once.
    let before = server.database.number("SELECT MAX(id) FROM events");
    let batch = npc_kills("Ann-1", 5, now() - DAY);
    server.take(&key, &batch).await;
    assert_eq!(server.send(&key, &batch).await["duplicates"], 5);
    assert_eq!(server.database.number("SELECT MAX(id) FROM events"), before + 5);
    let total = 10;
    let overall = async |server: &Server| server.read("/api/player/Ann-1").await["player"]["overall"].as_i64().unwrap();
    assert_eq!(overall(&server).await, total);

    // A restart with the wrong clock, and one with the correct clock.
    server.restart();
    assert_eq!(overall(&server).await, total);
    clock.write(&[0]);
    server.restart();
    assert_eq!(overall(&server).await, total);
    // Tokens issued with the wrong clock have expired; their session is still valid.
    let trade =
        async |token: &str| server.as_user(token, Method::POST, "/api/auth/refresh", None).await.status.as_u16();
    assert_eq!([trade(&traded).await, trade(&leaves).await], [200, 401]);
    server.take(&key, &npc_kills("Ann-1", 5, now() - 3 * DAY)).await;
    assert_eq!(server.read("/api/search/fast?q=ann").await["results"][0]["handle"], "Ann-1");
}
