//! Uploads: permissions, processing and deletion of pictures.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use image::ImageFormat;
use reqwest::Method;
use serde_json::json;

use crate::support::mock_server::{MockResponse, MockServer};
use crate::support::pictures::*;
use crate::support::*;

on_sqlite!(
    an_image_is_resized_and_cached_forever,
    only_owners_can_upload,
    t49_an_image_is_rotated_and_its_metadata_removed,
    t48_invalid_images_are_rejected_and_leave_no_file,
    t32_malformed_forms_are_rejected,
    a_removed_image_is_deleted_from_disk_and_settings,
    the_sweep_deletes_unused_images,
    the_21st_unsaved_image_deletes_the_oldest,
    a_removed_image_disappears_from_leaderboards,
    a_user_has_one_upload_in_progress,
    deleting_an_account_removes_its_images_from_players_and_guilds,
);

const TARGETS: [&str; 6] = [
    "profile-image",
    "profile-banner-image",
    "guild-image",
    "banner-image",
    "cropped-profile-image",
    "cropped-banner-image",
];

/// A site with the owner of a player and a guild (7001), a user without either (7002) and an admin (7003).
struct Site {
    server: Server,
    owner: String,
    other: String,
    admin: String,
    _discord: MockServer,
}

async fn site(on: Backend) -> Site {
    site_with(on, &[], "").await
}

async fn site_with(on: Backend, envs: &[(&str, &str)], settings: &str) -> Site {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "7003");
    for (name, value) in envs {
        server.env(name, value);
    }
    std::fs::write(server.data_dir().join("apogee.toml"), settings).unwrap();
    server.run();
    let (owner, other, admin) =
        (server.sign_in("7001").await, server.sign_in("7002").await, server.sign_in("7003").await);
    server.give_player("7001", "Pic-Owner");
    server.give_guild("7001", "PICS");
    Site { server, owner, other, admin, _discord: discord }
}

fn stored(server: &Server) -> Vec<String> {
    let Ok(listed) = std::fs::read_dir(server.data_dir().join("uploads")) else { return Vec::new() };
    listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

async fn an_image_is_resized_and_cached_forever(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    for (target, size) in
        TARGETS.iter().zip([(400, 400), (1200, 300), (400, 400), (1200, 300), (400, 400), (1200, 300)])
    {
        let path = server.upload(&site.owner, target, &file(&flag(1600, 1200), ImageFormat::Png)).await;
        let response = server.get(&path).await;
        assert_eq!(response.status, 200, "{target}");
        let picture = image::load_from_memory(&response.bytes).unwrap();
        assert_eq!((picture.width(), picture.height()), size, "{target}");
        assert_eq!(response.header("content-type"), Some("image/jpeg"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("content-security-policy"), Some("default-src 'none'; sandbox"));
        assert!(response.header("cache-control").unwrap().contains("immutable"));
        let tag = response.header("etag").unwrap().to_owned();
        let again = server.execute(server.request(Method::GET, &path).header("if-none-match", tag)).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
        let of_row = format!("SELECT kind AS value FROM uploads WHERE path = '{path}'");
        assert_eq!(server.database.words(&of_row), [*target]);
    }
    // Transparency is preserved, and file names are unpredictable.
    let logo = image::RgbaImage::from_fn(64, 64, |x, _| image::Rgba([9, 9, 9, (x * 4) as u8]));
    let path = server.upload(&site.owner, "guild-image", &file(&logo.into(), ImageFormat::Png)).await;
    let response = server.get(&path).await;
    assert_eq!(response.header("content-type"), Some("image/webp"));
    for missing in
        ["/uploads/", "/uploads/x.jpg", "/uploads/..%2fapogee.toml", "/uploads/00112233445566778899aabbccddeeff.jpg"]
    {
        assert_eq!(server.get(missing).await.status, 404, "{missing}");
    }
}

async fn only_owners_can_upload(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let photo = photograph();
    // A cropped picture names its target; the owner of a player cannot upload for a guild.
    server.give_player("7002", "Pic-Other");
    for (whose, status) in [("player", 200), ("guild", 403), ("nobody", 400)] {
        let form = form(&[("image", photo.as_slice()), ("target", whose.as_bytes())]);
        let response = server
            .execute(server.form_request("/api/upload/cropped-profile-image", form).bearer_auth(&site.other))
            .await;
        assert_eq!(response.status, status, "{whose}: {}", response.text());
    }
    let guild = server.send_picture(&site.other, "guild-image", &photo).await;
    assert_eq!(guild.code(), "FORBIDDEN");
    // Identity claims in the body and in a header of old clients are ignored.
    let body = form(&[("image", &photo)]);
    let request = server.form_request("/api/upload/guild-image", body).bearer_auth(&site.other);
    assert_eq!(server.execute(request.header("x-user-handle", "Pic-Owner")).await.status, 403);
}

async fn t49_an_image_is_rotated_and_its_metadata_removed(on: Backend) {
    let site = site(on).await;
    // EXIF orientation 6: rotating clockwise moves the left half to the top.
    let photo = with_exif(&photograph(), 6);
    let path = site.server.upload(&site.owner, "profile-image", &photo).await;
    let bytes = site.server.get(&path).await.bytes;
    let picture = image::load_from_memory(&bytes).unwrap().into_rgb8();
    let (top, bottom) = (picture.get_pixel(200, 20).0, picture.get_pixel(200, 380).0);
    assert!(top[0] > 180 && top[1] < 60, "the red half is at the top: {top:?}");
    assert!(bottom[1] > 180 && bottom[0] < 60, "the green half is at the bottom: {bottom:?}");
    for trace in ["Exif", "GPS", "<script"] {
        assert!(!bytes.windows(trace.len()).any(|part| part == trace.as_bytes()), "{trace}");
    }
}

async fn t48_invalid_images_are_rejected_and_leave_no_file(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let photo = photograph();
    let png = file(&flag(64, 64), ImageFormat::Png);
    let too_many_bytes = [photo.as_slice(), &vec![0; 5 * 1024 * 1024]].concat();
    for (what, image, status, code) in [
        ("a bomb", png_of_size(100_000, 100_000), 413, "PAYLOAD_TOO_LARGE"),
        ("51 megapixels", png_of_size(8_500, 6_001), 413, "PAYLOAD_TOO_LARGE"),
        ("a JPEG cut in half", photo[..photo.len() / 2].to_vec(), 400, "VALIDATION"),
        ("a PNG cut in half", png[..png.len() / 2].to_vec(), 400, "VALIDATION"),
        ("a GIF", b"GIF89a\x01\0\x01\0\0\0\0;".to_vec(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("an SVG that is called a PNG", b"<svg onload=\"alert(1)\"/>".to_vec(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("text", b"hello".to_vec(), 415, "UNSUPPORTED_MEDIA_TYPE"),
        ("nothing", Vec::new(), 400, "VALIDATION"),
        ("more than 5 MB", too_many_bytes.clone(), 413, "PAYLOAD_TOO_LARGE"),
    ] {
        let response = server.send_picture(&site.owner, "profile-image", &image).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (status, code), "{what}: {}", response.text());
    }
    let sentence = server.send_picture(&site.owner, "profile-image", &too_many_bytes).await.json();
    assert_eq!(sentence["error"], "File too large. Maximum size: 5MB");
    // A banner of the same size is accepted.
    server.upload(&site.owner, "profile-banner-image", &too_many_bytes).await;
    assert_eq!(stored(server).len(), 1);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM uploads"), 1);
    assert_eq!(server.get("/api/health").await.status, 200);
}

async fn t32_malformed_forms_are_rejected(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let photo = photograph();
    let path = "/api/upload/profile-image";
    let many: Vec<u8> = (0..100_000).flat_map(|_| field("x", b"y")).chain(form(&[("image", &photo)])).collect();
    let long_head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n", "x".repeat(1 << 20));
    for (what, body) in [
        ("two pictures", form(&[("image", &photo), ("image", &photo)])),
        ("no picture", form(&[("photo", &photo[..100])])),
        ("a hundred thousand fields", many),
        ("a head of a megabyte", [long_head.as_bytes(), &form(&[("image", &photo)])].concat()),
        ("no end", field("image", &photo)),
        ("another boundary", String::from_utf8_lossy(&form(&[("x", b"y")])).replace(BOUNDARY, "other").into_bytes()),
        ("no form", photo.clone()),
        ("nothing", Vec::new()),
    ] {
        let response = server.execute(server.form_request(path, body).bearer_auth(&site.owner)).await;
        let expected = if what == "a head of a megabyte" { "PAYLOAD_TOO_LARGE" } else { "VALIDATION" };
        assert_eq!(response.code(), expected, "{what}: {}", response.text());
    }
    for of_type in ["application/json", "image/png", "multipart/form-data", "multipart/form-data; boundary=", "?"] {
        let request = server.request(Method::POST, path).bearer_auth(&site.owner).header("content-type", of_type);
        let status = server.execute(request.body(form(&[("image", &photo)]))).await.status.as_u16();
        assert!(status == 400 || status == 415, "{of_type}: {status}");
    }
    // An oversized body is drained, so that the client receives the response, and is not stored.
    let flood = form(&[("image", &vec![0xff; 40 << 20])]);
    let response = server.execute(server.form_request(path, flood).bearer_auth(&site.owner)).await;
    assert_eq!(response.code(), "PAYLOAD_TOO_LARGE");
    // Aborted uploads release their slots: more of them than there are slots, then a valid upload.
    let address = server.address.strip_prefix("http://").unwrap().to_owned();
    for _ in 0..6 {
        let mut connection = std::net::TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: 900000\r\n\r\n",
            site.owner
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(&field("image", &photo)).unwrap();
        drop(connection);
    }
    server.upload(&site.owner, "profile-image", &photo).await;
    assert_eq!((stored(server).len(), server.database.number("SELECT COUNT(*) FROM uploads")), (1, 1));
}

/// The slot of a slow client is released.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_form_is_cut_off() {
    let site = site(Backend::Sqlite).await;
    let address = site.server.address.strip_prefix("http://").unwrap().to_owned();
    let token = site.owner.clone();
    let stalled = tokio::task::spawn_blocking(move || {
        let mut connection = std::net::TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(HANG)).unwrap();
        let head = format!(
            "POST /api/upload/guild-image HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: 900000\r\n\r\n"
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(&field("image", b"the beginning of a picture")).unwrap();
        let mut begin = [0; 12];
        connection.read_exact(&mut begin).unwrap();
        String::from_utf8_lossy(&begin).into_owned()
    });
    assert_eq!(stalled.await.unwrap(), "HTTP/1.1 400");
    site.server.upload(&site.owner, "guild-image", &photograph()).await;
}

/// The response arrives even if the client is still sending, so that it can refresh its token.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_expired_token_fails_while_the_body_is_still_sent() {
    let site = site(Backend::Sqlite).await;
    let address = site.server.address.strip_prefix("http://").unwrap().to_owned();
    let token = accounts::expired(&site.owner);
    let response = tokio::task::spawn_blocking(move || {
        let mut connection = std::net::TcpStream::connect(&address).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let body = form(&[("image", &vec![7; 9 << 20])]);
        let head = format!(
            "POST /api/upload/profile-image HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(&body).expect("the whole body is accepted");
        let mut response = String::new();
        connection.read_to_string(&mut response).unwrap();
        response
    });
    let response = response.await.unwrap();
    assert!(response.starts_with("HTTP/1.1 401") && response.contains("TOKEN_EXPIRED"), "{response}");
}

async fn a_removed_image_is_deleted_from_disk_and_settings(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let remove = async |token: &str, path: &str| {
        server.as_user(token, Method::DELETE, "/api/upload/image", Some(&json!({ "imagePath": path }))).await
    };
    let path = server.upload(&site.owner, "profile-image", &photograph()).await;
    let banner = server.upload(&site.owner, "profile-banner-image", &photograph()).await;
    let logo = server.upload(&site.owner, "guild-image", &photograph()).await;
    server.database.run(&format!(
        "UPDATE players SET profile_image = '{path}', banner_image = '{banner}' WHERE handle = 'Pic-Owner'; \
         UPDATE guilds SET guild_image = '{logo}' WHERE tag = 'PICS'; UPDATE uploads SET is_used = TRUE"
    ));
    for odd in ["", "/uploads/", "/uploads/../apogee.db", "https://x.example/uploads/a.jpg", "x"] {
        assert_eq!(remove(&site.owner, odd).await.code(), "VALIDATION", "{odd}");
    }
    let unknown = "/uploads/00112233445566778899aabbccddeeff.jpg";
    assert_eq!(remove(&site.owner, unknown).await.code(), "NOT_FOUND");
    assert_eq!(stored(server).len(), 3);

    assert_eq!(remove(&site.owner, &path).await.status, 200);
    assert_eq!(server.get(&path).await.status, 404);
    assert_eq!(remove(&site.owner, &path).await.code(), "NOT_FOUND");
    let player = server.read("/api/player/pic-owner").await;
    assert_eq!(player["player"]["profileImage"], json!(null));
    assert_eq!(player["player"]["bannerImage"], json!(banner));
    assert_eq!(remove(&site.admin, &logo).await.status, 200);
    assert_eq!(server.read("/api/guild/settings/PICS").await["settings"]["guild_image"], json!(null));
    assert_eq!(stored(server).len(), 1);
    // The image belongs to its uploader, not to the player's current owner.
    server.database.run("UPDATE users SET player_id = NULL WHERE discord_id = '7001'");
    assert_eq!(remove(&site.owner, &banner).await.status, 200);
    assert_eq!(server.get(&banner).await.status, 404);
    assert_eq!(server.read("/api/player/pic-owner").await["player"]["bannerImage"], json!(null));
}

async fn the_sweep_deletes_unused_images(on: Backend) {
    let mut site = site(on).await;
    let server = &mut site.server;
    let photo = photograph();
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(server.upload(&site.owner, "profile-image", &photo).await);
    }
    let [named, unused, young] = &paths[..] else { panic!() };
    let yesterday = now() - DAY - 60_000;
    server.database.run(&format!(
        "UPDATE uploads SET created_at = {yesterday} WHERE path <> '{young}'; \
         UPDATE uploads SET is_used = TRUE WHERE path = '{named}'"
    ));
    // Files without a row: an old one remained after a crash, a young one may be about to get its row.
    let folder = server.data_dir().join("uploads");
    let (old, new) = ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.jpg", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.jpg");
    for name in [old, new, "notes.txt"] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    let long_ago = SystemTime::now() - Duration::from_secs(25 * 3600);
    for path in [named.trim_start_matches("/uploads/"), old, "notes.txt"] {
        std::fs::File::options().write(true).open(folder.join(path)).unwrap().set_modified(long_ago).unwrap();
    }
    // The sweep runs at each start.
    server.restart();
    let mut expected: Vec<String> =
        [named, young].iter().map(|path| path.trim_start_matches("/uploads/").to_owned()).collect();
    expected.extend([new.to_owned(), "notes.txt".to_owned()]);
    expected.sort();
    eventually("the unsaved pictures are deleted", async || {
        let mut left = stored(server);
        left.sort();
        left == expected
    })
    .await;
    assert_eq!(server.database.number("SELECT COUNT(*) FROM uploads"), 2);
    assert_eq!(server.get(unused).await.status, 404);
    assert_eq!(server.get(named).await.status, 200);
}

async fn the_21st_unsaved_image_deletes_the_oldest(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let small = file(&flag(8, 8), ImageFormat::Png);
    let named = server.upload(&site.owner, "profile-image", &small).await;
    let save = json!({"handle": "Pic-Owner", "profile_image": named});
    assert_eq!(server.as_user(&site.owner, Method::POST, "/api/player/settings", Some(&save)).await.status, 200);
    let mut unsaved = Vec::new();
    for _ in 0..21 {
        unsaved.push(server.upload(&site.owner, "profile-image", &small).await);
    }
    assert_eq!(server.get(&unsaved[0]).await.status, 404, "the oldest was deleted");
    for path in unsaved.iter().skip(1).chain([&named]) {
        assert_eq!(server.get(path).await.status, 200);
    }
    assert_eq!((stored(server).len(), server.database.number("SELECT COUNT(*) FROM uploads")), (21, 21));
    // Images of other users are not counted.
    server.give_player("7002", "Pic-Other");
    server.upload(&site.other, "profile-image", &small).await;
    assert_eq!(server.get(&unsaved[1]).await.status, 200);
}

async fn a_removed_image_disappears_from_leaderboards(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    server.take(&server.key("reader"), &npc_kills("Pic-Owner", 3, now() - DAY)).await;
    let path = server.upload(&site.owner, "profile-image", &photograph()).await;
    let save = json!({"handle": "Pic-Owner", "profile_image": path});
    assert_eq!(server.as_user(&site.owner, Method::POST, "/api/player/settings", Some(&save)).await.status, 200);
    let shown = async || server.read("/api/players/leaderboard").await["players"][0]["profile_image"].clone();
    assert_eq!(shown().await, json!(path));
    let body = json!({ "imagePath": path });
    assert_eq!(server.as_user(&site.owner, Method::DELETE, "/api/upload/image", Some(&body)).await.status, 200);
    assert_eq!(shown().await, json!(null));
}

async fn a_user_has_one_upload_in_progress(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    server.give_player("7002", "Pic-Other");
    let address = server.address.strip_prefix("http://").unwrap().to_owned();
    let begin = || {
        let mut connection = std::net::TcpStream::connect(&address).unwrap();
        let head = format!(
            "POST /api/upload/profile-image HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: 4900000\r\n\r\n",
            site.owner
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(&field("image", &[7; 20_000])).unwrap();
        connection
    };
    // A slow upload, and more than can wait behind it.
    let is_over = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let slow = {
        let (mut connection, is_over) = (begin(), Arc::clone(&is_over));
        std::thread::spawn(move || {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) && connection.write_all(&[7; 20_000]).is_ok() {
                std::thread::sleep(Duration::from_millis(400));
            }
        })
    };
    let free = async || {
        let state = server.as_user(&site.admin, Method::GET, "/api/admin/state", None).await.json();
        let sections = state["state"]["sections"].as_array().unwrap().clone();
        let facts = sections.iter().find(|section| section["id"] == "queues").unwrap()["facts"].clone();
        facts.as_array().unwrap().iter().find(|fact| fact["label"] == "Free upload slots").unwrap()["value"].clone()
    };
    eventually("the slow upload starts", async || free().await == json!(3)).await;
    let waiting: Vec<_> = (0..5).map(|_| begin()).collect();
    // Other users are not affected. The user's next upload waits and is then rejected.
    let photo = photograph();
    let (own, ()) = tokio::join!(server.send_picture(&site.owner, "profile-image", &photo), async {
        for _ in 0..3 {
            server.upload(&site.other, "profile-image", &photo).await;
        }
    });
    assert_eq!((own.status.as_u16(), own.code().as_str()), (429, "RATE_LIMIT_EXCEEDED"), "{}", own.text());
    assert!(own.header("retry-after").is_some() && own.text().contains("in progress"), "{}", own.text());
    is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    slow.join().unwrap();
    drop(waiting);
    server.upload(&site.owner, "profile-image", &photo).await;
}

async fn deleting_an_account_removes_its_images_from_players_and_guilds(on: Backend) {
    let site = site(on).await;
    let server = &site.server;
    let path = server.upload(&site.admin, "profile-image", &photograph()).await;
    let save = json!({"handle": "Pic-Owner", "profile_image": path});
    let saved = server.as_user(&site.admin, Method::POST, "/api/player/settings", Some(&save)).await;
    assert_eq!(saved.status, 200, "{}", saved.text());
    assert_eq!(server.read("/api/player/pic-owner").await["player"]["profileImage"], json!(path));
    assert_eq!(server.as_user(&site.admin, Method::DELETE, "/api/me", None).await.status, 200);
    assert_eq!(server.get(&path).await.status, 404);
    assert_eq!(server.read("/api/player/pic-owner").await["player"]["profileImage"], json!(null));
}

/// An S3 bucket in memory with the calls that the site uses; while it is closed, every call fails.
async fn bucket() -> (MockServer, Arc<Mutex<(BTreeMap<String, Vec<u8>>, bool)>>) {
    let objects = Arc::new(Mutex::new((BTreeMap::new(), false)));
    let shared = Arc::clone(&objects);
    let server = MockServer::start(move |call, _| {
        let mut shared = shared.lock().unwrap();
        let (objects, is_shut) = &mut *shared;
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        let key = path.trim_start_matches("/pictures").trim_matches('/').to_owned();
        if *is_shut || call.header("authorization").is_none() {
            return MockResponse::status(403, "");
        }
        match (call.method.as_str(), key.is_empty()) {
            ("PUT", _) => {
                objects.insert(key, call.body.clone());
                MockResponse::ok("").with_header("ETag", "\"1\"")
            }
            ("GET", true) => {
                let row = |(key, body): (&String, &Vec<u8>)| {
                    format!(
                        "<Contents><Key>{key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>1</ETag><Size>{}</Size></Contents>",
                        body.len()
                    )
                };
                let rows: String = objects.iter().map(row).collect();
                MockResponse::ok(format!("<ListBucketResult>{rows}</ListBucketResult>"))
            }
            ("GET", false) => match objects.get(&key) {
                Some(body) => MockResponse::ok(body.clone())
                    .with_header("ETag", "\"1\"")
                    .with_header("Last-Modified", "Fri, 02 Jan 2026 03:04:05 GMT"),
                None => MockResponse::status(404, ""),
            },
            ("POST", _) if query.contains("delete") => {
                let text = String::from_utf8_lossy(&call.body).into_owned();
                let keys = text.split("<Key>").skip(1).filter_map(|part| part.split("</Key>").next());
                let gone: String = keys
                    .map(|key| {
                        objects.remove(key);
                        format!("<Deleted><Key>{key}</Key></Deleted>")
                    })
                    .collect();
                MockResponse::ok(format!("<DeleteResult>{gone}</DeleteResult>"))
            }
            ("DELETE", _) => {
                objects.remove(&key);
                MockResponse::status(204, "")
            }
            _ => MockResponse::status(405, ""),
        }
    })
    .await;
    (server, objects)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn images_are_stored_in_the_configured_bucket() {
    let (s3, objects) = bucket().await;
    let envs = [
        ("APOGEE_UPLOADS_URL", "s3://pictures/site"),
        ("AWS_ENDPOINT", s3.url.as_str()),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];
    let mut site = site_with(Backend::Sqlite, &envs, "").await;
    let server = &mut site.server;
    let path = server.upload(&site.owner, "profile-image", &photograph()).await;
    let unused = server.upload(&site.owner, "profile-image", &photograph()).await;
    let removed = server.upload(&site.owner, "guild-image", &photograph()).await;
    let key = path.replace("/uploads/", "site/");
    assert_eq!(server.get(&path).await.bytes, objects.lock().unwrap().0[&key]);
    let body = json!({ "imagePath": removed });
    assert_eq!(server.as_user(&site.owner, Method::DELETE, "/api/upload/image", Some(&body)).await.status, 200);
    assert_eq!(objects.lock().unwrap().0.len(), 2);
    assert!(stored(server).is_empty(), "nothing is stored on disk");
    // A failing bucket is a server error, not a missing picture, and leaves no row.
    objects.lock().unwrap().1 = true;
    assert_eq!(server.get(&path).await.status, 500);
    assert_eq!(server.send_picture(&site.owner, "profile-image", &photograph()).await.status, 500);
    objects.lock().unwrap().1 = false;
    assert_eq!(server.database.number("SELECT COUNT(*) FROM uploads"), 2);
    // The sweep deletes objects in the bucket: those without a row are old.
    let orphan = "site/cccccccccccccccccccccccccccccccc.webp";
    objects.lock().unwrap().0.insert(orphan.into(), b"x".to_vec());
    server.database.run(&format!(
        "UPDATE uploads SET is_used = TRUE WHERE path = '{path}'; UPDATE uploads SET created_at = 1 WHERE path = '{unused}'"
    ));
    server.restart();
    eventually("only the named picture is left", async || objects.lock().unwrap().0.keys().eq([&key])).await;
}
