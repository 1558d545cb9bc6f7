use super::*;

#[tokio::test]
async fn a_file_is_stored_read_listed_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    for form in ["file:", "file://"] {
        let files = Files::open(&format!("{form}{}/deep/uploads", folder.path().display())).unwrap();
        let name = files.put(Bytes::from_static(b"picture"), PictureKind::Jpeg).await.unwrap();
        assert_eq!(files.get(&name).await.unwrap().as_deref(), Some(&b"picture"[..]));
        std::fs::write(folder.path().join("deep/uploads/notes.txt"), "not ours").unwrap();
        let listed = files.list().await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!((&listed[0].name, listed[0].size_bytes), (&name, 7));
        assert!(listed[0].modified_at.0 > 1_600_000_000_000);
        files.delete(&name).await.unwrap();
        files.delete(&name).await.unwrap();
        assert_eq!(files.get(&name).await.unwrap(), None);
        assert_eq!(files.list().await.unwrap(), []);
    }
}

#[test]
fn an_invalid_url_is_rejected() {
    for url in ["", "file:", "ftp://x/y", "s3://", "s3:///x", "/var/uploads"] {
        assert!(matches!(Files::open(url), Err(FilesError::BadUrl(_))), "{url}");
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = Files::open(&format!("file:{}/x", file.path().display())).unwrap_err();
    assert!(matches!(error, FilesError::Folder { .. }), "{error:?}");
}

#[tokio::test]
async fn a_failing_disk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::open(&format!("file:{}", folder.path().display())).unwrap();
    // The directory becomes a file: nothing below it can be read or written.
    std::fs::remove_dir(folder.path()).unwrap();
    std::fs::write(folder.path(), "x").unwrap();
    let outcome = files.put(Bytes::from_static(b"x"), PictureKind::Webp).await;
    assert!(matches!(outcome, Err(FilesError::Store(_))), "{outcome:?}");
    let outcome = files.get(&FileName::random(PictureKind::Webp)).await;
    assert!(matches!(outcome, Err(FilesError::Store(_))), "{outcome:?}");
    std::fs::remove_file(folder.path()).unwrap();
}

/// An in-memory mock of the S3 calls that are used.
async fn bucket() -> (String, std::sync::Arc<std::sync::Mutex<std::collections::BTreeMap<String, Vec<u8>>>>) {
    use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
    type Objects = std::sync::Arc<std::sync::Mutex<std::collections::BTreeMap<String, Vec<u8>>>>;
    async fn answer(call: HttpRequest, body: Bytes, objects: web::Data<Objects>) -> HttpResponse {
        let mut objects = objects.lock().unwrap();
        let key = call.uri().path().trim_start_matches("/pictures").trim_start_matches('/').to_owned();
        assert!(call.headers().contains_key("authorization"), "calls are signed");
        let date = "Fri, 02 Jan 2026 03:04:05 GMT";
        match (call.method().as_str(), key.is_empty()) {
            ("PUT", _) => {
                objects.insert(key, body.to_vec());
                HttpResponse::Ok().insert_header(("ETag", "\"1\"")).finish()
            }
            ("GET", true) => {
                let rows: String = objects
                    .iter()
                    .map(|(key, body)| {
                        format!(
                            "<Contents><Key>{key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>1</ETag><Size>{}</Size></Contents>",
                            body.len()
                        )
                    })
                    .collect();
                HttpResponse::Ok().body(format!("<ListBucketResult>{rows}</ListBucketResult>"))
            }
            ("GET", false) => match objects.get(&key) {
                Some(body) => HttpResponse::Ok()
                    .insert_header(("ETag", "\"1\""))
                    .insert_header(("Last-Modified", date))
                    .body(body.clone()),
                None => HttpResponse::NotFound().finish(),
            },
            ("DELETE", _) => {
                objects.remove(&key);
                HttpResponse::NoContent().finish()
            }
            // Bulk deletion, which is used for single files as well.
            ("POST", _) => {
                let text = String::from_utf8_lossy(&body).into_owned();
                let keys = text.split("<Key>").skip(1).filter_map(|part| part.split("</Key>").next());
                let gone = keys.map(|key| {
                    objects.remove(key);
                    format!("<Deleted><Key>{key}</Key></Deleted>")
                });
                HttpResponse::Ok().body(format!("<DeleteResult>{}</DeleteResult>", gone.collect::<String>()))
            }
            _ => HttpResponse::MethodNotAllowed().finish(),
        }
    }
    let objects: Objects = Objects::default();
    let shared = web::Data::new(std::sync::Arc::clone(&objects));
    let server = HttpServer::new(move || App::new().app_data(shared.clone()).default_service(web::to(answer)))
        .workers(1)
        .bind(("127.0.0.1", 0))
        .unwrap();
    let url = format!("http://{}", server.addrs()[0]);
    actix_web::rt::spawn(server.run());
    (url, objects)
}

fn in_bucket_at(url: &str, prefix: &str) -> Files {
    net::install_tls_provider();
    let builder = AmazonS3Builder::new()
        .with_bucket_name("pictures")
        .with_endpoint(url)
        .with_allow_http(true)
        .with_region("eu-central-1")
        .with_access_key_id("id")
        .with_secret_access_key("secret")
        .with_retry(object_store::RetryConfig { max_retries: 0, ..object_store::RetryConfig::default() });
    Files::in_bucket(builder, prefix).unwrap()
}

#[actix_web::test]
async fn a_bucket_stores_files_under_its_prefix() {
    let (url, objects) = bucket().await;
    let files = in_bucket_at(&url, "/site/uploads/");
    let name = files.put(Bytes::from_static(b"picture"), PictureKind::Webp).await.unwrap();
    assert_eq!(objects.lock().unwrap().keys().collect::<Vec<_>>(), [&format!("site/uploads/{name}")]);
    assert_eq!(files.get(&name).await.unwrap().as_deref(), Some(&b"picture"[..]));
    assert_eq!(files.list().await.unwrap()[0].name, name);
    files.delete(&name).await.unwrap();
    assert_eq!(files.get(&name).await.unwrap(), None);
    assert!(objects.lock().unwrap().is_empty());
}

#[actix_web::test]
async fn an_unreachable_bucket_is_an_error() {
    let files = in_bucket_at("http://127.0.0.1:1", "");
    let name = FileName::random(PictureKind::Jpeg);
    assert!(matches!(files.get(&name).await, Err(FilesError::Store(_))));
    assert!(matches!(files.put(Bytes::new(), PictureKind::Jpeg).await, Err(FilesError::Store(_))));
    assert!(matches!(files.list().await, Err(FilesError::Store(_))));
}
