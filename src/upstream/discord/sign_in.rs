//! Sign-in with Discord: a code becomes a token, the token becomes a name, and the token is forgotten.

use oauth2::basic::BasicClient;
use oauth2::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, HttpRequest, HttpResponse, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, TokenResponse as _, TokenUrl,
};
use reqwest::Method;
use serde::Deserialize;

use super::{Body, Discord, DiscordError, Route, read};

/// Who signed in. Only `id` identifies anybody; all else can change or be taken over by others.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Identity {
    pub id: String,
    pub username: String,
    #[serde(default)]
    pub global_name: Option<String>,
    /// The hash of the picture, as in its address on Discord's picture host.
    #[serde(default)]
    pub avatar: Option<String>,
    #[serde(default)]
    pub discriminator: Option<String>,
    #[serde(default)]
    pub email: Option<String>,
}

impl Discord {
    /// Trades a code for the identity of its owner.
    ///
    /// `redirect_uri` must be the configured one, which the caller has checked; `code_verifier` is the page's PKCE verifier.
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
            // In the form, as Discord's own examples have it.
            .set_auth_type(AuthType::RequestBody);
        let mut exchange = client.exchange_code(AuthorizationCode::new(code.to_owned()));
        if let Some(verifier) = verifier {
            exchange = exchange.set_pkce_verifier(PkceCodeVerifier::new(verifier.to_owned()));
        }
        let send = |request: HttpRequest| async move {
            let route = Route { name: "POST oauth2/token", major: String::new(), ours: false };
            let answer = self.call(route, Method::POST, "oauth2/token", None, Body::Form(request.into_body())).await?;
            let mut response = HttpResponse::new(answer.body.to_vec());
            *response.status_mut() = oauth2::http::StatusCode::from_u16(answer.status)
                .map_err(|error| DiscordError::InvalidResponse(error.to_string()))?;
            *response.headers_mut() = answer.headers;
            Ok::<_, DiscordError>(response)
        };
        match exchange.request_async(&send).await {
            Ok(token) => Ok(token.access_token().secret().clone()),
            Err(RequestTokenError::Request(error)) => Err(error),
            Err(RequestTokenError::ServerResponse(refusal)) => Err(match refusal.error().as_ref() {
                "invalid_client" | "unauthorized_client" => DiscordError::Unauthorized,
                // Used, expired, foreign, or with another verifier or address: the person signs in again.
                _ => DiscordError::InvalidGrant,
            }),
            Err(RequestTokenError::Parse(error, _)) => Err(DiscordError::InvalidResponse(error.to_string())),
            Err(RequestTokenError::Other(why)) => Err(DiscordError::InvalidResponse(why)),
        }
    }

    async fn identity(&self, token: &str) -> Result<Identity, DiscordError> {
        let route = Route { name: "GET users/@me", major: String::new(), ours: false };
        let answer = self.call(route, Method::GET, "users/@me", Some(format!("Bearer {token}")), Body::None).await?;
        let identity: Identity = read(&answer)?;
        // The id becomes a key of ours and part of paths; anything but a snowflake is not from Discord.
        if identity.id.is_empty() || identity.id.len() > 20 || !identity.id.bytes().all(|b| b.is_ascii_digit()) {
            return Err(DiscordError::InvalidResponse("the id of the user is no number".to_owned()));
        }
        Ok(identity)
    }
}
