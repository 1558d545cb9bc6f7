//! Building blocks of the HTTP layer: extractors, responses, middleware, streams and embedded files.
//!
//! `routes` uses them in its handlers, `server` installs the middleware. Business rules belong in `features`.

pub mod body;
pub mod client;
pub mod compression;
pub mod detach;
pub mod embedded;
pub mod error_log;
pub mod etag;
pub mod event_batch;
pub mod guard;
pub mod headers;
pub mod origin;
pub mod page_shell;
pub mod params;
pub mod response;
pub mod response_cache;
pub mod signed_body;
pub mod span;
pub mod sse;
pub mod sse_writer;
pub mod upload_form;
pub mod viewer;
