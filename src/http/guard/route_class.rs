//! Classes of routes, by method and route pattern.

use std::time::Duration;

use actix_web::http::Method;

/// Routes that share a rate limit and a label in metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteClass {
    Read,
    Page,
    Write,
    Upload,
    Ingest,
    Stream,
    /// Calls with a signature. Only failed calls are limited.
    Webhook,
    /// Files, health and metrics.
    Unlimited,
}

impl RouteClass {
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Page, Self::Write, Self::Upload, Self::Ingest, Self::Stream, Self::Webhook, Self::Unlimited];

    /// Returns the class of a method on a route.
    ///
    /// `pattern` is the route's entry in the URL table, not the requested path: the router decodes paths before it compares
    /// them, so several paths lead to one route.
    pub fn of(method: &Method, pattern: &str) -> Self {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let Some(below) = pattern.strip_prefix("/api/") else {
            const UNLIMITED_PREFIXES: [&str; 5] = ["/assets/", "/static/", "/pages/", "/uploads/", "/metrics"];
            const UNLIMITED_FILES: [&str; 5] =
                ["/favicon.ico", "/robots.txt", "/manifest.webmanifest", "/help_en.md", "/app_readme.md"];
            let is_unlimited =
                UNLIMITED_PREFIXES.iter().any(|start| pattern.starts_with(start)) || UNLIMITED_FILES.contains(&pattern);
            return if is_unlimited { Self::Unlimited } else { Self::Page };
        };
        match below {
            "health" | "ready" => Self::Unlimited,
            "live" => Self::Stream,
            "discord/interactions" => Self::Webhook,
            _ if below.starts_with("webhooks/") => Self::Webhook,
            _ if below.starts_with("ingest/") => Self::Ingest,
            _ if !is_read && below.starts_with("upload/") => Self::Upload,
            _ if is_read => Self::Read,
            _ => Self::Write,
        }
    }

    /// Its label in metrics.
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

    /// Time within which the whole body has to arrive.
    pub fn body_time(self) -> Duration {
        match self {
            // 15 MB over a slow connection.
            Self::Upload => Duration::from_secs(180),
            // GitHub and Discord give up after ten seconds.
            Self::Webhook => Duration::from_secs(10),
            _ => Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_a_class() {
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
            // Paths that match only a fallback route.
            (Method::GET, "", RouteClass::Page),
            (Method::GET, "/api/{path:.*}", RouteClass::Read),
            (Method::POST, "/api/{path:.*}", RouteClass::Write),
        ] {
            assert_eq!(RouteClass::of(&method, pattern), class, "{method} {pattern}");
        }
        assert!(RouteClass::ALL.iter().enumerate().all(|(index, class)| *class as usize == index));
    }
}
