use std::collections::HashMap;
use std::time::{Duration, Instant};

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
    citizen::read(&fixture(name), &base()).unwrap()
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
fn every_page_of_a_player_is_read() {
    let none = citizen_of("citizen-no-org.html");
    assert_eq!((none.citizen_record, &none.main_org, none.bio_lines.len()), (None, &Organization::None, 0));

    let located = citizen_of("citizen-org-and-location.html");
    assert_eq!((located.handle.as_str(), located.moniker.as_str()), ("Quil0", "Quill7-"));
    let org = shown(&located);
    assert_eq!(
        (org.name.as_str(), org.sid.as_str(), org.rank.as_deref(), org.stars),
        ("NST", "NSTFIN", Some("Master"), 5)
    );

    let german = citizen_of("citizen-custom-badge.html");
    assert_eq!((shown(&german).rank.as_deref(), shown(&german).stars), (Some("Mitglied"), 1));

    let differs = citizen_of("citizen-moniker-differs.html");
    assert_eq!(
        (differs.handle.as_str(), differs.moniker.as_str(), shown(&differs).stars),
        ("MRX-Pixelart", "Pixelart", 4)
    );
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
    assert_eq!((shown(&twice).name.as_str(), shown(&twice).stars), ("COMPAGNIE REMORQUAGES & SAUVETAGES", 0));
    assert_eq!(citizen_of("citizen-no-bio.html").bio_lines, Vec::<String>::new());
}

#[test]
fn a_code_counts_in_the_bio_alone() {
    assert!(bio_has_code(&citizen_of("citizen-bio-code.html"), CODE));
    let elsewhere = citizen_of("citizen-code-elsewhere.html");
    assert!(elsewhere.moniker.contains(CODE), "the page does hold the code, outside of the bio");
    assert!(!bio_has_code(&elsewhere, CODE));
    assert!(!bio_has_code(&citizen_of("citizen-no-bio.html"), CODE));
}

#[test]
fn a_code_counts_as_a_whole_word_in_any_case() {
    let mut citizen = citizen_of("citizen-no-bio.html");
    let mut with = |line: &str| {
        citizen.bio_lines = vec!["hello".to_owned(), line.to_owned()];
        bio_has_code(&citizen, CODE)
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
    assert!(!bio_has_code(&citizen, ""), "an empty code is in no bio");
}

#[test]
fn changed_markup_is_an_error_and_never_nobody() {
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
        let outcome = citizen::read(&changed, &base());
        assert!(matches!(outcome, Err(SiteError::ChangedMarkup(_))), "{what}: {outcome:?}");
    }
    assert!(matches!(citizen::read(&fixture("missing-404.html"), &base()), Err(SiteError::NotFound)));
    assert!(matches!(organization::read(&fixture("missing-404.html"), &base()), Err(SiteError::NotFound)));
    assert!(matches!(citizen::read("", &base()), Err(SiteError::ChangedMarkup(_))));
    assert!(matches!(organization::read("<html><body>hello", &base()), Err(SiteError::ChangedMarkup(_))));
}

#[test]
fn an_organization_is_read_with_its_texts() {
    let org = organization::read(&fixture("org.html"), &base()).unwrap();
    assert_eq!((org.name.as_str(), org.sid.as_str(), org.member_count), ("Example Wing & Co", "EXWING", Some(42)));
    assert_eq!(org.logo_url.as_deref(), Some("https://game.example/media/logo0123r/heap_infobox/EXWING-Logo.png"));
    assert_eq!(org.texts.headline, ["We fly together.", CODE]);
    assert_eq!((org.texts.history[0].as_str(), org.texts.charter[0].as_str()), ("Founded long ago.", "No griefing."));
    assert!(organization_has_code(&org, "apogee-7k3m9qxw4htr"));
    assert!(!organization_has_code(&org, "EXWING"), "the tag beside the name is no text of theirs");
}

#[test]
fn members_are_named_only_when_they_show_themselves() {
    let page = organization::read_members_answer(&fixture("getOrgMembers.json"), &base()).unwrap();
    assert_eq!((page.total, page.members.len(), page.unnamed), (6, 4, 2));
    let boss = &page.members[0];
    assert_eq!((boss.handle.as_str(), boss.moniker.as_str(), boss.stars), ("BigBoss", "Big Boss", 5));
    assert_eq!((boss.roles.as_slice(), boss.affiliate), (["Owner".to_owned(), "Officer".to_owned()].as_slice(), false));
    assert!(page.members[3].affiliate);
    assert!(page.is_last(1));
    // The site may write its slashes escaped; that is the same answer.
    let escaped = fixture("getOrgMembers.json").replace('/', "\\/");
    assert_eq!(organization::read_members_answer(&escaped, &base()).unwrap(), page);

    let end = organization::read_members_answer(&fixture("getOrgMembers-last-page.json"), &base()).unwrap();
    assert!(end.members.is_empty() && end.is_last(2));
    let (rows, unnamed) = organization::read_member_rows(&fixture("members-affiliates.html"), &base()).unwrap();
    assert_eq!((rows.len(), unnamed, rows[1].roles[0].as_str(), rows[2].stars), (3, 0, "CEO", 3));

    let outcome = |name: &str| organization::read_members_answer(&fixture(name), &base()).unwrap_err();
    assert!(matches!(outcome("getOrgMembers-throttled.json"), SiteError::Blocked { .. }));
    assert!(matches!(outcome("getOrgMembers-unknown-org.json"), SiteError::NotFound));
    for odd in [
        "",
        "[]",
        "{\"success\":1}",
        "{\"success\":1,\"data\":{\"totalrows\":\"many\",\"html\":\"\"}}",
        "{\"success\":1,\"data\":{\"totalrows\":\"5\",\"html\":\"<b>Sorry</b>\"}}",
    ] {
        let outcome = organization::read_members_answer(odd, &base());
        assert!(matches!(outcome, Err(SiteError::ChangedMarkup(_))), "{odd}: {outcome:?}");
    }
}

/// A reader whose calls end after a second and a half.
fn reader(site: &MockServer) -> GameSite {
    let request_limits = RequestLimits { timeout: Duration::from_millis(1500), ..RequestLimits::default() };
    GameSite::new(&site.url, "apogee-test (+http://example.org)").unwrap().with_request_limits(request_limits)
}

#[tokio::test]
async fn a_player_is_fetched_with_our_name_and_in_english() {
    let site = MockServer::start(|call, _| match (call.method.as_str(), call.path.as_str()) {
        ("GET", "/citizens/QUIL0") => MockResponse::status(301, "").with_header("Location", "/en/citizens/Quil0"),
        ("GET", "/en/citizens/Quil0") => MockResponse::ok(fixture("citizen-org-and-location.html")),
        ("GET", "/orgs/EXWING") => MockResponse::ok(fixture("org.html")),
        ("POST", "/api/orgs/getOrgMembers") => MockResponse::ok(fixture("getOrgMembers.json")),
        _ => MockResponse::status(404, fixture("missing-404.html")),
    })
    .await;
    let reader = GameSite::new(&site.url, "apogee-test (+http://example.org)").unwrap();
    let citizen = reader.citizen(&handle("QUIL0"), Priority::User(1)).await.unwrap();
    assert_eq!(citizen.handle.as_str(), "Quil0", "the site's spelling");
    assert_eq!(reader.organization(&tag("EXWING"), Priority::Background).await.unwrap().member_count, Some(42));
    assert_eq!(reader.members(&tag("EXWING"), 1, Priority::Background).await.unwrap().total, 6);
    assert!(matches!(reader.citizen(&handle("Nobody"), Priority::User(1)).await, Err(SiteError::NotFound)));

    let seen = site.requests();
    assert!(seen.iter().all(|call| call.header("user-agent") == Some("apogee-test (+http://example.org)")));
    assert_eq!(seen[0].header("accept-language"), Some("en"));
    let question: HashMap<String, serde_json::Value> = serde_json::from_value(seen[3].json()).unwrap();
    assert_eq!((question["symbol"].as_str(), question["page"].as_i64()), (Some("EXWING"), Some(1)));
}

#[tokio::test]
async fn somebody_elses_page_is_not_the_one_asked_for() {
    let site = MockServer::start(|_, _| MockResponse::ok(fixture("citizen-bio-code.html"))).await;
    let outcome = reader(&site).citizen(&handle("Somebody"), Priority::User(1)).await;
    assert!(matches!(outcome, Err(SiteError::NotFound)), "{outcome:?}");
}

async fn outcome_of(
    answer: impl Fn(&RecordedRequest, usize) -> MockResponse + Send + Sync + 'static,
) -> (SiteError, usize) {
    let site = MockServer::start(answer).await;
    let begin = Instant::now();
    let error = reader(&site).citizen(&handle("Quil0"), Priority::User(1)).await.unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(8), "{error:?} took {:?}", begin.elapsed());
    (error, site.request_count())
}

#[tokio::test]
async fn every_way_a_site_can_fail_has_its_own_error_in_bounded_time() {
    use SiteError as E;
    assert!(matches!(outcome_of(|_, _| MockResponse::NoResponse).await.0, E::TimedOut(_)));
    assert!(matches!(outcome_of(|_, _| MockResponse::SlowBody).await.0, E::TimedOut(_)));
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
    let nowhere = GameSite::new("http://127.0.0.1:1", "t").unwrap();
    assert!(matches!(nowhere.citizen(&handle("Quil0"), Priority::User(1)).await, Err(E::Unreachable(_))));
}

#[tokio::test]
async fn a_page_nested_beyond_measure_is_refused_before_it_is_parsed() {
    let page = fixture("citizen-org-and-location.html");
    let deep = page.replace("</body>", &"<div class=value>".repeat(100_000));
    assert!(matches!(outcome_of(move |_, _| MockResponse::ok(deep.clone())).await.0, SiteError::ChangedMarkup(_)));
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_large_one_is_refused() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b'a'; 50 << 20]).unwrap();
    let packed = packer.finish().unwrap();
    assert!(packed.len() < 100_000);
    let (error, _) =
        outcome_of(move |_, _| MockResponse::ok(packed.clone()).with_header("Content-Encoding", "gzip")).await;
    assert!(matches!(error, SiteError::TooLarge(_)), "{error:?}");
}

#[tokio::test]
async fn redirects_stay_on_the_site_and_end_after_two() {
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
        let (error, calls) =
            outcome_of(move |_, _| MockResponse::status(302, "").with_header("Location", target)).await;
        assert!(matches!(error, SiteError::BadRedirect(_)), "{target}: {error:?}");
        assert_eq!(calls, 1, "{target}");
    }
    let (error, calls) =
        outcome_of(|call, _| MockResponse::status(302, "").with_header("Location", format!("{}x", call.path))).await;
    assert!(matches!(error, SiteError::BadRedirect(_)), "{error:?}");
    assert_eq!(calls, 3, "the page and two redirects");

    let site = MockServer::start(|_, _| MockResponse::status(307, "").with_header("Location", "/api/other")).await;
    let outcome = reader(&site).members(&tag("EXWING"), 1, Priority::User(1)).await;
    assert!(matches!(outcome, Err(SiteError::BadRedirect(_))), "{outcome:?}");
    assert_eq!(site.request_count(), 1, "a question with a body is asked once");
}

#[tokio::test]
async fn addresses_of_private_networks_are_not_asked() {
    for base in ["http://10.255.255.1/", "http://169.254.169.254/", "http://[fd00::1]/", "http://0.0.0.0:1/"] {
        let reader = GameSite::new(base, "t").unwrap();
        let outcome = reader.citizen(&handle("Quil0"), Priority::User(1)).await;
        assert!(matches!(outcome, Err(SiteError::BadRedirect(_))), "{base}: {outcome:?}");
    }
}

#[tokio::test]
async fn after_a_burst_of_ten_the_site_is_asked_once_a_second() {
    let site = MockServer::start(|_, _| MockResponse::status(404, "")).await;
    let reader = GameSite::new(&site.url, "t").unwrap();
    let begin = Instant::now();
    for _ in 0..10 {
        let _ = reader.citizen(&handle("Quil0"), Priority::User(1)).await;
    }
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    // A clone passes the same throttle.
    let _ = reader.clone().organization(&tag("EXWING"), Priority::User(1)).await;
    assert!(begin.elapsed() >= Duration::from_millis(950), "{:?}", begin.elapsed());
    assert_eq!(site.request_count(), 11);
}

#[tokio::test]
async fn a_site_that_says_later_is_not_asked_before_then() {
    let site = MockServer::start(|_, _| MockResponse::status(429, "").with_header("Retry-After", 120)).await;
    let reader = reader(&site);
    let first = reader.citizen(&handle("Quil0"), Priority::User(1)).await.unwrap_err();
    assert!(matches!(first, SiteError::Blocked { retry_after: Some(d) } if d.as_secs() == 120), "{first:?}");
    let second = reader.citizen(&handle("Quil0"), Priority::Background).await.unwrap_err();
    assert!(matches!(second, SiteError::Blocked { retry_after: Some(d) } if d.as_secs() >= 118), "{second:?}");
    assert_eq!(site.request_count(), 1);
}

#[tokio::test]
async fn a_site_that_recovers_is_read_again_at_once() {
    let site = MockServer::start(|_, call| match call {
        0 => MockResponse::status(503, ""),
        1 => MockResponse::CloseConnection,
        _ => MockResponse::ok(fixture("citizen-org-and-location.html")),
    })
    .await;
    let reader = reader(&site);
    assert!(reader.citizen(&handle("Quil0"), Priority::User(1)).await.is_err());
    assert!(reader.citizen(&handle("Quil0"), Priority::User(1)).await.is_err());
    assert!(reader.citizen(&handle("Quil0"), Priority::User(1)).await.is_ok());
}
