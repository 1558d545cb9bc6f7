//! What Apogee can do, one file or folder per noun; a public function is a use case.
//! Called by the doors (routes, cli, bot, jobs), always as `&App`, then who asks, then the input.
//! Never here: HTTP, SQL text, JSON text; who may see or change what is decided here, once, for all doors.

pub mod ingest;
