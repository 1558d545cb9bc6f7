//! Answers that are the same for everybody, kept whole until a commit changes something: text, entity tag, compressed forms.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;

use super::compression::ContentEncoding;
use super::etag;
use super::response::JSON_TYPE;
use crate::app::App;
use crate::error::AppError;

/// What all kept answers may take, their compressed forms reckoned as large as the text.
const CAPACITY_BYTES: u64 = 32 << 20;
/// What depends on the time of day ("active in the last 30 days") moves on without a commit.
const MAX_AGE: Duration = Duration::from_secs(30);
/// Other processes that share a Postgres database commit unheard.
const MAX_AGE_SHARED: Duration = Duration::from_secs(1);
/// Kept answers by what was asked.
pub struct ResponseCache<K> {
    answers: moka::sync::Cache<K, Arc<CachedResponse>>,
    /// Held by whoever makes an answer; those who ask the same meanwhile wait.
    in_flight: Mutex<HashMap<K, Arc<Flight>>>,
    max_age: Duration,
}

/// Whether the making failed: whoever has waited for it must not wait as long once more, one after the other.
type Flight = tokio::sync::Mutex<bool>;

struct CachedResponse {
    generation: u64,
    created_at: Instant,
    tag: HeaderValue,
    text: Bytes,
    compressed: [OnceLock<Bytes>; 3],
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static> ResponseCache<K> {
    pub fn new(app: &App) -> Self {
        let weigh =
            |_: &K, answer: &Arc<CachedResponse>| u32::try_from(2 * answer.text.len() + 512).unwrap_or(u32::MAX);
        Self {
            answers: moka::sync::Cache::builder().max_capacity(CAPACITY_BYTES).weigher(weigh).build(),
            in_flight: Mutex::default(),
            max_age: if app.store.is_postgres() { MAX_AGE_SHARED } else { MAX_AGE },
        }
    }

    /// The kept answer to `key`, or what `make` gives (whole JSON text), which is kept. An answer made before the newest
    /// commit is not given any more.
    pub async fn respond(
        &self,
        app: &App,
        request: &HttpRequest,
        key: K,
        make: impl AsyncFnOnce() -> Result<Vec<u8>, AppError>,
    ) -> Result<HttpResponse, AppError> {
        if let Some(answer) = self.get(app, &key) {
            return answer.respond(request);
        }
        let flight = Arc::clone(self.flights().entry(key.clone()).or_default());
        let _gone = FlightGuard { cache: self, key: &key };
        let mut has_failed = flight.lock().await;
        if let Some(answer) = self.get(app, &key) {
            return answer.respond(request);
        }
        if *has_failed {
            return Err(AppError::Overloaded);
        }
        // Read before the making: what is committed meanwhile may be missing, and then this answer is old.
        let generation = app.projections.generation();
        let made = make().await.inspect_err(|error| {
            *has_failed = matches!(error, AppError::Overloaded | AppError::Internal(_));
        });
        let answer = Arc::new(CachedResponse::new(generation, made?)?);
        self.answers.insert(key.clone(), Arc::clone(&answer));
        answer.respond(request)
    }

    fn get(&self, app: &App, key: &K) -> Option<Arc<CachedResponse>> {
        let answer = self.answers.get(key)?;
        (answer.generation == app.projections.generation() && answer.created_at.elapsed() < self.max_age)
            .then_some(answer)
    }

    fn flights(&self) -> std::sync::MutexGuard<'_, HashMap<K, Arc<Flight>>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the gate away with the last who waits at it, also when the asker has gone.
struct FlightGuard<'a, K: Hash + Eq + Clone + Send + Sync + 'static> {
    cache: &'a ResponseCache<K>,
    key: &'a K,
}

impl<K: Hash + Eq + Clone + Send + Sync + 'static> Drop for FlightGuard<'_, K> {
    fn drop(&mut self) {
        let mut flights = self.cache.flights();
        // The map's own and this asker's.
        if flights.get(self.key).is_some_and(|flight| Arc::strong_count(flight) <= 2) {
            flights.remove(self.key);
        }
    }
}

impl CachedResponse {
    fn new(generation: u64, text: Vec<u8>) -> Result<Self, AppError> {
        let tag = HeaderValue::from_str(&etag::weak(&text)).map_err(AppError::internal)?;
        Ok(Self { generation, created_at: Instant::now(), tag, text: text.into(), compressed: Default::default() })
    }

    fn respond(&self, request: &HttpRequest) -> Result<HttpResponse, AppError> {
        let unchanged = self.tag.to_str().is_ok_and(|tag| etag::matches(request, tag));
        let mut response = if unchanged { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response
            .insert_header((header::ETAG, self.tag.clone()))
            .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-cache")))
            .insert_header((header::VARY, HeaderValue::from_static("accept-encoding")));
        if unchanged {
            return Ok(response.finish());
        }
        response.insert_header((header::CONTENT_TYPE, JSON_TYPE));
        let Some(encoding) = ContentEncoding::of(request) else { return Ok(response.body(self.text.clone())) };
        response.insert_header((header::CONTENT_ENCODING, HeaderValue::from_static(encoding.name())));
        Ok(response.body(self.compressed(encoding)?))
    }

    fn compressed(&self, encoding: ContentEncoding) -> Result<Bytes, AppError> {
        let place = &self.compressed[encoding as usize];
        if let Some(bytes) = place.get() {
            return Ok(bytes.clone());
        }
        let bytes = Bytes::from(encoding.compress(&self.text).map_err(AppError::internal)?);
        Ok(place.get_or_init(|| bytes).clone())
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn an_answer_is_given_as_it_is_taken() {
        let text = b"{\"success\":true,\"players\":[]}".repeat(40);
        let answer = CachedResponse::new(1, text.clone()).unwrap();
        for (accepts, given) in
            [("gzip, deflate, br, zstd", Some("zstd")), ("gzip, br", Some("br")), ("gzip", Some("gzip")), ("", None)]
        {
            let request = TestRequest::default().insert_header((header::ACCEPT_ENCODING, accepts)).to_http_request();
            let response = answer.respond(&request).unwrap();
            let encoding = response.headers().get(header::CONTENT_ENCODING).map(|value| value.to_str().unwrap());
            assert_eq!(encoding, given, "{accepts}");
        }
    }

    #[actix_web::test]
    async fn t14_those_who_waited_for_a_failure_do_not_wait_once_more() {
        let dir = tempfile::tempdir().unwrap();
        let flags = crate::config::Flags::default().with("data-dir", dir.path().display().to_string());
        let settings = crate::config::Settings::load(&flags).unwrap();
        let app = crate::features::bootstrap::open(settings, String::new()).unwrap();
        let (cache, request) = (ResponseCache::new(&app), TestRequest::default().to_http_request());
        let tries = std::cell::Cell::new(0);
        let fails = async || {
            tries.set(tries.get() + 1);
            tokio::task::yield_now().await;
            Err(AppError::Overloaded)
        };
        let ask = || cache.respond(&app, &request, 7, fails);
        let (one, two, three) = tokio::join!(ask(), ask(), ask());
        assert!([one, two, three].iter().all(|said| matches!(said, Err(AppError::Overloaded))));
        assert_eq!(tries.get(), 1);
        let made = cache.respond(&app, &request, 7, async || Ok(b"{}".to_vec())).await;
        assert_eq!(made.unwrap().status(), 200, "whoever comes later tries anew");
    }

    #[test]
    fn who_has_the_answer_gets_a_304_without_a_body() {
        let answer = CachedResponse::new(1, b"{}".to_vec()).unwrap();
        let tag = answer.tag.clone();
        let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, tag)).to_http_request();
        assert_eq!(answer.respond(&request).unwrap().status(), 304);
        let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, "W/\"other\"")).to_http_request();
        assert_eq!(answer.respond(&request).unwrap().status(), 200);
    }
}
