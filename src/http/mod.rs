//! What HTTP needs and no use case knows: reading parameters, answers and errors, headers, streams, embedded files.
//! `routes` is made of it, `server` wires it.
//! Never here: what is allowed or counted; that is for `features` to say.

pub mod answer;
pub mod body;
pub mod client;
pub mod embedded;
pub mod etag;
pub mod guard;
pub mod headers;
pub mod journal;
pub mod kept;
pub mod line;
pub mod origin;
pub mod packing;
pub mod page_shell;
pub mod params;
pub mod signed_body;
pub mod span;
pub mod sse;
pub mod upload_form;
pub mod viewer;
pub mod wire;
