//! Posts events to the channels that asked for them, and asks now and then on how many servers the bot is.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features::statsfeed::{LEASE, Sender};
use crate::features::{discord, webhooks};

/// Short, so that an event is in its channel soon after it happened.
const EVERY: Duration = Duration::from_millis(400);
const COUNT_EVERY: Duration = Duration::from_secs(3600);
const WEBHOOKS_EVERY: Duration = Duration::from_secs(1);
const FORGET_EVERY: Duration = Duration::from_secs(6 * 3600);

pub async fn post(app: Arc<App>) {
    let Some(sender) = Sender::from_app(&app) else { return };
    loop {
        run(&app, LEASE, sender.run(&app)).await;
        app.diagnostics.jobs.wait_for_trigger(LEASE, EVERY).await;
    }
}

pub async fn count_servers(app: Arc<App>) {
    if app.settings.discord.bot_token.is_none() {
        return;
    }
    loop {
        run(&app, "bot-servers", discord::count_servers(&app)).await;
        app.diagnostics.jobs.wait_for_trigger("bot-servers", COUNT_EVERY).await;
    }
}

pub async fn send_webhooks(app: Arc<App>) {
    let sender = match webhooks::WebhookSender::from_app(&app) {
        Ok(Some(sender)) => sender,
        Ok(None) => return,
        Err(error) => return tracing::error!(%error, "no webhook can be called"),
    };
    loop {
        run(&app, webhooks::JOB, sender.run(&app)).await;
        app.diagnostics.jobs.wait_for_trigger(webhooks::JOB, WEBHOOKS_EVERY).await;
    }
}

pub async fn forget_deliveries(app: Arc<App>) {
    loop {
        run(&app, "webhook-log", webhooks::delete_old_deliveries(&app)).await;
        app.diagnostics.jobs.wait_for_trigger("webhook-log", FORGET_EVERY).await;
    }
}
