//! The OpenAPI document, generated from the code.

use actix_web::HttpRequest;
use utoipa::OpenApi;
use utoipa::openapi::RefOr;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};

use crate::error::AppError;
use crate::http::response::{self, Answer};

use super::Description;

/// Adds what holds for every route: responses of limits and internal errors, descriptions of responses, a unique operation id, and
/// the required credential.
pub(super) struct Everywhere;

impl utoipa::Modify for Everywhere {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        for (path, item) in &mut document.paths.paths {
            for (method, operation) in [("get", &mut item.get), ("post", &mut item.post), ("delete", &mut item.delete)]
            {
                let Some(operation) = operation else { continue };
                let requires_proof = operation.responses.responses.contains_key("401");
                add_failures(operation);
                describe_responses(operation);
                operation.operation_id = Some(operation_id(method, path));
                operation.security.get_or_insert_with(|| proof(path, requires_proof));
            }
        }
        document.components.get_or_insert_default().add_security_schemes_from_iter(schemes());
    }
}

fn add_failures(operation: &mut Operation) {
    for status in ["403", "429", "500", "503"] {
        operation.responses.responses.entry(status.into()).or_insert_with(response::failure);
    }
}

/// The OpenAPI specification requires a description of every response.
fn describe_responses(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            response.description = description(status).to_owned();
        }
    }
}

fn description(status: &str) -> &'static str {
    match status {
        "200" => "Success",
        "202" => "Accepted",
        "400" => "A parameter or field is missing or invalid; the error names it and the accepted values",
        "401" => "No valid credential",
        "403" => "Not allowed for this caller, or the address is blocked for a while",
        "404" => "Not found",
        "409" => "Conflicts with the current state",
        "413" => "The body is too large",
        "415" => "The body is of a type or encoding that is not supported",
        "429" => "Too many requests; Retry-After says when to try again",
        "500" => "Internal error",
        "502" => "Another site that is needed for this failed or did not answer",
        "503" => "Overloaded; Retry-After says when to try again",
        _ => "See the status code",
    }
}

/// Derives a unique id from method and path: `get /api/player/{handle}/weapons` is `getPlayerByHandleWeapons`.
fn operation_id(method: &str, path: &str) -> String {
    let parts = path.trim_start_matches("/api").split('/').filter(|part| !part.is_empty());
    let words = parts.flat_map(|part| match part.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
        Some(name) => vec!["by", name],
        None => part.split(['-', '_', '.']).collect(),
    });
    words.fold(method.to_owned(), |mut id, word| {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id + letters.as_str()
    })
}

/// Names of the security schemes.
const SESSION: &str = "session";
const INGEST_KEY: &str = "ingest_key";
const GITHUB: &str = "github_signature";
const DISCORD: [&str; 2] = ["discord_signature", "discord_timestamp"];

/// Returns the credentials of a route. Routes with an optional session declare them in their own attribute.
fn proof(path: &str, requires_proof: bool) -> Vec<SecurityRequirement> {
    let of = |name: &str| SecurityRequirement::new(name, [""; 0]);
    match path {
        "/api/ingest/events" => vec![of(INGEST_KEY), of(SESSION)],
        "/api/ingest/key" | "/api/reader/login/state" => vec![of(INGEST_KEY)],
        "/api/webhooks/github" => vec![of(GITHUB)],
        "/api/discord/interactions" => vec![of(DISCORD[0]).add(DISCORD[1], [""; 0])],
        // The code in the body is the proof.
        "/api/auth/discord/callback" => Vec::new(),
        _ if requires_proof => vec![of(SESSION)],
        _ => Vec::new(),
    }
}

fn schemes() -> [(&'static str, SecurityScheme); 5] {
    let bearer = |format: &str, description: &str| {
        let http =
            HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format(format).description(Some(description));
        SecurityScheme::Http(http.build())
    };
    let header = |name: &str, description: &str| {
        SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(name, description)))
    };
    [
        (SESSION, bearer("JWT", "The token of a signed-in user, good for one hour")),
        (INGEST_KEY, bearer("key", "An ingest key")),
        (GITHUB, header("X-Hub-Signature-256", "HMAC-SHA256 of the body with the webhook's secret: sha256=…")),
        (DISCORD[0], header("X-Signature-Ed25519", "Ed25519 signature of the timestamp and the body")),
        (DISCORD[1], header("X-Signature-Timestamp", "The time of the call in epoch seconds")),
    ]
}

/// Returns the document as JSON text.
pub fn text() -> Result<String, AppError> {
    Description::openapi().to_pretty_json().map_err(AppError::internal)
}

pub async fn document(request: HttpRequest) -> Answer {
    Ok(response::with_etag(&request, text()?.into_bytes()))
}
