//! What kind of request it is, told by its method and path alone.

use std::time::Duration;

use actix_web::http::Method;

/// Routes that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    Read,
    Page,
    Write,
    Upload,
    Ingest,
    Stream,
    /// Signed by whom they come from: as many as they like.
    Hook,
    /// Files, health and figures: never counted.
    Free,
}

impl Class {
    pub const ALL: [Self; 8] =
        [Self::Read, Self::Page, Self::Write, Self::Upload, Self::Ingest, Self::Stream, Self::Hook, Self::Free];

    pub fn of(method: &Method, path: &str) -> Self {
        let is_reading = matches!(*method, Method::GET | Method::HEAD);
        let Some(below) = path.strip_prefix("/api/") else {
            const FREE: [&str; 5] = ["/assets/", "/static/", "/pages/", "/uploads/", "/metrics"];
            const FREE_FILES: [&str; 6] =
                ["/favicon.ico", "/robots.txt", "/manifest.webmanifest", "/help_en.md", "/app_readme.md", "/theme.js"];
            let is_free = FREE.iter().any(|start| path.starts_with(start)) || FREE_FILES.contains(&path);
            return if is_free { Self::Free } else { Self::Page };
        };
        match below {
            "health" | "ready" => Self::Free,
            "live" => Self::Stream,
            "discord/interactions" => Self::Hook,
            _ if below.starts_with("webhooks/") => Self::Hook,
            _ if below.starts_with("ingest/") => Self::Ingest,
            _ if !is_reading && below.starts_with("upload") => Self::Upload,
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
            Self::Hook => "hook",
            Self::Free => "free",
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
            _ => Duration::from_secs(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_its_class() {
        for (method, path, class) in [
            (Method::GET, "/api/players/top", Class::Read),
            (Method::HEAD, "/api/search/fast", Class::Read),
            (Method::GET, "/api/live", Class::Stream),
            (Method::POST, "/api/ingest/events", Class::Ingest),
            (Method::POST, "/api/player/claim/start", Class::Write),
            (Method::DELETE, "/api/player/settings/1", Class::Write),
            (Method::POST, "/api/upload/profile-image", Class::Upload),
            (Method::POST, "/api/webhooks/github", Class::Hook),
            (Method::GET, "/api/health", Class::Free),
            (Method::GET, "/metrics", Class::Free),
            (Method::GET, "/assets/index-1234.js", Class::Free),
            (Method::GET, "/player/somebody", Class::Page),
            (Method::GET, "/og/player/somebody.png", Class::Page),
        ] {
            assert_eq!(Class::of(&method, path), class, "{method} {path}");
        }
        assert!(Class::ALL.iter().enumerate().all(|(place, class)| class.index() == place));
    }
}
