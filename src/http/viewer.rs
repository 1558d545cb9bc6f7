//! Who asks: the Bearer token of a request, as a [`Viewer`]. No other header says who somebody is.

use actix_web::dev::{Payload, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpMessage, HttpRequest, web};
use futures_util::future::LocalBoxFuture;

use crate::app::App;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::sessions;

/// Marks a request whose answer depends on who asks.
struct DependsOnViewer;

/// The credential after `Authorization: Bearer`. From here on the answer depends on who asks; see [`keep_private`].
pub fn bearer(request: &HttpRequest) -> Option<&str> {
    request.extensions_mut().insert(DependsOnViewer);
    credential(request)
}

/// Keeps shared caches from handing an answer that depends on who asks to somebody else: it varies with the credential, and one
/// to a credential is `private`.
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

/// Puts a word in front of the list that a header is.
fn prepend(headers: &mut HeaderMap, name: HeaderName, word: &str) {
    let words = headers.get_all(&name).filter_map(|value| value.to_str().ok());
    let list = std::iter::once(word).chain(words).collect::<Vec<_>>().join(", ");
    if let Ok(list) = HeaderValue::from_str(&list) {
        headers.insert(name, list);
    }
}

/// The credential, where it does not change the answer.
pub(super) fn credential(request: &HttpRequest) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

/// The credential of a route that nobody may use without one.
pub fn required_bearer(request: &HttpRequest) -> Result<&str, AppError> {
    bearer(request).ok_or_else(|| AppError::Unauthorized("You need to log in with Discord first.".into()))
}

fn app(request: &HttpRequest) -> Result<web::Data<App>, AppError> {
    request.app_data::<web::Data<App>>().cloned().ok_or(AppError::Overloaded)
}

/// For reading what is public: a token that is no good makes a guest, so that nobody is locked out of public pages by an
/// old one. An expired token is told, so that the page can trade it.
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

/// For everything else: somebody with a good token.
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
