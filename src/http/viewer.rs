//! Who asks: the Bearer token of a request, as a [`Viewer`]. No other header says who somebody is.

use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;

use crate::app::App;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::sessions;

/// The credential after `Authorization: Bearer`.
pub fn bearer(request: &HttpRequest) -> Option<&str> {
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
