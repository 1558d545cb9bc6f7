//! Whose page sent a call that carries a cookie of ours.

use actix_web::HttpRequest;
use actix_web::http::header;

use crate::error::AppError;

/// Refuses what the page of another site made a browser send. A call without a cookie proves nothing to us and is let through.
pub fn require_same_origin(request: &HttpRequest, public_url: &str) -> Result<(), AppError> {
    if !request.headers().contains_key(header::COOKIE) || is_same_origin(request, public_url) {
        return Ok(());
    }
    Err(AppError::Forbidden("This call comes from the page of another site.".into()))
}

fn is_same_origin(request: &HttpRequest, public_url: &str) -> bool {
    let told = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    // Browsers write both themselves; no script can.
    if let Some(site) = told("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = told("origin") else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    origin == public_url || (host.is_some() && host == told("host"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn refused(headers: &[(&'static str, &'static str)]) -> bool {
        let request = headers.iter().fold(TestRequest::default(), |request, header| request.append_header(*header));
        require_same_origin(&request.to_http_request(), "https://stats.example").is_err()
    }

    #[test]
    fn t44_a_cookie_counts_only_from_our_own_pages() {
        let cookie = ("cookie", "apogee_visit=1");
        assert!(!refused(&[]));
        assert!(!refused(&[("origin", "https://evil.example")]));
        assert!(refused(&[cookie]));
        for (header, is_refused) in [
            (("origin", "https://stats.example"), false),
            (("origin", "https://evil.example"), true),
            (("origin", "https://stats.example.evil.example"), true),
            (("origin", "null"), true),
            (("sec-fetch-site", "same-origin"), false),
            (("sec-fetch-site", "same-site"), true),
            (("sec-fetch-site", "cross-site"), true),
        ] {
            assert_eq!(refused(&[cookie, header]), is_refused, "{header:?}");
        }
        assert!(!refused(&[cookie, ("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5:8080")]));
        assert!(refused(&[cookie, ("origin", "https://stats.example"), ("sec-fetch-site", "cross-site")]));
    }
}
