//! Receives notifications of committed transactions from PostgreSQL.
//!
//! [`Listener::poll`] never blocks: libpq returns what has arrived, at the cost of one `recv`.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::r2d2::R2D2Connection;

use super::StoreError;
use super::changes::CHANNEL;
use super::conn::{AnyConn, ConnectionManager, ConnectionMode, DatabaseUrl};

/// A connection that receives notifications from the moment it is opened. A lost connection is an error; changes published in the
/// meantime are in the table `changes`.
pub struct Listener {
    conn: AnyConn,
}

impl Listener {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let manager = ConnectionManager { url: DatabaseUrl::Postgres(url.to_owned()), mode: ConnectionMode::ReadWrite };
        let mut conn = r2d2::ManageConnection::connect(&manager).map_err(|e| StoreError::Open(e.to_string()))?;
        conn.batch_execute(&format!("LISTEN {CHANNEL}"))?;
        Ok(Self { conn })
    }

    /// Notifications since the previous call, in commit order.
    pub fn poll(&mut self) -> Result<Vec<String>, StoreError> {
        let AnyConn::Postgres(conn) = &mut self.conn else { return Ok(Vec::new()) };
        let notifications: QueryResult<Vec<_>> = conn.notifications_iter().collect();
        Ok(notifications?.into_iter().map(|notification| notification.payload).collect())
    }

    /// Runs queries on this connection; fails if the connection was lost.
    pub fn read<T>(&mut self, act: impl FnOnce(&mut AnyConn) -> QueryResult<T>) -> Result<T, StoreError> {
        if self.conn.is_broken() {
            return Err(StoreError::Closed);
        }
        Ok(act(&mut self.conn)?)
    }
}
