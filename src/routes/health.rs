//! Liveness, readiness and metrics.

use actix_web::http::header;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use prometheus_client::registry::Registry;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::error::AppError;
use crate::features;
use crate::http::client;
use crate::http::guard::{Limiter, metrics_response};
use crate::http::response::{self, Answer};

#[derive(Serialize, ToSchema)]
pub struct Health {
    pub status: &'static str,
    pub version: &'static str,
}

/// Reports that the process is running.
#[utoipa::path(get, path = "/api/health", responses((status = 200, body = Health)))]
pub async fn health() -> Answer {
    response::ok(&Health { status: "up", version: env!("CARGO_PKG_VERSION") })
}

#[derive(Serialize, ToSchema)]
pub struct Ready {
    pub ready: bool,
    pub database: bool,
    pub index: bool,
}

/// Reports whether the database is reachable, migrations are done and the index is open.
#[utoipa::path(get, path = "/api/ready", responses((status = 200, body = Ready), (status = 503, body = Ready)))]
pub async fn ready(app: Data<App>) -> Answer {
    let database = features::health::is_database_up(&app.store).await;
    let index = app.process.is_ready();
    let state = Ready { ready: database && index, database, index };
    if state.ready {
        return response::ok(&state);
    }
    Ok(HttpResponse::ServiceUnavailable().insert_header((header::RETRY_AFTER, "1")).json(serde_json::json!({
        "success": false,
        "error": "The server is not ready yet.",
        "code": crate::error::Code::Overloaded,
        "ready": false,
        "database": database,
        "index": index,
    })))
}

/// Returns metrics for Prometheus, only to loopback unless a setting opens the route.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String), (status = 404)))]
pub async fn metrics(app: Data<App>, limiter: Data<Limiter>, request: HttpRequest) -> Answer {
    if !app.settings.metrics_open && !client::is_local(&request, &app.settings.trusted_proxies) {
        return Err(AppError::NotFound(super::UNKNOWN_PATH.into()));
    }
    let mut registry = Registry::default();
    features::health::register_metrics(&app, &mut registry).await?;
    limiter.metrics.register(&mut registry);
    metrics_response(&registry)
}
