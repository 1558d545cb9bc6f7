//! Runs every example of the API documentation.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use super::leaderboard::insert_guilds;
use crate::support::*;

on_sqlite!(every_example_of_the_documentation_works);

const TEXT: &str = include_str!("../../../assets/pages/api.md");
/// Exit code of curl after its time limit.
const TIMED_OUT: i32 = 28;
/// Placeholder of the documentation for the address of the site.
const SITE: &str = "https://your.site";

/// The code blocks of the text: `(language, code)`.
fn blocks() -> Vec<(String, String)> {
    let mut parts = TEXT.split("\n```");
    parts.next();
    let mut found = Vec::new();
    // Every second part is a code block.
    while let Some(block) = parts.next() {
        let (language, code) = block.split_once('\n').unwrap();
        found.push((language.to_owned(), code.trim().to_owned()));
        parts.next();
    }
    found
}

async fn every_example_of_the_documentation_works(on: Backend) {
    let mut server = Server::prepare(on);
    server.run();
    let blocks = blocks();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let lists: Vec<Value> =
        blocks.iter().filter(|(l, _)| l == "json").map(|(_, code)| serde_json::from_str(code).unwrap()).collect();
    // On an empty site, the first page of a leaderboard equals the documented success response.
    let [success, failure] = &lists[..] else { panic!("expected two documented responses: {lists:?}") };
    assert_eq!(&server.read("/api/players/leaderboard").await, success);
    assert_eq!(&server.get("/api/players/top?limit=0").await.json(), failure);
    server.stop();
    insert_guilds(&server);
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Kestrel-1", 3, now() - DAY)).await;
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY)).await;
    for (language, code) in &blocks {
        seen.insert(language.as_str());
        match language.as_str() {
            "http" => {
                let path = code.strip_prefix("GET ").unwrap_or_else(|| panic!("{code} is not a GET request"));
                let response = server.read(path).await;
                let rows = ["players", "data", "results"].iter().filter_map(|list| response[*list].as_array());
                assert!(rows.clone().all(|list| !list.is_empty()) || path.contains("missions"), "{code}: {response}");
            }
            "json" | "text" => {}
            "js" => {
                let path = code.split('"').find(|word| word.starts_with("/api/live")).unwrap();
                let stream = server.request(reqwest::Method::GET, path).send().await.unwrap();
                assert_eq!(stream.status(), 200, "{path}");
                assert_eq!(stream.headers()["content-type"], "text/event-stream");
                assert!(code.contains("addEventListener(\"activity\""));
            }
            "sh" | "python" => {
                let code = code.replace(SITE, &server.address);
                // Commands that follow a stream run until they are stopped.
                let follows = code.contains("/api/live");
                let code = if follows { code.replace("curl", "curl --max-time 2") } else { code };
                let (program, flag) = if language == "sh" { ("sh", "-c") } else { ("python3", "-c") };
                let ran = Command::new(program).args([flag, &code]).output();
                let ran = ran.unwrap_or_else(|error| panic!("{program} is needed to run the examples: {error}"));
                let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
                if follows {
                    assert!(
                        ran.status.code() == Some(TIMED_OUT) && out.starts_with("retry: 3000"),
                        "{code}: {out}{err}"
                    );
                } else {
                    assert!(ran.status.success() && out.contains("Kestrel-1"), "{code}: {out}{err}");
                }
            }
            other => panic!("an example in {other}, which this test cannot run"),
        }
    }
    assert_eq!(seen, ["http", "js", "json", "python", "sh", "text"].into());

    // The documentation lists exactly the program's paths, codes and statuses.
    let document = server.get("/api/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let words = TEXT.split('`').filter(|word| word.starts_with("/api/") && *word != "/api/");
    let named = words.map(|word| word.split('?').next().unwrap());
    for path in named {
        assert!(paths.contains_key(path), "{path} is not a route");
    }
    let all: BTreeSet<&str> = document["components"]["schemas"]["Code"]["enum"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c.as_str().unwrap())
        .collect();
    let table = TEXT.split("| Code | Status |").nth(1).unwrap().split("\n## ").next().unwrap();
    let listed: BTreeSet<&str> = table.split('`').filter(|word| all.contains(word)).collect();
    assert_eq!(listed, all, "the table lists every code");
    for value in [
        "overall",
        "pu_player_kills",
        "pve_kills",
        "vehicle_destructions",
        "missions_completed",
        "playtime",
        "career",
        "ships_flown",
    ] {
        assert!(TEXT.contains(&format!("`{value}`")));
    }
}
