//! The settings as flags and environment variables.

use clap::Args;

/// Settings that every command takes. Secrets have no flag: flags show in the list of processes.
#[derive(Debug, Clone, Default, Args)]
pub struct Flags {
    /// Settings file (default: apogee.toml in the data directory)
    #[arg(long, global = true, value_name = "FILE", env = "APOGEE_CONFIG")]
    pub config: Option<String>,
    /// Address to serve on; port 0 picks one [default: 127.0.0.1:8080]
    #[arg(long, global = true, value_name = "ADDR", env = "APOGEE_LISTEN")]
    pub listen: Option<String>,
    /// Database, uploads, index, generated secret [default: ./data]
    #[arg(long, global = true, value_name = "DIR", env = "APOGEE_DATA_DIR")]
    pub data_dir: Option<String>,
    /// sqlite:PATH or postgres://… [default: sqlite:{data-dir}/apogee.db]
    #[arg(long, global = true, value_name = "URL", env = "APOGEE_DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,
    /// Origin of links, cards and the OAuth redirect
    #[arg(long, global = true, value_name = "URL", env = "APOGEE_PUBLIC_URL", hide = true)]
    pub public_url: Option<String>,
    #[arg(skip = env("APOGEE_JWT_SECRET"))]
    pub jwt_secret: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_CLIENT_ID"))]
    pub discord_client_id: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_CLIENT_SECRET"))]
    pub discord_client_secret: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_PUBLIC_KEY"))]
    pub discord_public_key: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_BOT_TOKEN"))]
    pub discord_bot_token: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_API_URL"))]
    pub discord_api_url: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_AUTHORIZE_URL"))]
    pub discord_authorize_url: Option<String>,
    #[arg(skip = env("APOGEE_DISCORD_CDN_URL"))]
    pub discord_cdn_url: Option<String>,
    #[arg(skip = env("APOGEE_GAME_SITE_URL"))]
    pub game_site_url: Option<String>,
    #[arg(skip = env("APOGEE_GITHUB_API_URL"))]
    pub github_api_url: Option<String>,
    #[arg(skip = env("APOGEE_GITHUB_REPOS"))]
    pub github_repos: Option<String>,
    #[arg(skip = env("APOGEE_GITHUB_WEBHOOK_SECRET"))]
    pub github_webhook_secret: Option<String>,
    #[arg(skip = env("APOGEE_ADMIN_DISCORD_IDS"))]
    pub admin_discord_ids: Option<String>,
    #[arg(skip = env("APOGEE_TRUSTED_PROXIES"))]
    pub trusted_proxies: Option<String>,
    #[arg(skip = env("APOGEE_UPLOADS_URL"))]
    pub uploads_url: Option<String>,
    #[arg(skip = env("APOGEE_LOG"))]
    pub log: Option<String>,
    #[arg(skip = env("APOGEE_LOG_FORMAT"))]
    pub log_format: Option<String>,
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
