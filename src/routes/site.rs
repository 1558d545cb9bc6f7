//! Configuration of the web page.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::config::SiteTexts;
use crate::error::AppError;
use crate::http::response::{self, Answer};
use crate::views::config::{DiscordConfig, TrustConfig};

/// Sign-in, texts and links.
#[derive(Serialize, ToSchema)]
pub struct SiteConfig {
    pub discord: DiscordConfig,
    pub site: SiteTexts,
    pub trust: TrustConfig,
}

/// The response without a Discord client id, with status 200 and `success: false`.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnconfiguredSite {
    pub success: bool,
    /// `NOT_CONFIGURED`.
    pub code: &'static str,
    pub error: &'static str,
    pub site: SiteTexts,
    pub trust: TrustConfig,
}

/// The configuration of sign-in, or that it is not configured.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only for the description.
pub enum SiteAnswer {
    Configured(SiteConfig),
    Unconfigured(UnconfiguredSite),
}

/// Returns sign-in, texts and links of this site. Without a Discord client id: `success: false` and `NOT_CONFIGURED`.
#[utoipa::path(get, path = "/api/config", responses((status = 200, body = SiteAnswer)))]
pub async fn config(app: Data<App>, request: HttpRequest) -> Answer {
    let site = crate::features::discord::site_texts(&app);
    let trust = TrustConfig::from(&app.settings.trust);
    let Some(client_id) = app.settings.discord.client_id.clone() else {
        let answer = UnconfiguredSite {
            success: false,
            code: "NOT_CONFIGURED",
            error: "Sign-in with Discord is not configured on this site.",
            site,
            trust,
        };
        return Ok(response::with_etag(&request, serde_json::to_vec(&answer).map_err(AppError::internal)?));
    };
    let discord = DiscordConfig {
        client_id,
        redirect_uri: crate::features::sessions::redirect_uri(&app.public_url),
        authorize_url: app.settings.discord.authorize_url.clone(),
    };
    response::cacheable(&request, &SiteConfig { discord, site, trust })
}
