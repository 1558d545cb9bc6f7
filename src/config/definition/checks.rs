//! Checks of single values that need neither the network nor the disk.

use std::net::SocketAddr;

use reqwest::Url;
use tracing_subscriber::EnvFilter;

use super::Check;
use crate::domain::patches::Patch;

pub(super) const ANY_TEXT: Check = Check(|_| true, "text");
pub(super) const LOG_FILTER: Check =
    Check(|text| EnvFilter::builder().parse(text).is_ok(), "a filter such as info or apogee=debug,info");
pub(super) const LOG_FORMAT: Check = Check(|text| matches!(text, "text" | "json"), "'text' or 'json'");
pub(super) const LISTEN: Check = Check(is_listen_address, "ADDRESS:PORT, such as 127.0.0.1:8080 or [::]:8080");
pub(super) const DATABASE: Check = Check(is_database_url, "sqlite:PATH or postgres://USER@HOST/NAME");
pub(super) const UPLOADS: Check = Check(is_uploads_url, "file:DIR or s3://BUCKET/PREFIX");
pub(super) const REPOSITORY: Check = Check(is_repository, "OWNER/NAME");
pub(super) const DISCORD_IDS: Check = Check(is_discord_id, "Discord ids, which are digits, separated by commas");
pub(super) const APPLICATION_ID: Check = Check(is_discord_id, "the digits of the application id");
pub(super) const PUBLIC_KEY: Check = Check(is_public_key, "the 64 hexadecimal digits of the public key");
pub(super) const TOKEN: Check =
    Check(|text| text.bytes().all(|byte| byte.is_ascii_graphic()), "the bot token, without spaces");
pub(super) const WEB_URL: Check =
    Check(is_web_url, "a URL that begins with http:// or https://, such as https://stats.example.org");

fn is_repository(text: &str) -> bool {
    let is_part = |part: &str| is_plain(part) && !matches!(part, "." | "..");
    text.split_once('/').is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

fn is_database_url(text: &str) -> bool {
    text.strip_prefix("sqlite:").is_some_and(|path| !path.trim_start_matches('/').is_empty())
        || ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

fn is_uploads_url(text: &str) -> bool {
    text.strip_prefix("file:").is_some_and(|path| !path.trim_start_matches('/').is_empty())
        || text.strip_prefix("s3://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
}

fn is_discord_id(text: &str) -> bool {
    (1..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_public_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
fn is_listen_address(text: &str) -> bool {
    let is_named = |(host, port): (&str, &str)| is_plain(host) && port.parse::<u16>().is_ok();
    text.parse::<SocketAddr>().is_ok() || text.rsplit_once(':').is_some_and(is_named)
}

pub(in crate::config) fn is_web_url(text: &str) -> bool {
    Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// The highest version of a patch such as `4.3`, which includes its fixes, or none for `any`.
pub(super) fn last_fight_patch(text: &str) -> Option<Option<i64>> {
    if text == "any" {
        return Some(None);
    }
    let version = Patch::parse(text)?.version();
    let has_fix = text.matches('.').count() > 1;
    Some(Some(if has_fix { version } else { version + 999 }))
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_forms_are_accepted_and_others_are_not() {
        for listen in ["0.0.0.0:0", "[::]:8080", "localhost:8080", "stats_1.internal:80"] {
            assert!(is_listen_address(listen), "{listen}");
        }
        for listen in ["", "127.0.0.1", "localhost:", ":8080", "a b:80", "127.0.0.1:99999", "::1:x"] {
            assert!(!is_listen_address(listen), "{listen}");
        }
        for database in ["sqlite:a.db", "sqlite:///srv/a.db", "postgres://u:p@h/d", "postgresql:///d?host=/run"] {
            assert!(is_database_url(database), "{database}");
        }
        for database in ["mysql://h/d", "sqlite:", "apogee.db"] {
            assert!(!is_database_url(database), "{database}");
        }
        assert!(is_repository("octo/station.js"));
        for repository in
            ["", "octo", "octo/", "/x", "a/b/c", "../x", "a/..", "a/b?x", "a/b@", "https://github.com/a/b"]
        {
            assert!(!is_repository(repository), "{repository}");
        }
        assert!(is_uploads_url("s3://bucket") && is_uploads_url("file:/srv/uploads"));
        for uploads in ["ftp://h", "file:", "s3://", "s3:///prefix"] {
            assert!(!is_uploads_url(uploads), "{uploads}");
        }
        for url in ["stats.example", "https://", "ftp://example.org", "https://a b", "javascript:alert(1)"] {
            assert!(!is_web_url(url), "{url}");
        }
        assert!(is_public_key(&("0aF".repeat(21) + "0")));
        for key in ["xyz", &"g".repeat(64), &"a".repeat(63)] {
            assert!(!is_public_key(key), "{key}");
        }
    }
}
