//! Removes secrets from diagnostics, which admins copy into reports.

use crate::config::{Secret, Settings};

/// Replaces every configured secret in a text by `***`.
pub fn redact(settings: &Settings, text: &str) -> String {
    let discord = &settings.discord;
    let own = [&settings.jwt_secret, &discord.client_secret, &discord.bot_token, &settings.github.webhook_secret];
    let hooks = settings.webhooks.iter().flat_map(|hook| [hook.secret.reveal(), hook.url.as_str()]);
    let secrets = own.into_iter().flatten().map(Secret::reveal).chain(hooks).chain(password(&settings.database_url));
    let mut text = text.to_owned();
    for secret in secrets.filter(|secret| secret.len() >= 4) {
        text = text.replace(secret, "***");
    }
    text
}

/// The password in `postgres://user:password@host/database`.
fn password(url: &str) -> Option<&str> {
    let (user, _) = url.split_once("://")?.1.rsplit_once('@')?;
    user.split_once(':').map(|(_, password)| password)
}

/// The host of a URL. Paths of webhook URLs often contain keys, so only the host is shown.
pub fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit('@').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_paths_of_urls_are_removed() {
        assert_eq!(password("postgres://apogee:hunter22@db/apogee"), Some("hunter22"));
        assert_eq!(password("sqlite:./x.db"), None);
        assert_eq!(host("https://user:pw@hooks.example:8443/services/T0/secret?x=1"), "hooks.example:8443");
    }
}
