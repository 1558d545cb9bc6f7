//! Sign-in with Discord: exchanges a code for an access token, reads the user with it, and discards the token.

use oauth2::basic::BasicClient;
use oauth2::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, HttpRequest, HttpResponse, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, TokenResponse as _, TokenUrl,
};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use super::{Discord, DiscordError, Route, is_snowflake, parse_json};

/// The user who signed in. Only `id` identifies a user; all other fields can change or be reused by others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Identity {
    pub id: String,
    pub username: String,
    pub global_name: Option<String>,
    /// Hash of the avatar, as used in its URL on Discord's CDN.
    pub avatar: Option<String>,
    pub discriminator: Option<String>,
    pub email: Option<String>,
}

impl Discord {
    /// Exchanges an authorization code for the identity of its user.
    ///
    /// The caller checks that `redirect_uri` is the configured one. `code_verifier` is the PKCE verifier of the page.
    pub async fn sign_in(
        &self,
        code: &str,
        redirect_uri: &str,
        code_verifier: Option<&str>,
    ) -> Result<Identity, DiscordError> {
        let token = self.exchange(code, redirect_uri, code_verifier).await?;
        self.identity(&token).await
    }

    async fn exchange(&self, code: &str, redirect_uri: &str, verifier: Option<&str>) -> Result<String, DiscordError> {
        let bad_url = |error: oauth2::url::ParseError| DiscordError::InvalidResponse(error.to_string());
        let token_url = self.base.join("oauth2/token").map_err(bad_url)?;
        let client = BasicClient::new(ClientId::new(self.settings.client_id.clone()))
            .set_client_secret(ClientSecret::new(self.settings.client_secret.clone()))
            .set_token_uri(TokenUrl::new(token_url.into()).map_err(bad_url)?)
            .set_redirect_uri(RedirectUrl::new(redirect_uri.to_owned()).map_err(bad_url)?)
            // Discord's documentation sends the credentials in the form.
            .set_auth_type(AuthType::RequestBody);
        let mut exchange = client.exchange_code(AuthorizationCode::new(code.to_owned()));
        if let Some(verifier) = verifier {
            exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()));
        }
        let send = |request: HttpRequest| async move {
            let form = self.request(Method::POST, "oauth2/token")?;
            let form = form.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(request.into_body());
            let response = self.send(Route::of_user("POST oauth2/token"), form).await?;
            let mut http_response = HttpResponse::new(response.body.to_vec());
            *http_response.status_mut() = oauth2::http::StatusCode::from_u16(response.status)
                .map_err(|error| DiscordError::InvalidResponse(error.to_string()))?;
            *http_response.headers_mut() = response.headers;
            Ok::<_, DiscordError>(http_response)
        };
        match exchange.request_async(&send).await {
            Ok(token) => Ok(token.access_token().secret().clone()),
            Err(RequestTokenError::Request(error)) => Err(error),
            Err(RequestTokenError::ServerResponse(response)) => Err(match response.error().as_ref() {
                "invalid_client" | "unauthorized_client" => DiscordError::Unauthorized,
                // The code is used, expired or foreign, or verifier or redirect URI differ: the user has to sign in again.
                _ => DiscordError::InvalidGrant,
            }),
            Err(RequestTokenError::Parse(error, _)) => Err(DiscordError::InvalidResponse(error.to_string())),
            Err(RequestTokenError::Other(why)) => Err(DiscordError::InvalidResponse(why)),
        }
    }

    async fn identity(&self, token: &str) -> Result<Identity, DiscordError> {
        let request = self.request(Method::GET, "users/@me")?.bearer_auth(token);
        let response = self.send(Route::of_user("GET users/@me"), request).await?;
        let identity: Identity = parse_json(&response)?;
        // The id becomes a database key and part of paths, so it must be a snowflake.
        if !is_snowflake(&identity.id) {
            return Err(DiscordError::InvalidResponse("the user id is not a number".to_owned()));
        }
        Ok(identity)
    }
}
