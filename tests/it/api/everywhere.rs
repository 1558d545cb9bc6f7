//! Rules for every route: parameters, methods, entity tags, compression, headers.

use reqwest::{Method, StatusCode};

use crate::support::*;

on_both!(
    every_parameter_out_of_range_is_named,
    odd_characters_never_break_a_route,
    unknown_paths_and_methods_fail_as_json,
    a_known_entity_tag_returns_304,
    json_is_compressed_as_requested,
    every_response_has_security_headers,
);

/// Every reading route with its parameters; the player and the guild exist.
const PARAMETERS: [(&str, &[&str]); 17] = [
    ("/api/players/top", &["sortBy", "limit"]),
    ("/api/players/leaderboard", &["sortBy", "order", "page", "limit", "window"]),
    ("/api/guilds/leaderboard", &["sortBy", "sortOrder", "limit", "offset", "window"]),
    ("/api/search/fast", &["type", "limit20", "q"]),
    ("/api/search/players", &["limit20", "q"]),
    ("/api/search/guilds", &["limit20", "q"]),
    ("/api/activity", &["limit", "before", "filter"]),
    ("/api/commits", &["limit", "offset"]),
    ("/api/live", &["topics"]),
    ("/api/player/ann-1/weapons", &["limit", "gameMode"]),
    ("/api/player/ann-1/vehicles", &["limit", "gameMode"]),
    ("/api/player/ann-1/missions", &["limit"]),
    ("/api/player/ann-1/activity", &["limit", "offset", "before", "filter"]),
    ("/api/player/ann-1/history", &["metric", "days"]),
    ("/api/guild/ALPHA/members", &["sortBy", "limit", "offset"]),
    ("/api/guild/ALPHA/activity", &["limit", "offset", "before", "filter"]),
    ("/api/players/leaderboard", &["window"]),
];

/// Invalid values by parameter.
fn wrong(parameter: &str) -> (String, Vec<String>) {
    let odd = ["%00", "%F0%9F%9A%80", "x%27%20OR%201", "null", "%20"].map(ToOwned::to_owned);
    let numbers = |low: &str, high: &str| {
        let mut values = vec![low.to_owned(), high.to_owned()];
        values.extend(["-1", "1.5", "1e1", "ten", "0x5", "99999999999999999999"].map(ToOwned::to_owned));
        values.extend(odd.clone());
        values.push("9".repeat(10_000));
        values
    };
    let words = |values: &[&str]| values.iter().map(|v| (*v).to_owned()).chain(odd.clone()).collect();
    let long = "x".repeat(10_000);
    let values = match parameter {
        "limit" => numbers("0", "101"),
        "limit20" => numbers("0", "21"),
        "page" => numbers("0", "1000001"),
        "offset" => numbers("-2", "9223372036854775807"),
        "start" => numbers("-2", "9223372036854775808"),
        "before" => numbers("0", "9223372036854775808"),
        "days" => numbers("0", "366"),
        "q" => vec![long.clone(), "%C3%AB".repeat(257)],
        "sortBy" | "metric" => words(&["kills", "Overall", "OVERALL", "overall ,id", &long]),
        "order" | "sortOrder" => words(&["DESC", "up", &long]),
        "window" => words(&["1y", "24H", "ALL", &long]),
        "filter" => words(&["all", "PVP", &long]),
        "gameMode" => words(&["pu", "EA", &long]),
        "type" => words(&["org", "Player", &long]),
        "topics" => words(&["", "weather", "player:", "player:a%20b", "guild:A-B", "activity,nothing", &long]),
        other => panic!("no invalid values for {other}"),
    };
    let mut values: Vec<String> = values;
    // An empty search returns nothing; an empty value of any other parameter is invalid.
    if parameter != "q" {
        values.push(String::new());
    }
    (parameter.trim_end_matches("20").to_owned(), values)
}

async fn small_site(on: Backend) -> Server {
    let mut server = Server::prepare(on);
    super::leaderboard::insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    server
}

async fn every_parameter_out_of_range_is_named(on: Backend) {
    let server = small_site(on).await;
    for (path, parameters) in PARAMETERS {
        for parameter in parameters {
            let (name, values) = wrong(parameter);
            for value in values {
                let short: String = value.chars().take(40).collect();
                let response = server.get(&format!("{path}?{name}={value}")).await;
                assert_eq!(response.status, StatusCode::BAD_REQUEST, "{path}?{name}={short}: {}", response.text());
                assert_eq!(response.code(), "VALIDATION", "{path}?{name}={short}");
                let sentence = response.json()["error"].as_str().unwrap().to_owned();
                assert!(sentence.contains(&name), "{path}?{name}={short}: {sentence}");
                assert!(sentence.len() < 300, "{path}?{name}={short}: {sentence}");
            }
        }
    }
    // Unknown parameters are ignored; a repeated parameter is not combined.
    assert_eq!(server.get("/api/players/top?colour=blue").await.status, StatusCode::OK);
    assert_eq!(server.get("/api/players/top?limit=1&limit=500").await.status, StatusCode::BAD_REQUEST);
}

async fn odd_characters_never_break_a_route(on: Backend) {
    let server = small_site(on).await;
    let long = "a".repeat(10_000);
    let texts = ["%00", "%FF", "%C3%28", "%F0%9F%9A%80", "%0D%0AX-Evil:%201", "%25", "%", "..%2f..", ";", "~", &long];
    for text in texts {
        for path in [
            "/api/player/TEXT",
            "/api/player/TEXT/weapons",
            "/api/player/TEXT/activity",
            "/api/guild/TEXT",
            "/api/guild/stats/TEXT",
            "/api/activity/TEXT",
            "/api/TEXT",
            "/player/TEXT",
            "/guild/TEXT",
            "/static/TEXT",
            "/pages/TEXT",
            "/TEXT",
        ] {
            let response = server.get(&path.replace("TEXT", text)).await;
            let status = response.status.as_u16();
            let shown: String = text.chars().take(20).collect();
            assert!((400..500).contains(&status) || status == 200, "{path} {shown}: {status}");
            assert!(response.headers.get("x-evil").is_none());
            if path.starts_with("/api/") {
                assert!(matches!(response.code().as_str(), "NOT_FOUND" | "VALIDATION"), "{path} {shown}");
            }
        }
    }
    assert_eq!(server.get("/api/health").await.status, StatusCode::OK);
}

async fn unknown_paths_and_methods_fail_as_json(on: Backend) {
    let server = small_site(on).await;
    for path in ["/api/", "/api/nothing", "/api/players", "/api/player/", "/api/health/x", "/api/player/ann-1/none"] {
        for method in [Method::GET, Method::POST, Method::DELETE] {
            let response = server.execute(server.request(method.clone(), path)).await;
            assert_eq!((response.status.as_u16(), response.code().as_str()), (404, "NOT_FOUND"), "{method} {path}");
        }
    }
    let mut table: Vec<(&str, &str)> = PARAMETERS.iter().map(|(path, _)| (*path, "GET, HEAD")).collect();
    table.extend(
        ["/api/health", "/api/ready", "/api/config", "/api/patch", "/api/openapi.json"].map(|p| (p, "GET, HEAD")),
    );
    table.extend([("/api/ingest/events", "POST"), ("/api/player/ann-1/view", "POST")]);
    for (path, allowed) in table {
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            if allowed.split(", ").any(|a| a == method.as_str()) {
                continue;
            }
            let response = server.execute(server.request(method.clone(), path)).await;
            assert_eq!(
                (response.status.as_u16(), response.code().as_str()),
                (405, "METHOD_NOT_ALLOWED"),
                "{method} {path}"
            );
            assert_eq!(response.header("allow"), Some(allowed), "{method} {path}");
        }
    }
}

/// Public reading routes.
const PUBLIC: [&str; 20] = [
    "/api/players/top",
    "/api/players/leaderboard",
    "/api/guilds/leaderboard",
    "/api/stats/counts",
    "/api/patch",
    "/api/search/fast?q=an",
    "/api/search/players?q=an",
    "/api/search/guilds?q=al",
    "/api/activity",
    "/api/activity/1",
    "/api/commits",
    "/api/config",
    "/api/openapi.json",
    "/api/player/ann-1",
    "/api/player/ann-1/weapons",
    "/api/player/ann-1/history",
    "/api/guild/ALPHA",
    "/api/guild/ALPHA/members",
    "/api/guild/ALPHA/activity",
    "/api/guild/stats/ALPHA",
];

async fn a_known_entity_tag_returns_304(on: Backend) {
    let server = small_site(on).await;
    for path in PUBLIC {
        let first = server.get(path).await;
        assert_eq!(first.status, StatusCode::OK, "{path}");
        let tag = first.header("etag").unwrap_or_else(|| panic!("{path} has no ETag")).to_owned();
        for known in [tag.clone(), format!("\"other\", {tag}"), tag.trim_start_matches("W/").to_owned(), "*".to_owned()]
        {
            let again = server.execute(server.request(Method::GET, path).header("if-none-match", &known)).await;
            assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{path} {known}");
            assert!(again.bytes.is_empty(), "{path}");
            assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
            assert_eq!(again.header("vary"), first.header("vary"), "{path}: both have the same cache key");
            assert!(again.header("vary").is_some_and(|vary| vary.contains("accept-encoding")), "{path}");
        }
        let other = server.execute(server.request(Method::GET, path).header("if-none-match", "W/\"other\"")).await;
        assert_eq!((other.status, &other.bytes), (StatusCode::OK, &first.bytes), "{path}");
        let head = server.execute(server.request(Method::HEAD, path)).await;
        assert_eq!((head.status, head.bytes.len()), (StatusCode::OK, 0), "{path}");
        assert_eq!(head.header("etag"), Some(tag.as_str()), "{path}");
    }
    // A change of the figures changes the tag.
    let path = "/api/player/ann-1";
    let tag = server.get(path).await.header("etag").unwrap().to_owned();
    let key = server.key("second");
    server.take(&key, &[kill("Ann-1", NPC).pu().json()]).await;
    let changed = server.execute(server.request(Method::GET, path).header("if-none-match", &tag)).await;
    assert_eq!(changed.status, StatusCode::OK);
}

async fn json_is_compressed_as_requested(on: Backend) {
    let server = small_site(on).await;
    let path = "/api/openapi.json";
    let accepting = |encodings: &'static str| server.request(Method::GET, path).header("accept-encoding", encodings);
    let unpacking = crate::support::server::unpacking_client();
    let plain = server.execute(accepting("identity")).await;
    assert_eq!(plain.header("content-encoding"), None);
    for encoding in ["br", "zstd", "gzip"] {
        let packed = server.execute(accepting(encoding)).await;
        assert_eq!(packed.header("content-encoding"), Some(encoding));
        assert!(packed.bytes.len() * 3 < plain.bytes.len(), "{encoding}: {} bytes", packed.bytes.len());
        assert!(packed.header("vary").is_some_and(|v| v.to_lowercase().contains("accept-encoding")), "{encoding}");
        assert_eq!(packed.header("etag"), plain.header("etag"), "{encoding}");
        let unpacked = match encoding {
            "zstd" => zstd::decode_all(&packed.bytes[..]).unwrap(),
            "gzip" => {
                let mut bytes = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed.bytes[..]), &mut bytes).unwrap();
                bytes
            }
            _ => server.execute(unpacking.get(server.url(path)).header("accept-encoding", "br")).await.bytes,
        };
        assert_eq!(unpacked, plain.bytes, "{encoding}");
    }
}

async fn every_response_has_security_headers(on: Backend) {
    let server = small_site(on).await;
    let mut paths: Vec<&str> = PUBLIC.to_vec();
    paths.extend(["/", "/players", "/player/nobody", "/api/nothing", "/robots.txt", "/metrics", "/static/none"]);
    paths.extend(["/api/players/top?limit=0", "/api/health"]);
    for path in paths {
        for method in [Method::GET, Method::PUT] {
            let response = server.execute(server.request(method.clone(), path)).await;
            let header = |name: &str| response.header(name).unwrap_or_else(|| panic!("{method} {path} has no {name}"));
            assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
            assert_eq!(header("x-frame-options"), "DENY", "{path}");
            assert!(header("referrer-policy").contains("origin"), "{path}");
            assert!(!header("permissions-policy").is_empty());
            let policy = header("content-security-policy");
            let scripts = policy.split(';').find(|part| part.trim().starts_with("script-src")).unwrap();
            assert!(!scripts.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
            assert!(response.headers.get("server").is_none() && response.headers.get("x-powered-by").is_none());
        }
    }
}
