//! The class of a request: decided by its method and the pattern of the route that matched it.

use std::time::Duration;

use actix_web::http::Method;

/// Routes that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteClass {
    Read,
    Page,
    Write,
    Upload,
    Ingest,
    Stream,
    /// Signed by whom they come from: as many as they like.
    Webhook,
    /// Files, health and figures: never counted.
    Unlimited,
}

impl RouteClass {
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Page, Self::Write, Self::Upload, Self::Ingest, Self::Stream, Self::Webhook, Self::Unlimited];

    /// The class of a method on a route. `pattern` is the route's entry in the URL table, never the path that was requested: the
    /// router decodes a path before it compares it, so one route has many spellings.
    pub fn of(method: &Method, pattern: &str) -> Self {
        let is_reading = matches!(*method, Method::GET | Method::HEAD);
        let Some(below) = pattern.strip_prefix("/api/") else {
            const FREE: [&str; 5] = ["/assets/", "/static/", "/pages/", "/uploads/", "/metrics"];
            const FREE_FILES: [&str; 5] =
                ["/favicon.ico", "/robots.txt", "/manifest.webmanifest", "/help_en.md", "/app_readme.md"];
            let is_free = FREE.iter().any(|start| pattern.starts_with(start)) || FREE_FILES.contains(&pattern);
            return if is_free { Self::Unlimited } else { Self::Page };
        };
        match below {
            "health" | "ready" => Self::Unlimited,
            "live" => Self::Stream,
            "discord/interactions" => Self::Webhook,
            _ if below.starts_with("webhooks/") => Self::Webhook,
            _ if below.starts_with("ingest/") => Self::Ingest,
            _ if !is_reading && below.starts_with("upload/") => Self::Upload,
            _ if is_reading => Self::Read,
            _ => Self::Write,
        }
    }

    /// Its name in figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Page => "page",
            Self::Write => "write",
            Self::Upload => "upload",
            Self::Ingest => "ingest",
            Self::Stream => "stream",
            Self::Webhook => "hook",
            Self::Unlimited => "free",
        }
    }

    /// Its place in tables.
    pub fn index(self) -> usize {
        self as usize
    }

    /// How long a body may take to come in whole.
    pub fn body_time(self) -> Duration {
        match self {
            // 15 MB over a slow line.
            Self::Upload => Duration::from_secs(180),
            // Senders of webhooks give up after ten seconds themselves.
            Self::Webhook => Duration::from_secs(10),
            _ => Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_its_class() {
        for (method, pattern, class) in [
            (Method::GET, "/api/players/top", RouteClass::Read),
            (Method::HEAD, "/api/search/fast", RouteClass::Read),
            (Method::GET, "/api/live", RouteClass::Stream),
            (Method::POST, "/api/ingest/events", RouteClass::Ingest),
            (Method::POST, "/api/player/claim/start", RouteClass::Write),
            (Method::DELETE, "/api/player/settings/{discordId}", RouteClass::Write),
            (Method::POST, "/api/upload/profile-image", RouteClass::Upload),
            (Method::POST, "/api/webhooks/github", RouteClass::Webhook),
            (Method::GET, "/api/health", RouteClass::Unlimited),
            (Method::GET, "/metrics", RouteClass::Unlimited),
            (Method::GET, "/assets/{path:.*}", RouteClass::Unlimited),
            (Method::GET, "/og/player/{handle}.png", RouteClass::Page),
            (Method::GET, "/sitemap.xml", RouteClass::Page),
            // Addresses that no route takes.
            (Method::GET, "", RouteClass::Page),
            (Method::GET, "/api/{path:.*}", RouteClass::Read),
            (Method::POST, "/api/{path:.*}", RouteClass::Write),
        ] {
            assert_eq!(RouteClass::of(&method, pattern), class, "{method} {pattern}");
        }
        assert!(RouteClass::ALL.iter().enumerate().all(|(place, class)| class.index() == place));
    }
}
