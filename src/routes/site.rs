//! What the page needs to know of the site.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::config::SiteTexts;
use crate::error::AppError;
use crate::http::answer;
use crate::views::config::DiscordConfig;

/// Sign-in, texts and links.
#[derive(Serialize, ToSchema)]
pub struct SiteConfig {
    pub discord: DiscordConfig,
    pub site: SiteTexts,
}

/// Sign-in, texts and links of this site. Without a Discord client id: `success: false` and `NOT_CONFIGURED`.
#[utoipa::path(get, path = "/api/config", responses((status = 200, body = SiteConfig)))]
pub async fn config(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    let site = crate::features::discord::site_texts(&app);
    let Some(client_id) = app.settings.discord.client_id.clone() else {
        let body = serde_json::json!({
            "success": false,
            "error": "Sign-in with Discord is not set up on this site.",
            "code": "NOT_CONFIGURED",
            "site": site,
        });
        return Ok(answer::tagged(&request, body.to_string().into_bytes()));
    };
    let discord = DiscordConfig {
        client_id,
        redirect_uri: crate::features::sessions::redirect_uri(&app),
        authorize_url: app.settings.discord.authorize_url.clone(),
    };
    answer::public(&request, &SiteConfig { discord, site })
}
