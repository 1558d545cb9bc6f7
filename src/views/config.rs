//! Configuration of sign-in for the web page.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DiscordConfig {
    #[serde(rename = "clientId")]
    pub client_id: String,
    #[serde(rename = "redirectUri")]
    pub redirect_uri: String,
    #[serde(rename = "authorizeUrl")]
    pub authorize_url: String,
}
