//! Downloads the newest export of a site.

use std::fs::File;
use std::path::Path;

use serde::Deserialize;

use super::ExportError;
use super::files::digest;
use crate::upstream::public_site::{PublicSite, PublicSiteError};
use crate::views::public_export::PublicExport;

/// The format that can be recomputed.
const FORMAT: &str = "ndjson";

#[derive(Deserialize)]
struct Exports {
    data: Vec<PublicExport>,
}

/// Stores the newest export of a site in a file; returns its name.
pub async fn fetch(url: &str, to: &Path) -> Result<String, ExportError> {
    let site = PublicSite::new(url)?;
    let list = site.bytes("api/export").await?;
    let exports: Exports =
        serde_json::from_slice(&list).map_err(|_| PublicSiteError::Malformed("api/export".into()))?;
    let newest = exports.data.into_iter().flat_map(|export| export.files).find(|file| file.format == FORMAT);
    let newest = newest.ok_or_else(|| ExportError::None(url.to_owned()))?;
    let failed = |why| ExportError::File { path: to.display().to_string(), why };
    let mut file = File::create(to).map_err(failed)?;
    site.download(&format!("export/{}", newest.name), &mut file).await?;
    let (_, sha256) = digest(&mut File::open(to).map_err(failed)?).map_err(failed)?;
    if sha256 == newest.sha256 { Ok(newest.name) } else { Err(ExportError::Checksum(newest.name)) }
}
