//! Pictures that settings name: one's own uploads only, each in one place, and none left behind.

use crate::error::AppError;
use crate::store::{Tx, uploads};

/// Takes a wanted picture of this user, and drops the one it replaces from the database; its file goes after the commit.
/// Gives what is to be written.
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
