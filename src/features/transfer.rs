//! Bulk loads.
