//! Authentication: extracts a [`Viewer`] from the Bearer token of a request. No other header identifies a user.

use actix_web::dev::{Payload, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use futures_util::future::LocalBoxFuture;

use crate::app::App;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::sessions;

/// Marks a request whose response depends on the viewer.
struct DependsOnViewer;

/// Returns the credential after `Authorization: Bearer`, and marks the response as dependent on it; see [`mark_private`].
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    request.extensions_mut().insert(DependsOnViewer);
    credential(request)
}

/// Prevents shared caches from serving a response to another viewer: it varies with the credential, and a response to a
/// request with a credential is `private`.
pub fn mark_private<B>(response: &mut ServiceResponse<B>) {
    if !response.request().extensions().contains::<DependsOnViewer>() {
        return;
    }
    let has_credential = response.request().headers().contains_key(header::AUTHORIZATION);
    let headers = response.headers_mut();
    prepend(headers, header::VARY, "authorization");
    if has_credential {
        prepend(headers, header::CACHE_CONTROL, "private");
    }
}

/// Prepends a value to a list header.
fn prepend(headers: &mut HeaderMap, name: HeaderName, word: &str) {
    let words = headers.get_all(&name).filter_map(|value| value.to_str().ok());
    let list = std::iter::once(word).chain(words).collect::<Vec<_>>().join(", ");
    if let Ok(list) = HeaderValue::from_str(&list) {
        headers.insert(name, list);
    }
}

/// Returns the credential without marking the response.
pub(super) fn credential(request: &HttpRequest) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// Returns the credential of a route that requires one.
pub fn required_bearer(request: &HttpRequest) -> Result<&str, AppError> {
    bearer(request).ok_or_else(|| AppError::Unauthorized("You need to log in with Discord first.".into()))
}

fn app(request: &HttpRequest) -> Result<web::Data<App>, AppError> {
    request.app_data::<web::Data<App>>().cloned().ok_or(AppError::Overloaded)
}

/// For public routes: an invalid token counts as no token, so an old one does not lock anyone out of public pages. An expired
/// token is an error, so the page can refresh it.
impl FromRequest for Viewer {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let (token, app) = (bearer(request).map(ToOwned::to_owned), app(request));
        Box::pin(async move {
            let Some(token) = token else { return Ok(Self::Guest) };
            match sessions::authenticate(&*app?, &token).await {
                Err(AppError::Unauthorized(_)) => Ok(Self::Guest),
                other => other,
            }
        })
    }
}

/// A user with a valid token, for routes that require one.
pub struct SignedIn(pub Member);

impl FromRequest for SignedIn {
    type Error = AppError;
    type Future = LocalBoxFuture<'static, Result<Self, AppError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = required_bearer(request).map(ToOwned::to_owned);
        let app = app(request);
        Box::pin(async move {
            match sessions::authenticate(&*app?, &token?).await? {
                Viewer::Member(member) => Ok(Self(member)),
                Viewer::Guest => Err(AppError::Unauthorized("You need to log in with Discord first.".into())),
            }
        })
    }
}
