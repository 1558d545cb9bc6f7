//! Export and deletion of the data of the signed-in user.

use actix_web::HttpResponse;
use actix_web::http::header;
use actix_web::web::Data;
use bytes::Bytes;
use futures_util::stream;

use crate::app::App;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::account::AccountExport;
use crate::views::sessions::Done;

/// Exports all data stored about the signed-in user.
#[utoipa::path(get, path = "/api/me/export", responses((status = 200, body = AccountExport), Fails<401>))]
pub async fn export(app: Data<App>, viewer: SignedIn) -> Answer {
    let document = features::account::export(&app, &viewer.0).await?;
    let mut head = response::success_json(&document)?;
    // The list of events is the last field, so its parts are appended here.
    head.truncate(head.len() - "]}".len());
    let begin = Some(Part { app, member: viewer.0, before: None, head: Some(head) });
    let body = stream::try_unfold(begin, |part| async move {
        let Some(part) = part else { return Ok::<_, AppError>(None) };
        part.write().await.map(Some)
    });
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_TYPE, response::JSON_TYPE))
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"my-data.json\""))
        .streaming(body))
}

/// Progress of an export. Only one page of events is in memory at a time.
struct Part {
    app: Data<App>,
    member: Member,
    before: Option<features::account::FeedCursor>,
    /// JSON before the first event.
    head: Option<Vec<u8>>,
}

impl Part {
    async fn write(mut self) -> Result<(Bytes, Option<Self>), AppError> {
        let (events, next) = features::account::events(&self.app.store, &self.member, self.before).await?;
        let is_first = self.head.is_some();
        let mut bytes = self.head.take().unwrap_or_default();
        for (n, event) in events.iter().enumerate() {
            if n > 0 || !is_first {
                bytes.push(b',');
            }
            serde_json::to_writer(&mut bytes, event).map_err(AppError::internal)?;
        }
        if next.is_none() {
            bytes.extend_from_slice(b"]}");
        }
        self.before = next;
        Ok((bytes.into(), next.map(|_| self)))
    }
}

/// Deletes the account of the signed-in user and all of its data.
#[utoipa::path(delete, path = "/api/me", responses((status = 200, body = Done), Fails<401>))]
pub async fn delete(app: Data<App>, viewer: SignedIn) -> Answer {
    response::done(features::account::delete(&app, &viewer.0).await)
}
