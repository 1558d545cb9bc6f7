//! Wiring: the shared parts, the URL table and the jobs become a running site.
//! Called by `cli`; prints the address once it accepts, and stops cleanly.
//! Never here: anything that decides.

mod systemd;

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_http::{HttpService, Protocol};
use actix_server::{Server, ServerBuilder};
use actix_service::{IntoServiceFactory, ServiceFactoryExt, apply_fn_factory, map_config};
use actix_web::dev::{AppConfig, Service};
use actix_web::middleware::from_fn;
use actix_web::{App as ActixApp, web};
use tracing_actix_web::TracingLogger;

use crate::app::App;
use crate::config::Settings;
use crate::features::bootstrap::{self, OpenError};
use crate::features::data_lock::{DataLock, LockError};
use crate::features::{leases, statsfeed};
use crate::http::detach::{Connection, DetachableStream};
use crate::http::guard::Limiter;
use crate::http::response::ErrorChain;
use crate::http::response_cache::ResponseCache;
use crate::http::signed_body::{Interactions, Pushes};
use crate::http::span::RequestSpan;
use crate::http::{compression, error_log, headers};
use crate::routes::leaderboard::Board;
use crate::{jobs, routes};

use systemd::Systemd;

/// Why the site could not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("cannot listen on {address}: {why}. Is it in use? Choose another with --listen.")]
    Bind { address: String, why: std::io::Error },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error("standard output cannot be written: {0}")]
    Output(std::io::Error),
    #[error("the server stopped: {0}")]
    Run(#[from] std::io::Error),
}

/// A request's head has to be here within this time.
const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a connection may rest between two requests: longer than proxies keep theirs (60 s), or one of them would send a
/// request into a connection that is just being closed, and a request that writes is not sent twice.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(75);
/// How long a peer may take to hear that its connection is closed.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a peer may take nothing of what is sent to it, alive or not.
#[cfg(target_os = "linux")]
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(60);
/// Open files kept back for the database, the index and calls to others.
const RESERVED_FILES: usize = 512;
/// How long requests may take to end when the server stops, in seconds.
const SHUTDOWN_TIMEOUT_SECS: u64 = 8;

/// Binds, opens everything, and serves until a signal ends it. `prepare` runs before the address is printed.
pub async fn serve(
    settings: Settings,
    prepare: impl AsyncFnOnce(&Arc<App>) -> Result<(), crate::error::AppError>,
) -> Result<(), ServeError> {
    let address = settings.listen.clone();
    let bind = |why| ServeError::Bind { address: address.clone(), why };
    let listener = TcpListener::bind(&address).map_err(bind)?;
    let bound = listener.local_addr().map_err(bind)?;
    maximize_accept_backlog(&listener).map_err(bind)?;
    // Every connection inherits it: who takes nothing for so long is cut off, whatever the answer.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(&listener).set_tcp_user_timeout(Some(TCP_USER_TIMEOUT)).map_err(bind)?;
    let public_url = settings.public_url.clone().unwrap_or_else(|| format!("http://{bound}"));
    let _lock = DataLock::take(&settings, &format!("apogee serve on http://{bound}"))?;
    let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, public_url));
    let app = Arc::new(opened.await.map_err(std::io::Error::other)??);
    jobs::follow(&app)?;
    prepare(&app).await.map_err(|error| {
        tracing::error!(error = %ErrorChain(&error), "the site could not be prepared");
        std::io::Error::other(error)
    })?;
    jobs::start(&app);
    run(app, listener, bound).await
}

/// Lets as many connections wait to be accepted as the system allows (`net.core.somaxconn`). The usual 128 are too few when
/// thousands of streams come back at the same moment: what finds no room is tried again after seconds.
fn maximize_accept_backlog(listener: &TcpListener) -> std::io::Result<()> {
    socket2::SockRef::from(listener).listen(i32::MAX)
}

/// The URL table served on a listener. As `HttpServer` does it, but with connections that live streams may leave (`http::detach`).
fn http_server(app: &Arc<App>, listener: TcpListener) -> std::io::Result<Server> {
    let data = web::Data::from(Arc::clone(app));
    let boards = web::Data::new(ResponseCache::<Board>::new(app));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let connections = connections(app.settings.limits.connections);
    let limiter = web::Data::new(Limiter::new(app.settings.limits.clone(), connections));
    let (pushes, interactions) = (web::Data::new(Pushes::default()), web::Data::new(Interactions::default()));
    let builder = ServerBuilder::default()
        .workers(workers)
        .max_concurrent_connections((connections / workers).max(16))
        .shutdown_timeout(SHUTDOWN_TIMEOUT_SECS)
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder.listen("site", listener, move || {
        let routes = ActixApp::new()
            .app_data(data.clone())
            .app_data(boards.clone())
            .app_data(limiter.clone())
            .app_data(pushes.clone())
            .app_data(interactions.clone())
            .wrap(from_fn(compression::compress))
            .wrap(from_fn(error_log::record_server_errors))
            .wrap(from_fn(headers::add_security_headers))
            .wrap(TracingLogger::<RequestSpan>::new())
            .configure(routes::table);
        let routes = routes.into_factory().map_err(|error: actix_web::Error| error.error_response());
        let stopping = stopping.clone();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .keep_alive(KEEP_ALIVE_TIMEOUT)
            .client_request_timeout(REQUEST_HEAD_TIMEOUT)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            .on_connect_ext(|wire: &DetachableStream, data| drop(data.insert(wire.handle())))
            .finish(map_config(routes, |()| AppConfig::default()));
        apply_fn_factory(http, |tcp, http: &_| {
            Connection::new(tcp, |wire, peer| Service::call(http, (wire, Protocol::Http1, peer)))
        })
    })?;
    Ok(server.run())
}

async fn run(app: Arc<App>, listener: TcpListener, bound: std::net::SocketAddr) -> Result<(), ServeError> {
    let server = http_server(&app, listener)?;
    let handle = server.handle();
    // Whoever reads the line may ask it to stop at once.
    let stop = stop_signal();
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on http://{bound}").and_then(|()| out.flush()).map_err(ServeError::Output)?;
    drop(out);
    let supervisor = Systemd::serving(bound);
    let stopping = Arc::clone(&app);
    tokio::spawn(async move {
        stop.await;
        tracing::info!("stopping");
        supervisor.stopping();
        stopping.process.set_ready(false);
        stopping.projections.live().close();
        handle.stop(true).await;
    });
    server.await?;
    let given_back = async {
        statsfeed::release_lease(&app).await?;
        leases::release_all(&app).await
    };
    if let Err(error) = given_back.await {
        tracing::debug!(%error, "leases run out by themselves");
    }
    if let Err(error) = app.projections.search().flush() {
        tracing::warn!(%error, "the search index was not written; it catches up at the next start");
    }
    Ok(())
}

/// How many files this process may hold open, raised as far as it may be; `None` where the system bounds none.
#[cfg(unix)]
fn open_file_limit() -> Option<u64> {
    // Where it may not be raised, what it is will do.
    let files = rlimit::increase_nofile_limit(u64::MAX).or_else(|_| rlimit::Resource::NOFILE.get_soft());
    Some(files.unwrap_or_else(|why| {
        tracing::warn!(%why, "the limit of open files is not known");
        1_024
    }))
}

/// Windows counts connections among no files.
#[cfg(not(unix))]
fn open_file_limit() -> Option<u64> {
    None
}

/// How many connections there may be: each is an open file, and the system allows so many of them.
fn connections(wanted: usize) -> usize {
    let Some(files) = open_file_limit() else { return wanted };
    let room = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(RESERVED_FILES).max(64);
    if room < wanted {
        tracing::info!(connections = room, files, "the system's limit of open files bounds connections");
    }
    wanted.min(room)
}

/// Waits for Ctrl-C or, where there is one, SIGTERM. Both are listened for from the call on, not from the first wait.
pub fn stop_signal() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let (terminate, interrupt) = {
        use tokio::signal::unix::{SignalKind, signal};
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    };
    async move {
        #[cfg(unix)]
        if let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) {
            tokio::select! {
                _ = terminate.recv() => return,
                _ = interrupt.recv() => return,
            }
        }
        // Without a signal to wait for, the process ends when it is ended.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
