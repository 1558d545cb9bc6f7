use std::collections::HashMap;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::*;
use crate::upstream::mock_server::{MockResponse, MockServer, RecordedRequest};

const CODE: &str = "APOGEE-7K3M9QXW4HTR";

fn fixture(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/data/game-site/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn base() -> Url {
    Url::parse("https://game.example/").unwrap()
}

fn citizen_of(name: &str) -> Citizen {
    citizen::parse(&fixture(name), &base()).unwrap()
}

fn handle(text: &str) -> Handle {
    Handle::parse(text).unwrap()
}

fn tag(text: &str) -> GuildTag {
    GuildTag::parse(text).unwrap()
}

fn shown(citizen: &Citizen) -> &OrganizationShown {
    match &citizen.main_org {
        Organization::Shown(org) => org,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_kind_of_player_page_is_parsed() {
    let none = citizen_of("citizen-no-org.html");
    assert_eq!((none.citizen_record, &none.main_org, none.bio_lines.len()), (None, &Organization::None, 0));

    let located = citizen_of("citizen-org-and-location.html");
    assert_eq!((located.handle.as_str(), located.moniker.as_str()), ("Quil0", "Quill7-"));
    let org = shown(&located);
    assert_eq!((org.name.as_str(), org.sid.as_str(), org.rank.as_deref()), ("NST", "NSTFIN", Some("Master")));

    let german = citizen_of("citizen-custom-badge.html");
    assert_eq!(shown(&german).rank.as_deref(), Some("Mitglied"));

    let differs = citizen_of("citizen-moniker-differs.html");
    assert_eq!((differs.handle.as_str(), differs.moniker.as_str()), ("MRX-Pixelart", "Pixelart"));
    assert!(differs.avatar_url.unwrap().ends_with("/avatar_default_big.jpg"));

    let redacted = citizen_of("citizen-redacted-org.html");
    assert_eq!(redacted.main_org, Organization::Redacted);
    assert!(redacted.citizen_record.is_some());
    assert!(redacted.avatar_url.unwrap().starts_with("https://game.example/media/"));

    let bio = citizen_of("citizen-bio.html");
    assert_eq!(bio.bio_lines, ["\\o/ #(^_^)# \\o/"]);
    assert_eq!(citizen_of("citizen-two-languages.html").moniker, "Belisar Noctua");
    assert_eq!(shown(&citizen_of("citizen-org-name-entities.html")).name, "Skyward ≡\\ /≡");
    let twice = citizen_of("citizen-org-name-double-escaped.html");
    assert_eq!(shown(&twice).name, "COMPAGNIE REMORQUAGES & SAUVETAGES");
    assert_eq!(citizen_of("citizen-no-bio.html").bio_lines, Vec::<String>::new());
}

#[test]
fn a_code_counts_only_in_the_bio() {
    assert!(has_code(&citizen_of("citizen-bio-code.html").bio_lines, CODE));
    let elsewhere = citizen_of("citizen-code-elsewhere.html");
    assert!(elsewhere.moniker.contains(CODE), "the page contains the code outside the bio");
    assert!(!has_code(&elsewhere.bio_lines, CODE));
    assert!(!has_code(&citizen_of("citizen-no-bio.html").bio_lines, CODE));
}

#[test]
fn a_code_counts_as_a_whole_word_in_any_case() {
    let mut citizen = citizen_of("citizen-no-bio.html");
    let mut with = |line: &str| {
        citizen.bio_lines = vec!["hello".to_owned(), line.to_owned()];
        has_code(&citizen.bio_lines, CODE)
    };
    for line in [
        "APOGEE-7K3M9QXW4HTR",
        "my code:apogee-7k3m9qxw4htr.",
        "- APOGEE-7K3M9QXW4HTR -",
        "-Apogee-7k3m9qxw4htr!",
        "«APOGEE-7K3M9QXW4HTR»",
    ] {
        assert!(with(line), "{line}");
    }
    for line in [
        "APOGEE-7K3M9QXW4HTRX",
        "XAPOGEE-7K3M9QXW4HTR",
        "APOGEE-7K3M9QXW4HTR-2",
        "APOGEE 7K3M9QXW4HTR",
        "éAPOGEE-7K3M9QXW4HTR",
        "APOGEE-7K3M9QXW4HT",
        "",
    ] {
        assert!(!with(line), "{line}");
    }
    citizen.bio_lines = vec!["anything".to_owned()];
    assert!(!has_code(&citizen.bio_lines, ""), "an empty code is in no bio");
}

#[test]
fn changed_markup_is_an_error_and_not_a_missing_player() {
    let page = fixture("citizen-org-and-location.html");
    for (what, from, to) in [
        ("the content", "id=\"public-profile\"", "id=\"dossier\""),
        ("the handle", "Handle name", "Handle name</span><span>"),
        ("the organization's box", "main-org right-col", "organization"),
        ("the organization's link", "href=\"/orgs/NSTFIN\" class=\"value", "href=\"/o/NSTFIN\" class=\"value"),
    ] {
        let changed = page.replace(from, to).replace(
            "<strong class=\"value\">Quil0</strong>",
            if what == "the handle" { "" } else { "<strong class=\"value\">Quil0</strong>" },
        );
        assert_ne!(changed, page, "{what}");
        let outcome = citizen::parse(&changed, &base());
        assert!(matches!(outcome, Err(SiteError::ChangedMarkup(_))), "{what}: {outcome:?}");
    }
    assert!(matches!(citizen::parse(&fixture("missing-404.html"), &base()), Err(SiteError::NotFound)));
    assert!(matches!(organization::parse(&fixture("missing-404.html"), &base()), Err(SiteError::NotFound)));
    assert!(matches!(citizen::parse("", &base()), Err(SiteError::ChangedMarkup(_))));
    assert!(matches!(organization::parse("<html><body>hello", &base()), Err(SiteError::ChangedMarkup(_))));
}

#[test]
fn an_organization_is_parsed_with_its_texts() {
    let org = organization::parse(&fixture("org.html"), &base()).unwrap();
    assert_eq!((org.name.as_str(), org.sid.as_str(), org.member_count), ("Example Wing & Co", "EXWING", Some(42)));
    assert_eq!(org.logo_url.as_deref(), Some("https://game.example/media/logo0123r/heap_infobox/EXWING-Logo.png"));
    assert_eq!(org.text_lines, ["We fly together.", CODE, "Founded long ago.", "Be kind.", "No griefing."]);
    assert!(has_code(&org.text_lines, "apogee-7k3m9qxw4htr"));
    assert!(!has_code(&org.text_lines, "EXWING"), "the tag is not one of the texts");
}

#[test]
fn only_visible_members_are_named() {
    let page = organization::parse_members_response(&fixture("getOrgMembers.json")).unwrap();
    assert_eq!((page.total, page.members.len(), page.unnamed), (6, 4, 2));
    let boss = &page.members[0];
    assert_eq!((boss.handle.as_str(), boss.affiliate), ("BigBoss", false));
    assert!(page.members[3].affiliate);
    assert!(page.is_last(1));
    // The site may escape slashes in JSON.
    let escaped = fixture("getOrgMembers.json").replace('/', "\\/");
    assert_eq!(organization::parse_members_response(&escaped).unwrap(), page);

    let end = organization::parse_members_response(&fixture("getOrgMembers-last-page.json")).unwrap();
    assert!(end.members.is_empty() && end.is_last(2));
    let (rows, unnamed) = organization::parse_member_rows(&fixture("members-affiliates.html")).unwrap();
    assert_eq!((rows.len(), unnamed), (3, 0));

    let outcome = |name: &str| organization::parse_members_response(&fixture(name)).unwrap_err();
    assert!(matches!(outcome("getOrgMembers-throttled.json"), SiteError::Blocked { .. }));
    assert!(matches!(outcome("getOrgMembers-unknown-org.json"), SiteError::NotFound));
    for invalid in [
        "",
        "[]",
        "{\"success\":1}",
        "{\"success\":1,\"data\":{\"totalrows\":\"many\",\"html\":\"\"}}",
        "{\"success\":1,\"data\":{\"totalrows\":\"5\",\"html\":\"<b>Sorry</b>\"}}",
    ] {
        let outcome = organization::parse_members_response(invalid);
        assert!(matches!(outcome, Err(SiteError::ChangedMarkup(_))), "{invalid}: {outcome:?}");
    }
}

fn client(site: &MockServer) -> GameSite {
    GameSite::new(&site.url).unwrap()
}

#[tokio::test]
async fn requests_have_a_user_agent_and_request_english() {
    let site = MockServer::start(|request, _| match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/citizens/QUIL0") => MockResponse::status(301, "").with_header("Location", "/en/citizens/Quil0"),
        ("GET", "/en/citizens/Quil0") => MockResponse::ok(fixture("citizen-org-and-location.html")),
        ("GET", "/orgs/EXWING") => MockResponse::ok(fixture("org.html")),
        ("POST", "/api/orgs/getOrgMembers") => MockResponse::ok(fixture("getOrgMembers.json")),
        _ => MockResponse::status(404, fixture("missing-404.html")),
    })
    .await;
    let client = GameSite::new(&site.url).unwrap();
    let citizen = client.citizen(&handle("QUIL0"), Priority::User(1)).await.unwrap();
    assert_eq!(citizen.handle.as_str(), "Quil0", "the capitalization of the site");
    assert_eq!(client.organization(&tag("EXWING"), Priority::Background).await.unwrap().member_count, Some(42));
    assert_eq!(client.members(&tag("EXWING"), 1, Priority::Background).await.unwrap().total, 6);
    assert!(matches!(client.citizen(&handle("Nobody"), Priority::User(1)).await, Err(SiteError::NotFound)));

    let requests = site.requests();
    assert!(requests.iter().all(|request| request.header("user-agent") == Some(net::USER_AGENT)));
    assert_eq!(requests[0].header("accept-language"), Some("en"));
    let body: HashMap<String, serde_json::Value> = serde_json::from_value(requests[3].json()).unwrap();
    assert_eq!((body["symbol"].as_str(), body["page"].as_i64()), (Some("EXWING"), Some(1)));
}

#[tokio::test]
async fn the_page_of_another_player_is_not_found() {
    let site = MockServer::start(|_, _| MockResponse::ok(fixture("citizen-bio-code.html"))).await;
    let outcome = client(&site).citizen(&handle("Somebody"), Priority::User(1)).await;
    assert!(matches!(outcome, Err(SiteError::NotFound)), "{outcome:?}");
}

async fn outcome_of(
    respond: impl Fn(&RecordedRequest, usize) -> MockResponse + Send + Sync + 'static,
) -> (SiteError, usize) {
    let site = MockServer::start(respond).await;
    let error = client(&site).citizen(&handle("Quil0"), Priority::User(1)).await.unwrap_err();
    (error, site.request_count())
}

#[tokio::test]
async fn every_failure_of_the_site_returns_a_specific_error() {
    use SiteError as E;
    for unfinished in [MockResponse::NoResponse, MockResponse::SlowBody] {
        let site = MockServer::start(move |_, _| unfinished.clone()).await;
        let mut client = client(&site);
        client.http.timeout = Duration::from_millis(200);
        assert!(matches!(client.citizen(&handle("Quil0"), Priority::User(1)).await, Err(E::TimedOut(_))));
    }
    assert!(matches!(outcome_of(|_, _| MockResponse::CloseConnection).await.0, E::Unreachable(_)));
    let half = fixture("citizen-bio-code.html").into_bytes()[..900].to_vec();
    assert!(matches!(
        outcome_of(move |_, _| MockResponse::Truncated { body: half.clone() }).await.0,
        E::Unreachable(_)
    ));
    for status in [403, 429, 503] {
        assert!(
            matches!(outcome_of(move |_, _| MockResponse::status(status, "no")).await.0, E::Blocked { .. }),
            "{status}"
        );
    }
    for status in [500, 502, 400] {
        assert!(
            matches!(outcome_of(move |_, _| MockResponse::status(status, "no")).await.0, E::Unreachable(_)),
            "{status}"
        );
    }
    let challenge = "<html><head><title>Just a moment...</title></head><body>Checking your browser</body></html>";
    assert!(matches!(outcome_of(move |_, _| MockResponse::ok(challenge)).await.0, E::Blocked { .. }));
    assert!(matches!(
        outcome_of(|_, _| MockResponse::ok("<html><body>Under construction")).await.0,
        E::ChangedMarkup(_)
    ));
    assert!(matches!(outcome_of(|_, _| MockResponse::ok("")).await.0, E::ChangedMarkup(_)));
    assert!(matches!(outcome_of(|_, _| MockResponse::ok(vec![b'x'; 3 << 20])).await.0, E::TooLarge(2_097_152)));
    assert!(matches!(outcome_of(|_, _| MockResponse::ok(vec![0xff; 2000])).await.0, E::ChangedMarkup(_)));
    let nowhere = GameSite::new("http://127.0.0.1:1").unwrap();
    assert!(matches!(nowhere.citizen(&handle("Quil0"), Priority::User(1)).await, Err(E::Unreachable(_))));
}

#[tokio::test]
async fn a_deeply_nested_page_is_rejected_before_it_is_parsed() {
    let page = fixture("citizen-org-and-location.html");
    let deep = page.replace("</body>", &"<div class=value>".repeat(100_000));
    assert!(matches!(outcome_of(move |_, _| MockResponse::ok(deep.clone())).await.0, SiteError::ChangedMarkup(_)));
}

#[tokio::test]
async fn a_decompression_bomb_is_rejected() {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![b'a'; 50 << 20]).unwrap();
    let compressed = encoder.finish().unwrap();
    assert!(compressed.len() < 100_000);
    let (error, _) =
        outcome_of(move |_, _| MockResponse::ok(compressed.clone()).with_header("Content-Encoding", "gzip")).await;
    assert!(matches!(error, SiteError::TooLarge(_)), "{error:?}");
}

#[tokio::test]
async fn redirects_stay_on_the_origin_and_end_after_two() {
    for target in [
        "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/",
        "https://elsewhere.example/citizens/Quil0",
        "//elsewhere.example/",
        "file:///etc/passwd",
        "http://localhost:1/",
        "javascript:alert(1)",
        "http://[::1]:1/",
        "",
    ] {
        let (error, requests) =
            outcome_of(move |_, _| MockResponse::status(302, "").with_header("Location", target)).await;
        assert!(matches!(error, SiteError::BadRedirect(_)), "{target}: {error:?}");
        assert_eq!(requests, 1, "{target}");
    }
    let (error, requests) =
        outcome_of(|request, _| MockResponse::status(302, "").with_header("Location", format!("{}x", request.path)))
            .await;
    assert!(matches!(error, SiteError::BadRedirect(_)), "{error:?}");
    assert_eq!(requests, 3, "the page and two redirects");

    let site = MockServer::start(|_, _| MockResponse::status(307, "").with_header("Location", "/api/other")).await;
    let outcome = client(&site).members(&tag("EXWING"), 1, Priority::User(1)).await;
    assert!(matches!(outcome, Err(SiteError::BadRedirect(_))), "{outcome:?}");
    assert_eq!(site.request_count(), 1, "a request with a body is sent once");
}

#[tokio::test]
async fn private_addresses_are_not_contacted() {
    for base in ["http://10.255.255.1/", "http://169.254.169.254/", "http://[fd00::1]/", "http://0.0.0.0:1/"] {
        let client = GameSite::new(base).unwrap();
        let outcome = client.citizen(&handle("Quil0"), Priority::User(1)).await;
        assert!(matches!(outcome, Err(SiteError::BadRedirect(_))), "{base}: {outcome:?}");
    }
}

#[tokio::test]
async fn clones_of_a_client_share_its_burst_and_its_queue() {
    let site = MockServer::start(|_, _| MockResponse::status(404, "")).await;
    let client = GameSite::new(&site.url).unwrap();
    let mut admitted = 0;
    for user in 0..200 {
        // A request that is dropped while it waits has used up its slot.
        match client.clone().citizen(&handle("Quil0"), Priority::User(user)).now_or_never() {
            Some(Err(SiteError::Busy { .. })) => break,
            _ => admitted += 1,
        }
    }
    assert!((18..200).contains(&admitted), "{admitted}: a burst of ten and a queue of eight seconds");
}

#[tokio::test]
async fn retry_after_of_the_site_is_respected() {
    let site = MockServer::start(|_, _| MockResponse::status(429, "").with_header("Retry-After", 120)).await;
    let client = client(&site);
    let first = client.citizen(&handle("Quil0"), Priority::User(1)).await.unwrap_err();
    assert!(matches!(first, SiteError::Blocked { retry_after: Some(d) } if d.as_secs() == 120), "{first:?}");
    let second = client.citizen(&handle("Quil0"), Priority::Background).await.unwrap_err();
    assert!(matches!(second, SiteError::Blocked { retry_after: Some(d) } if d.as_secs() >= 118), "{second:?}");
    assert_eq!(site.request_count(), 1);
}

#[tokio::test]
async fn requests_continue_when_the_site_recovers() {
    let site = MockServer::start(|_, number| match number {
        0 => MockResponse::status(503, ""),
        1 => MockResponse::CloseConnection,
        _ => MockResponse::ok(fixture("citizen-org-and-location.html")),
    })
    .await;
    let client = client(&site);
    assert!(client.citizen(&handle("Quil0"), Priority::User(1)).await.is_err());
    assert!(client.citizen(&handle("Quil0"), Priority::User(1)).await.is_err());
    assert!(client.citizen(&handle("Quil0"), Priority::User(1)).await.is_ok());
}
