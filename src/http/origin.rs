//! Same-origin check for requests with a cookie.

use actix_web::HttpRequest;
use actix_web::http::header;

use crate::error::AppError;

/// Rejects requests that a page of another site made a browser send. Requests without a cookie have no authority and pass.
pub fn require_same_origin(request: &HttpRequest, public_url: &str) -> Result<(), AppError> {
    if !request.headers().contains_key(header::COOKIE) || is_same_origin(request, public_url) {
        return Ok(());
    }
    Err(AppError::Forbidden("This request comes from another site.".into()))
}

fn is_same_origin(request: &HttpRequest, public_url: &str) -> bool {
    let header = |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    // Browsers set both headers; scripts cannot.
    if let Some(site) = header("sec-fetch-site") {
        return matches!(site, "same-origin" | "none");
    }
    let Some(origin) = header("origin") else { return false };
    let host = origin.split_once("://").map(|(_, host)| host);
    origin == public_url || (host.is_some() && host == header("host"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn is_rejected(headers: &[(&'static str, &'static str)]) -> bool {
        let request = headers.iter().fold(TestRequest::default(), |request, header| request.append_header(*header));
        require_same_origin(&request.to_http_request(), "https://stats.example").is_err()
    }

    #[test]
    fn t44_a_cookie_counts_only_from_our_own_pages() {
        let cookie = ("cookie", "apogee_visit=1");
        assert!(!is_rejected(&[]));
        assert!(!is_rejected(&[("origin", "https://evil.example")]));
        assert!(is_rejected(&[cookie]));
        for (header, expected) in [
            (("origin", "https://stats.example"), false),
            (("origin", "https://evil.example"), true),
            (("origin", "https://stats.example.evil.example"), true),
            (("origin", "null"), true),
            (("sec-fetch-site", "same-origin"), false),
            (("sec-fetch-site", "same-site"), true),
            (("sec-fetch-site", "cross-site"), true),
        ] {
            assert_eq!(is_rejected(&[cookie, header]), expected, "{header:?}");
        }
        assert!(!is_rejected(&[cookie, ("host", "10.0.0.5:8080"), ("origin", "http://10.0.0.5:8080")]));
        assert!(is_rejected(&[cookie, ("origin", "https://stats.example"), ("sec-fetch-site", "cross-site")]));
    }
}
