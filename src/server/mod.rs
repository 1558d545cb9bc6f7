//! Starts the site: builds the `App`, serves the URL table, runs the jobs and shuts down gracefully.

mod systemd;

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
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
use crate::features::leases;
use crate::http::detach::{Connection, DetachableStream};
use crate::http::guard::Limiter;
use crate::http::response::error_chain;
use crate::http::response_cache::ResponseCache;
use crate::http::signed_body::SignedBodies;
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
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    #[error("the server stopped: {0}")]
    Run(#[from] std::io::Error),
}

/// Time within which the head of a request has to arrive.
const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// Idle time of a connection between two requests. Longer than the keep-alive of common proxies (60 s), which could otherwise send
/// a request on a connection that is being closed, and proxies do not retry requests that write.
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(75);
/// Time that a client has to complete a closed connection.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// Time without acknowledgement of sent data after which a connection is closed.
#[cfg(target_os = "linux")]
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(60);
/// File descriptors reserved for the database, the index and outgoing requests.
const RESERVED_FILES: usize = 512;
/// Time that open requests have to complete on shutdown.
const SHUTDOWN_TIMEOUT_SECS: u64 = 8;

/// How a site ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Open requests complete within a time limit.
    Gracefully,
    /// Open requests are cut.
    AtOnce,
}

/// Binds the address, opens the data directory and serves until a signal stops it. `prepare` runs before the address is printed.
pub async fn serve(
    settings: Settings,
    prepare: impl AsyncFnOnce(&Arc<App>) -> Result<(), crate::error::AppError>,
) -> Result<(), ServeError> {
    let announce = |_: &Arc<App>, bound: SocketAddr| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "listening on http://{bound}").and_then(|()| out.flush()).map_err(ServeError::Output)
    };
    let stop = || {
        let signal = stop_signal();
        async move {
            signal.await;
            Stop::Gracefully
        }
    };
    serve_until(settings, prepare, announce, stop).await
}

/// Like [`serve`], until the future of `stop` completes. `stop` is called before `announce`, which receives the address.
pub async fn serve_until<S>(
    settings: Settings,
    prepare: impl AsyncFnOnce(&Arc<App>) -> Result<(), crate::error::AppError>,
    announce: impl FnOnce(&Arc<App>, SocketAddr) -> Result<(), ServeError>,
    stop: impl FnOnce() -> S,
) -> Result<(), ServeError>
where
    S: Future<Output = Stop> + Send + 'static,
{
    let address = settings.listen.clone();
    let bind = |why| ServeError::Bind { address: address.clone(), why };
    let listener = TcpListener::bind(&address).map_err(bind)?;
    let bound = listener.local_addr().map_err(bind)?;
    maximize_accept_backlog(&listener).map_err(bind)?;
    // Accepted connections inherit the option.
    #[cfg(target_os = "linux")]
    socket2::SockRef::from(&listener).set_tcp_user_timeout(Some(TCP_USER_TIMEOUT)).map_err(bind)?;
    let public_url = settings.public_url.clone().unwrap_or_else(|| format!("http://{bound}"));
    let _lock = DataLock::take(&settings, &format!("apogee serve on http://{bound}"))?;
    let opened = tokio::task::spawn_blocking(move || bootstrap::open(settings, public_url));
    let app = Arc::new(opened.await.map_err(std::io::Error::other)??);
    let follower = jobs::start_follower(&app)?;
    prepare(&app).await.map_err(|error| {
        tracing::error!(error = error_chain(&error), "the site could not be prepared");
        std::io::Error::other(error)
    })?;
    jobs::start(&app);
    let served = run(app, listener, bound, announce, stop).await;
    // It keeps the search index open, which the next start of the site opens. A panic was reported.
    if let Some(follower) = follower {
        let _ = tokio::task::spawn_blocking(move || follower.join()).await;
    }
    served
}

/// Sets the listen backlog to the system's maximum (`net.core.somaxconn`). The usual 128 are too few when thousands of streams
/// reconnect together: clients retry a dropped connection only after seconds.
fn maximize_accept_backlog(listener: &TcpListener) -> std::io::Result<()> {
    socket2::SockRef::from(listener).listen(i32::MAX)
}

/// Serves the URL table on a listener, like actix's `HttpServer` but with connections that streams can detach (`http::detach`).
fn http_server(app: &Arc<App>, listener: TcpListener) -> std::io::Result<Server> {
    let data = web::Data::from(Arc::clone(app));
    // Handlers that use one of these services take it instead of the App.
    let store = web::Data::new(app.store.clone());
    let (settings, projections) = (web::Data::from(app.settings.clone()), web::Data::from(app.projections.clone()));
    let boards = web::Data::new(ResponseCache::<Board>::new(app));
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let connections = connections(app.settings.limits.connections);
    let limiter = web::Data::new(Limiter::new(app.settings.limits.clone(), connections));
    let bodies = web::Data::new(SignedBodies::default());
    let builder = ServerBuilder::default()
        .workers(workers)
        .max_concurrent_connections((connections / workers).max(16))
        .shutdown_timeout(SHUTDOWN_TIMEOUT_SECS)
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder.listen("site", listener, move || {
        let routes = ActixApp::new()
            .app_data(data.clone())
            .app_data(store.clone())
            .app_data(settings.clone())
            .app_data(projections.clone())
            .app_data(boards.clone())
            .app_data(limiter.clone())
            .app_data(bodies.clone())
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

async fn run<S>(
    app: Arc<App>,
    listener: TcpListener,
    bound: SocketAddr,
    announce: impl FnOnce(&Arc<App>, SocketAddr) -> Result<(), ServeError>,
    stop: impl FnOnce() -> S,
) -> Result<(), ServeError>
where
    S: Future<Output = Stop> + Send + 'static,
{
    let server = http_server(&app, listener)?;
    let handle = server.handle();
    // Installed before the address is printed, because a process that reads it may send a signal immediately.
    let stop = stop();
    announce(&app, bound)?;
    let systemd = Systemd::notify_ready(bound);
    let stopping = Arc::clone(&app);
    tokio::spawn(async move {
        let how = stop.await;
        tracing::info!("stopping");
        systemd.notify_stopping();
        stopping.process.set_ready(false);
        stopping.projections.live().close();
        handle.stop(how == Stop::Gracefully).await;
    });
    let served = server.await;
    app.process.set_ended();
    served?;
    if let Err(error) = leases::release_all(&app).await {
        tracing::debug!(%error, "the leases could not be released and will expire");
    }
    if let Err(error) = app.projections.search().flush() {
        tracing::warn!(%error, "the search index could not be flushed; it catches up at the next start");
    }
    Ok(())
}

/// Raises the limit of open files as far as possible and returns it; `None` if the system has no such limit.
#[cfg(unix)]
fn open_file_limit() -> Option<u64> {
    // If it cannot be raised, the current limit applies.
    let files = rlimit::increase_nofile_limit(u64::MAX).or_else(|_| rlimit::Resource::NOFILE.get_soft());
    Some(files.unwrap_or_else(|why| {
        tracing::warn!(%why, "the limit of open files cannot be read; assuming 1024");
        1_024
    }))
}

/// On Windows, connections do not count as open files.
#[cfg(not(unix))]
fn open_file_limit() -> Option<u64> {
    None
}

/// Returns the number of connections to accept, limited by the number of open files that the system allows.
fn connections(wanted: usize) -> usize {
    let Some(files) = open_file_limit() else { return wanted };
    let available = usize::try_from(files).unwrap_or(usize::MAX).saturating_sub(RESERVED_FILES).max(64);
    if available < wanted {
        tracing::info!(connections = available, files, "connections are limited by the number of open files");
    }
    wanted.min(available)
}

/// Returns a future that completes on Ctrl-C or SIGTERM. Signals count from the call, not from the first poll.
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
        // Without signal handlers, only a kill ends the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
