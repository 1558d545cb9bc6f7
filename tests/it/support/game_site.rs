//! A mock of the game's site: pages with the real markup and content from the test.
//! Used by all tests of claims and refreshes.
//! Never here: the meaning of a page, which is asserted by tests.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::mock_server::{MockResponse, MockServer};
use super::server::Server;

const CITIZEN: &str = include_str!("../../data/game-site/citizen-bio-code.html");
const ORGANIZATION: &str = include_str!("../../data/game-site/org.html");
const MISSING: &str = include_str!("../../data/game-site/missing-404.html");

/// The path of member lists, one page per request.
const MEMBERS: &str = "/api/orgs/getOrgMembers";

fn members_key(question: &serde_json::Value) -> String {
    format!("members {} {}", question["symbol"].as_str().unwrap(), question["page"])
}

/// A member as a list shows it.
#[derive(Debug, Clone)]
pub enum Listed {
    Main(String),
    Affiliate(String),
    Redacted,
}

impl Listed {
    pub fn main(handles: &[&str]) -> Vec<Self> {
        handles.iter().map(|handle| Self::Main((*handle).to_owned())).collect()
    }

    fn row(&self) -> String {
        let (class, title, handle) = match self {
            Self::Main(handle) => ("org-main org-visibility-V", "Roles", handle.as_str()),
            Self::Affiliate(handle) => ("org-visibility-V", "Affiliate", handle.as_str()),
            Self::Redacted => {
                return "<li class=\"member-item js-member-item org-main org-visibility-R\"><span class=\"rank\">Pilot</span></li>"
                    .to_owned();
            }
        };
        format!(
            "<li class=\"member-item js-member-item {class}\"><a class=\"membercard\" href=\"/citizens/{handle}\">\
             <span class=\"right\"><span class=\"roles\"><span class=\"title\">{title}</span></span>\
             <span class=\"frontinfo\"><span class=\"name\">{handle}</span><span class=\"nick\">{handle}</span>\
             <span class=\"rank\">Pilot</span></span></span></a></li>"
        )
    }
}

/// The response with one page of a list of `total` members.
pub fn members_page(total: usize, members: &[Listed]) -> MockResponse {
    let html: String = members.iter().map(Listed::row).collect();
    let page =
        serde_json::json!({ "success": 1, "code": "OK", "data": { "totalrows": total.to_string(), "html": html } });
    MockResponse::ok(page.to_string())
}

/// The content of a citizen's page; the handle is also in its address.
#[derive(Debug, Clone)]
pub struct Citizen<'a> {
    pub handle: &'a str,
    pub name: &'a str,
    pub bio: &'a str,
    pub record: u64,
    pub sid: &'a str,
    pub org: &'a str,
}

impl<'a> Citizen<'a> {
    /// A citizen of the organization Example Wing with this bio.
    pub fn new(handle: &'a str, bio: &'a str) -> Self {
        Self { handle, name: "Somebody", bio, record: 3_000_123, sid: "EXWING", org: "Example Wing" }
    }

    fn page(&self) -> String {
        CITIZEN
            .replace("APOGEE-7K3M9QXW4HTR", self.bio)
            .replace("<strong class=\"value\">Test Pilot<", &format!("<strong class=\"value\">{}<", self.name))
            .replace("Test_Pilot-7", self.handle)
            .replace("#3000123", &format!("#{}", self.record))
            .replace("EXWING", self.sid)
            .replace("Example Wing &amp; Co", self.org)
    }
}

fn organization_page(sid: &str, name: &str, text: &str) -> String {
    ORGANIZATION.replace("APOGEE-7K3M9QXW4HTR", text).replace("EXWING", sid).replace("Example Wing &amp; Co", name)
}

/// A site that has only the pages that a test adds.
pub struct GameSite {
    pub mock_server: MockServer,
    /// Responses by path; the last one of a path is repeated.
    pages: Arc<Mutex<HashMap<String, VecDeque<MockResponse>>>>,
}

impl GameSite {
    async fn start() -> Self {
        let pages: Arc<Mutex<HashMap<String, VecDeque<MockResponse>>>> = Arc::default();
        let known = Arc::clone(&pages);
        let mock_server = MockServer::start(move |call, _| {
            let mut known = known.lock().unwrap();
            let key = if call.path == MEMBERS { members_key(&call.json()) } else { call.path.to_lowercase() };
            let reply = known.get_mut(&key).and_then(|replies| match replies.len() {
                1 => replies.front().cloned(),
                _ => replies.pop_front(),
            });
            reply.unwrap_or_else(|| MockResponse::status(404, MISSING))
        })
        .await;
        Self { mock_server, pages }
    }

    /// Sets the response of a path.
    pub fn set_response(&self, path: &str, reply: MockResponse) {
        self.set_responses(path, [reply]);
    }

    /// Adds a guild with these members, 32 per page.
    pub fn roster(&self, sid: &str, members: &[Listed]) {
        for (at, page) in members.chunks(32).enumerate() {
            self.set_response(&format!("members {sid} {}", at + 1), members_page(members.len(), page));
        }
    }

    /// Sets consecutive responses for the first page of a guild's list.
    pub fn roster_in_turn(&self, sid: &str, replies: impl IntoIterator<Item = MockResponse>) {
        self.set_responses(&format!("members {sid} 1"), replies);
    }

    /// The guilds whose list was requested, in order.
    pub fn requested_rosters(&self) -> Vec<String> {
        let requests = self.mock_server.requests().into_iter().filter(|call| call.path == MEMBERS);
        requests.map(|call| call.json()["symbol"].as_str().unwrap().to_owned()).collect()
    }

    fn set_responses(&self, path: &str, replies: impl IntoIterator<Item = MockResponse>) {
        let key = if path.starts_with("members ") { path.to_owned() } else { path.to_lowercase() };
        self.pages.lock().unwrap().insert(key, replies.into_iter().collect());
    }

    pub fn citizen(&self, citizen: &Citizen<'_>) {
        self.set_response(&format!("/citizens/{}", citizen.handle), MockResponse::ok(citizen.page()));
    }

    /// Like [`GameSite::citizen`], with an organization without a logo.
    pub fn citizen_of_a_guild_without_logo(&self, citizen: &Citizen<'_>) {
        let page = citizen.page();
        let (before, after) = page.split_once(&format!("<a href=\"/orgs/{}\"><img", citizen.sid)).unwrap();
        let (_, after) = after.split_once("/>").unwrap();
        let page = format!("{before}<a href=\"/orgs/{}\">{after}", citizen.sid);
        self.set_response(&format!("/citizens/{}", citizen.handle), MockResponse::ok(page));
    }

    /// Adds an organization with `text` in a section that its officers write.
    pub fn organization(&self, sid: &str, name: &str, text: &str) {
        self.set_response(&format!("/orgs/{sid}"), MockResponse::ok(organization_page(sid, name, text)));
    }

    /// Adds an organization whose pages report these member counts in turn; the last one is repeated.
    pub fn organization_counting(&self, sid: &str, name: &str, counts: &[u32]) {
        let pages = counts.iter().map(|count| {
            MockResponse::ok(organization_page(sid, name, "").replace("42 members", &format!("{count} members")))
        });
        self.set_responses(&format!("/orgs/{sid}"), pages);
    }
}

impl Server {
    /// Starts a game site for the next start of the server; it runs until the returned value is dropped.
    pub async fn with_game_site(&mut self) -> GameSite {
        let site = GameSite::start().await;
        let url = site.mock_server.url.clone();
        self.env("APOGEE_GAME_SITE_URL", &url);
        site
    }
}
