//! A cache of complete JSON responses that are the same for all clients. A commit that changes them invalidates all of them.

use std::hash::Hash;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::http::header::{self, EntityTag, HeaderValue};
use bytes::Bytes;
use moka::policy::EvictionPolicy;

use super::etag::{self, ConditionalResponse};
use super::response::{Answer, JSON_TYPE};
use crate::app::App;
use crate::domain::content_encoding::ContentEncoding;
use crate::error::AppError;
use crate::projections::Projections;

/// Capacity, with the compressed forms counted as half of the text. It holds some 1,200 pages of leaderboards: 25 of each metric of players
/// and of guilds, in three windows.
const CAPACITY_BYTES: u64 = 40 << 20;
/// Values that depend on the time of day ("active in the last 30 days") change without a commit.
const MAX_AGE: Duration = Duration::from_secs(30);
/// With PostgreSQL, other processes may commit before this process learns of it.
const MAX_AGE_SHARED: Duration = Duration::from_secs(1);

/// Cached responses by request key.
pub struct ResponseCache<K> {
    responses: moka::future::Cache<K, Arc<CachedResponse>>,
}

struct CachedResponse {
    /// `Projections::generation` before the response was computed.
    generation: u64,
    tag: EntityTag,
    text: Bytes,
    /// Filled when first requested, in the order of [`ContentEncoding::ALL`].
    compressed: [OnceLock<Bytes>; ContentEncoding::ALL.len()],
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static> ResponseCache<K> {
    pub fn new(app: &App) -> Self {
        let weigh =
            |_: &K, cached: &Arc<CachedResponse>| u32::try_from(cached.text.len() * 3 / 2 + 512).unwrap_or(u32::MAX);
        let max_age = if app.store.is_postgres() { MAX_AGE_SHARED } else { MAX_AGE };
        // moka's default policy admits a new page only after several requests, each of which would compute it.
        let responses = moka::future::Cache::builder()
            .eviction_policy(EvictionPolicy::lru())
            .max_capacity(CAPACITY_BYTES)
            .weigher(weigh)
            .time_to_live(max_age);
        Self { responses: responses.build() }
    }

    /// Responds from the cache, or with the JSON text that `compute` returns, which is then cached.
    ///
    /// Concurrent requests for one key share one computation and its error. A response computed before a commit is not sent
    /// to a request that came after it.
    pub async fn respond(
        &self,
        projections: &Projections,
        request: &HttpRequest,
        key: K,
        compute: impl AsyncFn() -> Result<Vec<u8>, AppError>,
    ) -> Answer {
        let required = projections.generation();
        loop {
            let init = async {
                // Read first: what is committed during the computation may be missing from the result.
                let generation = projections.generation();
                Ok(Arc::new(CachedResponse::new(generation, compute().await?)))
            };
            let shared: Result<_, Arc<AppError>> = self.responses.try_get_with(key.clone(), init).await;
            let cached = shared.map_err(Arc::unwrap_or_clone)?;
            if cached.generation >= required {
                return cached.respond(request);
            }
            self.responses.invalidate(&key).await;
        }
    }
}

impl CachedResponse {
    fn new(generation: u64, text: Vec<u8>) -> Self {
        Self { generation, tag: etag::weak(&text), text: text.into(), compressed: Default::default() }
    }

    fn respond(&self, request: &HttpRequest) -> Answer {
        let response = ConditionalResponse::new(request, self.tag.clone(), "no-cache")
            .with_header((header::VARY, HeaderValue::from_static("accept-encoding")));
        let encoding = ContentEncoding::preferred(request, &ContentEncoding::ALL).filter(|_| !response.is_unchanged());
        let Some(encoding) = encoding else { return Ok(response.finish(JSON_TYPE, self.text.clone())) };
        let body = self.compressed(encoding)?;
        Ok(response.with_header((header::CONTENT_ENCODING, encoding.name())).finish(JSON_TYPE, body))
    }

    fn compressed(&self, encoding: ContentEncoding) -> Result<Bytes, AppError> {
        let slot = &self.compressed[encoding as usize];
        if let Some(bytes) = slot.get() {
            return Ok(bytes.clone());
        }
        let bytes = Bytes::from(encoding.compress(&self.text).map_err(AppError::internal)?);
        Ok(slot.get_or_init(|| bytes).clone())
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn a_response_is_compressed_as_the_client_accepts() {
        let text = b"{\"success\":true,\"players\":[]}".repeat(40);
        let cached = CachedResponse::new(1, text);
        for (accepted, expected) in
            [("gzip, deflate, br, zstd", Some("zstd")), ("gzip, br", Some("br")), ("gzip", Some("gzip")), ("", None)]
        {
            let request = TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepted)).to_http_request();
            let response = cached.respond(&request).unwrap();
            let encoding = response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!(encoding, expected, "{accepted}");
        }
    }

    fn open_app(dir: &std::path::Path) -> App {
        let flags = crate::config::Flags::default().with("data-dir", dir.display().to_string());
        let settings = crate::config::Settings::load(&flags).unwrap();
        crate::features::bootstrap::open(settings, String::new()).unwrap()
    }

    #[actix_web::test]
    async fn t14_concurrent_requests_share_one_computation_and_its_error() {
        let dir = tempfile::tempdir().unwrap();
        let app = open_app(dir.path());
        let (cache, request) = (ResponseCache::new(&app), TestRequest::default().to_http_request());
        let computations = std::cell::Cell::new(0);
        let fails = async || {
            computations.set(computations.get() + 1);
            tokio::task::yield_now().await;
            Err(AppError::Overloaded)
        };
        let send = || cache.respond(&app.projections, &request, 7, fails);
        let (one, two, three) = tokio::join!(send(), send(), send());
        assert!([one, two, three].iter().all(|result| matches!(result, Err(AppError::Overloaded))));
        assert_eq!(computations.get(), 1);
        let later = cache.respond(&app.projections, &request, 7, async || Ok(b"{}".to_vec())).await;
        assert_eq!(later.unwrap().status(), 200, "an error is not cached");
    }

    #[actix_web::test]
    async fn every_waiting_request_gets_the_status_of_the_shared_error() {
        let dir = tempfile::tempdir().unwrap();
        let app = open_app(dir.path());
        let request = TestRequest::default().to_http_request();
        let errors: [fn() -> AppError; 7] = [
            || AppError::Overloaded,
            || AppError::StorageFull,
            || AppError::RetryTransaction,
            || AppError::NotFound("Guild not found".into()),
            || AppError::Validation("limit takes 1 to 100".into()),
            || AppError::Upstream("The game's site did not answer in time.".into()),
            || AppError::internal(std::io::Error::other("no such column")),
        ];
        for error in errors {
            let cache = ResponseCache::new(&app);
            let fails = async || {
                tokio::task::yield_now().await;
                Err(error())
            };
            let send = || cache.respond(&app.projections, &request, 7, fails);
            let (one, two) = tokio::join!(send(), send());
            let expected = error();
            for error in [one, two].map(Result::unwrap_err) {
                assert_eq!((error.code(), error.to_string()), (expected.code(), expected.to_string()));
                assert_eq!(error.retry_after_secs(), expected.retry_after_secs());
            }
        }
    }

    #[test]
    fn a_client_with_the_current_version_gets_a_304() {
        let cached = CachedResponse::new(1, b"{}".to_vec());
        let tag = cached.tag.clone();
        let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, tag)).to_http_request();
        assert_eq!(cached.respond(&request).unwrap().status(), 304);
        let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, "W/\"other\"")).to_http_request();
        assert_eq!(cached.respond(&request).unwrap().status(), 200);
    }
}
