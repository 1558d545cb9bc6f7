//! Claims: a code on the owner's page of the game's site verifies ownership; anything else is rejected.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::game_site::{Citizen, GameSite};
use crate::support::mock_server::MockResponse;
use crate::support::*;

on_both!(
    a_code_in_the_bio_verifies_ownership_once,
    t43_a_code_counts_only_for_its_user_and_in_the_bio,
    a_code_expires_on_cancel_restart_and_after_a_day,
    verify_attempts_are_limited_to_five_in_ten_minutes,
    t43_of_two_concurrent_claims_exactly_one_succeeds,
    a_guild_is_claimed_by_a_code_on_its_page,
    t25_another_player_under_a_claimed_handle_changes_nothing,
    only_claimed_players_are_refreshed_in_the_background,
    t25_a_jump_of_the_member_count_needs_a_second_page,
    an_organization_without_a_logo_is_parsed,
    claim_starts_are_limited_to_five_in_ten_minutes,
    an_attempt_without_a_response_of_the_games_site_does_not_count,
    the_next_owner_inherits_nothing,
);

async fn site(on: Backend) -> (Server, GameSite, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    server.run();
    (server, game_site, discord)
}

impl Server {
    async fn claim(&self, token: &str, act: &str, handle: &str) -> Response {
        let body = json!({"handle": handle, "discordId": "1"});
        self.as_user(token, Method::POST, &format!("/api/player/claim/{act}"), Some(&body)).await
    }

    /// Starts a claim and returns its code.
    async fn start_claim(&self, token: &str, handle: &str) -> String {
        let response = self.claim(token, "start", handle).await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()["verificationCode"].as_str().unwrap().to_owned()
    }

    async fn refused(&self, token: &str, act: &str, handle: &str, status: u16, code: &str) -> String {
        let response = self.claim(token, act, handle).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (status, code), "{}", response.text());
        response.json()["error"].as_str().unwrap().to_owned()
    }
}

async fn a_code_in_the_bio_verifies_ownership_once(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let token = server.sign_in("501").await;
    game_site.citizen(&Citizen { name: "Kite &amp; Co", ..Citizen::new("Kite-Flier", "Hello") });
    let started = server.claim(&token, "start", " kite-FLIER ").await.json();
    let code = started["verificationCode"].as_str().unwrap().to_owned();
    let signs = code.strip_prefix("APOGEE-").unwrap();
    assert!(signs.len() >= 12 && signs.bytes().all(|b| b.is_ascii_uppercase() || (b'2'..=b'9').contains(&b)), "{code}");
    let expected = json!({"success": true, "handle": "Kite-Flier", "verificationCode": code, "expectedTag": code,
        "oneTimeUse": true});
    assert_eq!(started, expected);
    // An unknown player is created from the game's page, without an owner.
    let player = server.read("/api/player/kite-flier").await["player"].clone();
    let fields = ["handle", "player_name", "org_short", "org_name", "is_claimed"].map(|field| player[field].clone());
    assert_eq!(fields, [json!("Kite-Flier"), json!("Kite & Co"), json!("EXWING"), json!("Example Wing"), json!(false)]);
    assert_eq!(server.read("/api/search/players?q=kite").await["results"][0]["handle"], "Kite-Flier");
    assert_eq!(server.read("/api/stats/counts").await["players"], 1);

    let sentence = server.refused(&token, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    assert!(sentence.contains(&code) && sentence.contains("bio of Kite-Flier"), "{sentence}");
    // The code has to be a separate word, in any case.
    game_site.citizen(&Citizen::new("Kite-Flier", &format!("x{code}x")));
    server.refused(&token, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    game_site.citizen(&Citizen::new("Kite-Flier", &format!("I fly. [{}] o7", code.to_lowercase())));
    let verified = server.claim(&token, "verify", "KITE-flier").await;
    let expected = json!({"success": true, "player": {"handle": "Kite-Flier", "org_short": "EXWING"},
        "message": "Your Star Citizen profile has been successfully claimed!"});
    assert_eq!(verified.json(), expected);
    assert_eq!(server.read("/api/player/kite-flier").await["player"]["is_claimed"], true);
    let me = server.as_user(&token, Method::GET, "/api/player/me", None).await.json();
    assert_eq!((&me["user"]["handle"], &me["user"]["org_short"]), (&json!("Kite-Flier"), &json!("EXWING")));

    // A code is valid once, and an account owns at most one player.
    server.refused(&token, "verify", "Kite-Flier", 400, "VALIDATION").await;
    server.refused(&token, "start", "Kite-Flier", 409, "CONFLICT").await;
    let other = server.sign_in("502").await;
    let sentence = server.refused(&other, "start", "kite-flier", 409, "CONFLICT").await;
    assert!(sentence.contains("already claimed"), "{sentence}");

    // After unlinking, the player can be claimed again with a new code.
    let unlinked =
        server.as_user(&token, Method::DELETE, "/api/player/unlink", Some(&json!({"discordId": "501"}))).await;
    assert_eq!(unlinked.json(), json!({"success": true}));
    assert_eq!(server.as_user(&token, Method::DELETE, "/api/player/unlink", None).await.code(), "VALIDATION");
    assert_eq!(server.read("/api/player/kite-flier").await["player"]["is_claimed"], false);
    assert_ne!(server.start_claim(&other, "Kite-Flier").await, code);
}

async fn t43_a_code_counts_only_for_its_user_and_in_the_bio(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let (ann, bob) = (server.sign_in("501").await, server.sign_in("502").await);
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    game_site.citizen(&Citizen::new("Gull-Flier", "Hello"));
    for (handle, status, code) in [
        ("nobody-there", 404, "NOT_FOUND"),
        ("", 400, "VALIDATION"),
        ("a b", 400, "VALIDATION"),
        ("../orgs/EXWING", 400, "VALIDATION"),
        ("Kite-Fli\u{435}r", 400, "VALIDATION"),
    ] {
        server.refused(&ann, "start", handle, status, code).await;
    }
    // Without a started claim, verification fails without a request to the game's site.
    server.refused(&ann, "verify", "Kite-Flier", 400, "VALIDATION").await;
    let of_ann = server.start_claim(&ann, "Kite-Flier").await;
    server.start_claim(&bob, "Kite-Flier").await;
    // A code is valid only for the user of the claim, and only in the bio.
    game_site.citizen(&Citizen { name: &of_ann, org: &of_ann, ..Citizen::new("Kite-Flier", "Hello") });
    server.refused(&ann, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    game_site.citizen(&Citizen::new("Kite-Flier", &of_ann));
    server.refused(&bob, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    // A code is bound to its handle, and a page of another player is rejected.
    game_site.citizen(&Citizen::new("Gull-Flier", &of_ann));
    server.refused(&ann, "verify", "Gull-Flier", 400, "VALIDATION").await;
    let own = Citizen::new("Gull-Flier", &of_ann);
    game_site.citizen(&own);
    game_site.set_response(
        "/citizens/Kite-Flier",
        MockResponse::status(302, "").with_header("Location", "/citizens/Gull-Flier"),
    );
    server.refused(&ann, "verify", "Kite-Flier", 404, "NOT_FOUND").await;
    assert_eq!(server.read("/api/player/kite-flier").await["player"]["is_claimed"], false);
}

async fn a_code_expires_on_cancel_restart_and_after_a_day(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let token = server.sign_in("501").await;
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    let first = server.start_claim(&token, "Kite-Flier").await;
    game_site.citizen(&Citizen::new("Kite-Flier", &first));
    for _ in 0..2 {
        let cancelled = server.claim(&token, "cancel", "Kite-Flier").await;
        assert_eq!(cancelled.json(), json!({"success": true}));
    }
    server.refused(&token, "verify", "Kite-Flier", 400, "VALIDATION").await;
    let second = server.start_claim(&token, "Kite-Flier").await;
    assert_ne!(first, second);
    server.refused(&token, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    game_site.citizen(&Citizen::new("Kite-Flier", &second));
    server.database.run(&format!("UPDATE claims SET created_at = {}", now() - DAY));
    let sentence = server.refused(&token, "verify", "Kite-Flier", 400, "VALIDATION").await;
    assert!(sentence.contains("more than a day old"), "{sentence}");
    server.database.run(&format!("UPDATE claims SET created_at = {}", now() - DAY + 60_000));
    assert_eq!(server.claim(&token, "verify", "Kite-Flier").await.status, 200);
}

async fn claim_starts_are_limited_to_five_in_ten_minutes(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let (greedy, other) = (server.sign_in("501").await, server.sign_in("502").await);
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    game_site.organization("KITES", "The Kites", "We fly.");
    // 30 concurrent starts by one user: five requests reach the game's site. Another user is not affected.
    let start = |token: &str| {
        let request = server.request(Method::POST, "/api/player/claim/start").bearer_auth(token);
        let request = request.json(&json!({"handle": "Kite-Flier"}));
        async move { request.send().await.unwrap().status().as_u16() }
    };
    let crowd: Vec<_> = (0..30).map(|_| tokio::spawn(start(&greedy))).collect();
    assert_eq!(start(&other).await, 200);
    let mut responses = Vec::new();
    for one in crowd {
        responses.push(one.await.unwrap());
    }
    let of = |status: u16| responses.iter().filter(|response| **response == status).count();
    assert_eq!((of(200), of(429)), (5, 25), "{responses:?}");
    assert_eq!(game_site.mock_server.request_count(), 6);
    let sixth = server.claim(&greedy, "start", "Kite-Flier").await;
    assert_eq!(sixth.code(), "RATE_LIMIT_EXCEEDED");
    let wait: u64 = sixth.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=600).contains(&wait), "{wait}");
    // Players and guilds share this limit; verifications have a separate one.
    let guild = json!({"guildShort": "KITES"});
    let response = server.as_user(&greedy, Method::POST, "/api/guild/claim/start", Some(&guild)).await;
    assert_eq!(response.code(), "RATE_LIMIT_EXCEEDED");
    server.refused(&greedy, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    server.database.run("UPDATE claim_attempts SET attempted_at = attempted_at - 600000");
    assert_eq!(server.claim(&greedy, "start", "Kite-Flier").await.status, 200);
}

async fn an_attempt_without_a_response_of_the_games_site_does_not_count(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let token = server.sign_in("501").await;
    let path = "/citizens/Kite-Flier";
    // Six failures of each kind, one more than the limit. A status of 500 does not pause calls.
    for _ in 0..6 {
        game_site.set_response(path, MockResponse::status(500, "oops"));
        server.refused(&token, "start", "Kite-Flier", 502, "UPSTREAM_UNAVAILABLE").await;
    }
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    let code = server.start_claim(&token, "Kite-Flier").await;
    let before = server.read("/api/player/kite-flier").await;
    game_site.set_response(path, MockResponse::CloseConnection);
    for _ in 0..6 {
        server.refused(&token, "verify", "Kite-Flier", 502, "UPSTREAM_UNAVAILABLE").await;
    }
    assert_eq!(server.read("/api/player/kite-flier").await, before);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM claim_attempts WHERE kind = 0"), 0);
    game_site.citizen(&Citizen::new("Kite-Flier", &code));
    assert_eq!(server.claim(&token, "verify", "Kite-Flier").await.status, 200);
}

async fn the_next_owner_inherits_nothing(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let (first, second) = (server.sign_in("501").await, server.sign_in("502").await);
    let take = async |token: &str| {
        game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
        let code = server.start_claim(token, "Kite-Flier").await;
        game_site.citizen(&Citizen::new("Kite-Flier", &code));
        assert_eq!(server.claim(token, "verify", "Kite-Flier").await.status, 200);
    };
    take(&first).await;
    server.take(&server.key("reader"), &[kill("Kite-Flier", "Gull-1").pu().json()]).await;
    let photo = pictures::photograph();
    let (image, banner) = (
        server.upload(&first, "profile-image", &photo).await,
        server.upload(&first, "profile-banner-image", &photo).await,
    );
    let save = json!({"profile_image": image, "banner_image": banner, "profile_hidden": true,
        "profileSettings": {"stickers": ["683583"]}});
    let saved = server.as_user(&first, Method::POST, "/api/player/settings", Some(&save)).await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    let worn = json!({"playerHandle": "Kite-Flier", "stickers": ["683583"]});
    assert_eq!(server.as_user(&first, Method::POST, "/api/player/settings/stickers", Some(&worn)).await.status, 200);

    assert_eq!(server.as_user(&first, Method::DELETE, "/api/player/unlink", None).await.status, 200);
    for path in [&image, &banner] {
        assert_eq!(server.get(path).await.status, 404, "the owner's files are deleted");
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM uploads"), 0);
    let taken_off = "SELECT COUNT(*) FROM players WHERE handle = 'Kite-Flier' AND profile_image IS NULL \
        AND banner_image IS NULL AND stickers IS NULL AND is_hidden";
    assert_eq!(server.database.number(taken_off), 1, "the profile remains hidden until it is claimed again");
    let boards = async || server.read("/api/players/leaderboard").await["players"].as_array().unwrap().len();
    assert_eq!(boards().await, 0);
    // Deleting the former owner's account no longer affects the player.
    take(&second).await;
    let theirs = server.upload(&second, "profile-image", &photo).await;
    let save = json!({ "profile_image": theirs });
    assert_eq!(server.as_user(&second, Method::POST, "/api/player/settings", Some(&save)).await.status, 200);
    assert_eq!(server.as_user(&first, Method::DELETE, "/api/me", None).await.status, 200);
    assert_eq!(server.get(&theirs).await.status, 200);
    let player = server.read("/api/player/kite-flier").await["player"].clone();
    let shown =
        ["is_hidden", "profileImage", "bannerImage", "stickers", "rank_overall"].map(|field| player[field].clone());
    assert_eq!(shown, [json!(false), json!(theirs), json!(null), json!(null), json!(1)]);
    let rows = server.read("/api/players/leaderboard").await["players"].clone();
    assert_eq!((rows.as_array().unwrap().len(), &rows[0]["handle"]), (1, &json!("Kite-Flier")));
}

async fn verify_attempts_are_limited_to_five_in_ten_minutes(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let (token, other) = (server.sign_in("501").await, server.sign_in("502").await);
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    let code = server.start_claim(&token, "Kite-Flier").await;
    for _ in 0..5 {
        server.refused(&token, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    }
    game_site.citizen(&Citizen::new("Kite-Flier", &code));
    let calls = game_site.mock_server.request_count();
    let sixth = server.claim(&token, "verify", "Kite-Flier").await;
    assert_eq!((sixth.status.as_u16(), sixth.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    let wait: u64 = sixth.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=600).contains(&wait), "{wait}");
    assert_eq!(game_site.mock_server.request_count(), calls, "a rejected attempt causes no request to the site");
    // Other users are not affected, and a new start does not reset the limit.
    server.start_claim(&other, "Kite-Flier").await;
    server.refused(&other, "verify", "Kite-Flier", 400, "CODE_NOT_FOUND").await;
    server.database.run("UPDATE claim_attempts SET attempted_at = attempted_at - 600000");
    assert_eq!(server.claim(&token, "verify", "Kite-Flier").await.status, 200);
}

async fn t43_of_two_concurrent_claims_exactly_one_succeeds(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    for round in 0..2 {
        let handle = format!("Kite-Flier-{round}");
        game_site.citizen(&Citizen::new(&handle, "Hello"));
        let mut tokens = Vec::new();
        for person in 0..2 {
            tokens.push(server.sign_in(&format!("5{round}{person}")).await);
        }
        let (one, two) = (server.start_claim(&tokens[0], &handle).await, server.start_claim(&tokens[1], &handle).await);
        game_site.citizen(&Citizen::new(&handle, &format!("{one} {two}")));
        let verify = |n: usize| server.claim(&tokens[n], "verify", &handle);
        let (one, two) = tokio::join!(verify(0), verify(1));
        let mut outcomes = [one.status.as_u16(), two.status.as_u16()];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 409], "{} {}", one.text(), two.text());
        let loser = if one.status == 200 { &two } else { &one };
        assert_eq!(loser.code(), "CONFLICT");
        let owners = "SELECT COUNT(*) FROM users u JOIN players p ON p.id = u.player_id";
        assert_eq!(server.database.number(&format!("{owners} WHERE p.handle = '{handle}'")), 1);
    }
}

async fn a_guild_is_claimed_by_a_code_on_its_page(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let (token, other) = (server.sign_in("501").await, server.sign_in("502").await);
    let call = |token: &str, act: &str, tag: &str| {
        let (path, body) = (format!("/api/guild/claim/{act}"), json!({"guildShort": tag}));
        let (server, token) = (&server, token.to_owned());
        async move { server.as_user(&token, Method::POST, &path, Some(&body)).await }
    };
    assert_eq!(call(&token, "start", "NONE").await.code(), "NOT_FOUND");
    assert_eq!(call(&token, "start", "E X").await.code(), "VALIDATION");
    game_site.organization("KITES", "The Kites", "We fly.");
    let started = call(&token, "start", "kites").await.json();
    let code = started["verificationCode"].as_str().unwrap().to_owned();
    assert_eq!((&started["handle"], &started["expectedTag"]), (&json!("KITES"), &json!(code)));
    let guild = server.read("/api/guild/KITES").await["guild"].clone();
    assert_eq!((&guild["name"], &guild["member_count"]), (&json!("The Kites"), &json!(42)));
    assert_eq!(guild["is_claimed"], false);
    let missed = call(&token, "verify", "KITES").await;
    assert_eq!(missed.code(), "CODE_NOT_FOUND");
    assert!(missed.text().contains(&code), "{}", missed.text());
    let of_other = call(&other, "start", "KITES").await.json()["verificationCode"].clone();
    game_site.organization("KITES", "The Kites", &format!("We fly. {code} {}", of_other.as_str().unwrap()));
    let verified = call(&token, "verify", "kites").await.json();
    assert_eq!((&verified["success"], &verified["guild_ownership"]), (&json!(true), &json!("KITES")));
    let me = server.as_user(&token, Method::GET, "/api/player/me", None).await.json();
    assert_eq!((&me["user"]["guild_ownership"], &me["user"]["handle"]), (&json!("KITES"), &Value::Null));
    assert_eq!(server.read("/api/guild/KITES").await["guild"]["is_claimed"], true);
    assert_eq!(call(&other, "verify", "KITES").await.code(), "CONFLICT");
    assert_eq!(call(&other, "start", "KITES").await.code(), "CONFLICT");
}

async fn t25_another_player_under_a_claimed_handle_changes_nothing(on: Backend) {
    let (server, game_site, _discord) = site(on).await;
    let token = server.sign_in("501").await;
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    let code = server.start_claim(&token, "Kite-Flier").await;
    game_site.citizen(&Citizen::new("Kite-Flier", &code));
    assert_eq!(server.claim(&token, "verify", "Kite-Flier").await.status, 200);
    let before = server.read("/api/player/kite-flier").await;
    let update = || server.as_user(&token, Method::POST, "/api/player/update-profile/kite-flier", None);
    game_site.citizen(&Citizen { record: 9_000_001, name: "Impostor", ..Citizen::new("Kite-Flier", "") });
    let refused = update().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "CONFLICT"));
    assert_eq!(server.read("/api/player/kite-flier").await, before);
    // A failed refresh does not count; after a successful one, the next is possible in five minutes.
    game_site.set_response("/citizens/kite-flier", MockResponse::status(500, ""));
    assert_eq!(update().await.code(), "UPSTREAM_UNAVAILABLE");
    game_site.citizen(&Citizen { name: "New Name", sid: "KITES", org: "The Kites", ..Citizen::new("KITE-flier", "") });
    assert_eq!(update().await.json(), json!({"success": true}));
    let player = server.read("/api/player/kite-flier").await["player"].clone();
    let fields = ["handle", "player_name", "org_short"].map(|field| player[field].clone());
    assert_eq!(fields, [json!("KITE-flier"), json!("New Name"), json!("KITES")]);
    assert_eq!(server.read("/api/guild/EXWING/members").await["pagination"]["total"], 0);
    assert_eq!(server.read("/api/guild/KITES/members").await["pagination"]["total"], 1);
    let again = update().await;
    assert_eq!((again.status.as_u16(), again.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"));
    let wait: u64 = again.header("retry-after").unwrap().parse().unwrap();
    assert!((290..=300).contains(&wait), "{wait}");
}

async fn only_claimed_players_are_refreshed_in_the_background(on: Backend) {
    let mut server = Server::prepare(on);
    let game_site = server.with_game_site().await;
    for handle in ["Kite-Flier", "Gull-Flier"] {
        game_site.citizen(&Citizen { name: "Read Again", ..Citizen::new(handle, "") });
    }
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES \
           ('Gull-Flier', 'gull-flier', 'Gull', 1), ('Kite-Flier', 'kite-flier', 'Kite', 1); \
         INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at, player_id) \
           SELECT '501', 'somebody', 1, 1, id FROM players WHERE handle = 'Kite-Flier'",
    );
    server.run();
    let name = async || server.read("/api/player/kite-flier").await["player"]["player_name"].clone();
    eventually("the claimed player is refreshed", async || name().await == "Read Again").await;
    assert_eq!(server.read("/api/player/kite-flier").await["player"]["org_short"], "EXWING");
    assert_eq!(server.read("/api/player/gull-flier").await["player"]["player_name"], "Gull");
    assert!(
        game_site.mock_server.requests().iter().all(|call| !call.path.contains("Gull")),
        "no request for unclaimed players"
    );
    let agent = game_site.mock_server.requests()[0].header("user-agent").unwrap().to_owned();
    assert!(agent.starts_with("Apogee/"), "requests identify the program: {agent}");
}

async fn t25_a_jump_of_the_member_count_needs_a_second_page(on: Backend) {
    let mut server = Server::prepare(on);
    let game_site = server.with_game_site().await;
    for (tag, count) in [("EXWING", 100), ("KITES", 100)] {
        server.database.run(&format!(
            "INSERT INTO guilds (tag, name, name_folded, site_member_count, created_at) \
               VALUES ('{tag}', '{tag}', lower('{tag}'), {count}, 1); \
             INSERT INTO players (handle, handle_folded, player_name, guild_id, created_at, site_read_at) \
               SELECT 'Of-{tag}', lower('Of-{tag}'), 'Somebody', id, 1, 4102444800000 FROM guilds WHERE tag = '{tag}'; \
             INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at, player_id) \
               SELECT 'of {tag}', 'somebody', 1, 1, id FROM players WHERE handle = 'Of-{tag}'"
        ));
    }
    // One page with a wrong member count, and a guild that really lost half of its members.
    game_site.organization_counting("EXWING", "Read Again", &[2, 104]);
    game_site.organization_counting("KITES", "Read Again", &[50, 51]);
    server.run();
    server.run_job("refresh").await;
    for (tag, count) in [("EXWING", 100), ("KITES", 51)] {
        let guild = async || server.read(&format!("/api/guild/{tag}")).await["guild"].clone();
        eventually("the round", async || guild().await["name"] == "Read Again").await;
        assert_eq!(guild().await["member_count"], count, "{tag}");
    }
}

async fn an_organization_without_a_logo_is_parsed(on: Backend) {
    let (mut server, game_site, _discord) = site(on).await;
    let token = server.sign_in("501").await;
    game_site.citizen_of_a_guild_without_logo(&Citizen::new("Kite-Flier", ""));
    let code = server.start_claim(&token, "Kite-Flier").await;
    assert_eq!(server.read("/api/player/kite-flier").await["player"]["org_short"], "EXWING");
    game_site.citizen_of_a_guild_without_logo(&Citizen { name: "Again", ..Citizen::new("Kite-Flier", &code) });
    let verified = server.claim(&token, "verify", "Kite-Flier").await;
    assert_eq!(verified.status, 200, "{}", verified.text());
    let refreshed = server.as_user(&token, Method::POST, "/api/player/update-profile/Kite-Flier", None).await;
    assert!([200, 429].contains(&refreshed.status.as_u16()), "{}", refreshed.text());
    // The background refresh parses the page as well.
    server.stop();
    server.database.run("UPDATE players SET site_read_at = NULL, player_name = 'Stale'");
    server.run();
    server.run_job("refresh").await;
    let name = async || server.read("/api/player/kite-flier").await["player"]["player_name"].clone();
    eventually("the background refresh", async || name().await == "Again").await;
}
