//! The ear on Postgres: a connection that hears what committed transactions told.
//!
//! It is asked again and again and never waits: libpq hands out what has arrived, and a look costs one `recv`.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::r2d2::R2D2Connection;

use super::StoreError;
use super::changes::CHANNEL;
use super::conn::{AnyConn, ConnectionManager, ConnectionMode, DatabaseUrl};

/// Hears notifications from the moment it is open; a lost connection is an error, and what was told meanwhile is in the
/// table `changes`.
pub struct Listener {
    conn: AnyConn,
}

impl Listener {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let manager =
            ConnectionManager { place: DatabaseUrl::Postgres(url.to_owned()), mode: ConnectionMode::ReadWrite };
        let mut conn = r2d2::ManageConnection::connect(&manager).map_err(|e| StoreError::Open(e.to_string()))?;
        conn.batch_execute(&format!("LISTEN {CHANNEL}"))?;
        Ok(Self { conn })
    }

    /// What arrived since the last look, in the order of commits.
    pub fn poll(&mut self) -> Result<Vec<String>, StoreError> {
        let AnyConn::Postgres(conn) = &mut self.conn else { return Ok(Vec::new()) };
        let heard: QueryResult<Vec<_>> = conn.notifications_iter().collect();
        Ok(heard?.into_iter().map(|notification| notification.payload).collect())
    }

    /// Runs queries on this connection; the first one after a loss tells of it.
    pub fn read<T>(&mut self, act: impl FnOnce(&mut AnyConn) -> QueryResult<T>) -> Result<T, StoreError> {
        if self.conn.is_broken() {
            return Err(StoreError::Closed);
        }
        Ok(act(&mut self.conn)?)
    }
}
