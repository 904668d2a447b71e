//! Running the service: listening, background work, an orderly end.

use super::{App, now, ops, router};
use crate::config::{Config, LogForm};
use crate::error::Error;
use crate::pattern::Patterns;
use crate::store::Store;
use notify::{RecursiveMode, Watcher};
use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tracing_subscriber::EnvFilter;

/// How often expired reports are deleted.
const EXPIRY: Duration = Duration::from_secs(60);
/// Editors write a file in several steps; a reload waits until it is quiet.
const QUIET: Duration = Duration::from_millis(300);

/// Serves until SIGINT or SIGTERM, then ends what is under way.
///
/// # Errors
/// [`Error::BadSetting`] where an address or database cannot be used.
pub async fn serve(config: Config, patterns: Arc<Patterns>) -> Result<(), Error> {
    start_log(config.log);
    hide_panic_messages();
    ops::tend_metrics();
    let store = Store::open(&config.database_url).await?;
    let listener = tokio::net::TcpListener::bind(config.listen).await.map_err(|e| Error::BadSetting {
        name: "FAULTBOOK_LISTEN".to_owned(),
        reason: format!("cannot listen on {}: {}", config.listen, e.kind()),
    })?;
    let address = listener.local_addr().unwrap_or(config.listen);
    let overlay = config.patterns.clone();
    let app = App::new(config, store.clone(), patterns);
    let routes = router(app.clone())?;
    let expiry = tokio::spawn(expire(app.clone()));
    let watcher = overlay.and_then(|folder| watch(&folder, app.clone()));
    tracing::info!(address = %address, patterns = app.patterns.load().hash(), "Faultbook serves at http://{address}/");
    let told = sd_notify::notify(&[sd_notify::NotifyState::Ready]);
    if told.is_err() {
        tracing::warn!("the service manager could not be told that the service is ready");
    }
    let served = axum::serve(listener, routes.into_make_service_with_connect_info::<SocketAddr>());
    let ended = served.with_graceful_shutdown(stop()).await;
    drop(watcher);
    expiry.abort();
    store.close().await;
    ended.map_err(|_| Error::Internal)
}

fn start_log(form: LogForm) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let log = log.with_ansi(std::io::stderr().is_terminal());
    let started = match form {
        LogForm::Text => log.try_init(),
        LogForm::Json => log.json().try_init(),
    };
    if started.is_err() {
        tracing::debug!("a log is already set up");
    }
}

/// A panic's message may repeat a paste; only its place is logged.
fn hide_panic_messages() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
        tracing::error!(place, "a fault in the program");
    }));
}

async fn stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! { () = interrupt => {}, () = terminate => {} }
    tracing::info!("ending");
}

async fn expire(app: Arc<App>) {
    let mut tick = tokio::time::interval(EXPIRY);
    loop {
        tick.tick().await;
        ops::tend_metrics();
        match app.store.expire(now()).await {
            Ok(0) | Err(_) => {}
            Ok(count) => tracing::info!(count, "expired reports deleted"),
        }
    }
}

/// Reloads the pattern set whenever the overlay folder changes. The set in force stays when the
/// new one does not load.
fn watch(folder: &Path, app: Arc<App>) -> Option<notify::RecommendedWatcher> {
    let (changed, mut changes) = mpsc::channel::<()>(1);
    let notice = move |event: notify::Result<notify::Event>| {
        let read_only = event.as_ref().is_ok_and(|e| e.kind.is_access());
        // A full channel means that a reload is due anyway.
        if !read_only && changed.try_send(()).is_err() {
            tracing::trace!("a reload is due already");
        }
    };
    let watching = notify::recommended_watcher(notice).and_then(|mut watcher| {
        watcher.watch(folder, RecursiveMode::Recursive)?;
        Ok(watcher)
    });
    let folder = folder.to_owned();
    tokio::spawn(async move {
        while changes.recv().await.is_some() {
            tokio::time::sleep(QUIET).await;
            while changes.try_recv().is_ok() {}
            reload(&folder, &app).await;
        }
    });
    match watching {
        Ok(watcher) => Some(watcher),
        Err(_) => {
            tracing::warn!("the pattern folder cannot be watched; restart to load changes");
            None
        }
    }
}

async fn reload(folder: &Path, app: &App) {
    let folder = folder.to_owned();
    match tokio::task::spawn_blocking(move || Patterns::with_overlay(&folder)).await {
        Ok(Ok(patterns)) => {
            tracing::info!(patterns = patterns.hash(), "pattern set reloaded");
            app.patterns.store(patterns);
        }
        Ok(Err(error)) => tracing::error!(%error, "the changed pattern set does not load; the last good one stays"),
        Err(_) => tracing::error!("the changed pattern set could not be read; the last good one stays"),
    }
}
