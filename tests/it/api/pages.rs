//! Pages and files other than JSON.

use crate::support::*;

on_both!(unknown_pages_and_files_return_404);

async fn unknown_pages_and_files_return_404(on: Backend) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Page-Owner", 1, now() - DAY)).await;
    for (path, status) in [
        ("/", 200),
        ("/players", 200),
        ("/guilds", 200),
        ("/player/page-owner", 200),
        ("/player/nobody-here", 404),
        ("/guild/NOPE", 404),
        ("/no/such/page", 404),
        ("/player/%00", 404),
        ("/player/%3Cscript%3E", 404),
        ("/robots.txt", 200),
        ("/manifest.webmanifest", 200),
        ("/static/none.png", 404),
        ("/static/..%2f..%2fCargo.toml", 404),
        ("/static/../../Cargo.toml", 404),
        ("/assets/gone-12345678.js", 404),
    ] {
        let response = server.get(path).await;
        assert_eq!(response.status.as_u16(), status, "{path}");
        assert!(!response.text().contains("<script>") || !path.contains("script"), "{path}");
    }
    let response = server.execute(server.request(reqwest::Method::POST, "/players")).await;
    assert_eq!((response.status.as_u16(), response.header("allow")), (405, Some("GET, HEAD")));
    assert!(server.get("/robots.txt").await.text().contains("Disallow: /api/"));
    let manifest = server.get("/manifest.webmanifest").await;
    assert_eq!(manifest.header("content-type"), Some("application/manifest+json"));
    assert_eq!(manifest.json()["start_url"], "/");
}
