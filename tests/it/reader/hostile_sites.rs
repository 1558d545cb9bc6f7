//! A reader against unreachable and hostile sites: it does not panic, opens no other site, and names the site in
//! errors.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener};
use std::process::Output;

use crate::reader::uploads::{LOG, game, reader};

/// Responds with these bytes to calls whose first line has the prefix, and with 404 to others.
fn site(responses: Vec<(&'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let own = address.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let found = responses.iter().find(|(begins, _)| head.starts_with(begins));
            let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
            let response = found.map_or(missing, |(_, response)| response.clone());
            let response = match String::from_utf8(response) {
                Ok(text) => text.replace("OWN", &own).into_bytes(),
                Err(bytes) => bytes.into_bytes(),
            };
            // The reader may close the connection early. Its request is read to the end, because closing earlier would
            // reset the response.
            let _ = stream.write_all(&response).and_then(|()| stream.shutdown(Shutdown::Write));
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
    });
    address
}

fn json(body: &str) -> Vec<u8> {
    // Without a length: the end of the connection ends the body.
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{body}").into_bytes()
}

fn log_in(site: &str) -> (Output, String) {
    let home = tempfile::tempdir().unwrap();
    let output = reader(home.path(), &["login", "--server", site]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
    (output, stderr)
}

const LOGIN: &str = "POST /api/reader/login ";
const STATE: &str = "GET /api/reader/login/state ";

#[test]
fn an_unreachable_site_is_named_by_its_address() {
    let (_, stderr) = log_in("http://127.0.0.1:9");
    assert!(stderr.contains("cannot reach http://127.0.0.1:9"), "{stderr}");
}

#[test]
fn numbers_of_a_hostile_site_do_not_overflow() {
    let body = format!(
        "{{\"code\":\"\\u001b[31mAAAA\",\"key\":\"k\",\"confirm_url\":\"OWN/connect\",\"expires_in\":{0},\"interval\":{0}}}",
        u64::MAX
    );
    let hostile = site(vec![(LOGIN, json(&body)), (STATE, json("{\"state\":\"refused\"}"))]);
    let (_, stderr) = log_in(&hostile);
    assert!(stderr.contains("The login was denied on the site."), "{stderr}");
    assert!(!stderr.contains('\u{1b}'), "a site does not control the terminal: {stderr}");
    // Counters of an upload.
    let home = tempfile::tempdir().unwrap();
    let (log, _) = game(home.path());
    std::fs::write(&log, LOG).unwrap();
    let counts =
        format!("{{\"accepted\":{0},\"duplicates\":{0},\"rejected\":[{{\"index\":{0},\"error\":\"x\"}}]}}", u64::MAX);
    let hostile = site(vec![("POST /api/ingest/events ", json(&counts))]);
    let args = ["--once", "--json", log.to_str().unwrap(), "--server", &hostile, "--key", "k"];
    let output = reader(home.path(), &args).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_endless_body_is_not_read_to_its_end() {
    let endless = "x".repeat(8 * 1024 * 1024);
    let (_, stderr) = log_in(&site(vec![(LOGIN, json(&endless))]));
    assert!(stderr.contains("is longer than 1024 KiB"), "{stderr}");
}
