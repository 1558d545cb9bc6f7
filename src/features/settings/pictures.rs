//! Pictures that settings name: one's own uploads only, each in one place, and none left behind.

use std::sync::Arc;

use crate::app::App;
use crate::error::AppError;
use crate::files::FileName;
use crate::store::{Tx, uploads};

/// Where uploads are served from.
const FOLDER: &str = "/uploads/";

/// Takes a wanted picture of this user, and drops the one it replaces from the database; its file goes after the commit, with
/// [`discard`]. Gives what is to be written.
pub fn take(
    tx: &mut Tx,
    user_id: i64,
    name: &str,
    now: Option<&String>,
    wanted: Option<&Option<String>>,
    left: &mut Vec<String>,
) -> Result<Option<Option<String>>, AppError> {
    let Some(wanted) = wanted.filter(|wanted| wanted.as_ref() != now) else { return Ok(None) };
    if let Some(path) = wanted
        && !uploads::take(tx, user_id, path)?
    {
        return Err(AppError::parameter(name, "the path of a picture that you uploaded and that nothing shows yet"));
    }
    if let Some(old) = now {
        uploads::remove(tx, old)?;
        left.push(old.clone());
    }
    Ok(Some(wanted.clone()))
}

/// Removes the files of pictures that nothing names any more. A file that cannot be removed now is swept later.
pub fn discard(app: &Arc<App>, paths: Vec<String>) {
    let names: Vec<FileName> = paths.iter().filter_map(|path| FileName::parse(path.strip_prefix(FOLDER)?)).collect();
    if names.is_empty() {
        return;
    }
    let app = Arc::clone(app);
    tokio::spawn(async move {
        for name in names {
            if let Err(error) = app.files.delete(&name).await {
                tracing::warn!(%error, "a replaced picture could not be removed yet");
            }
        }
    });
}
