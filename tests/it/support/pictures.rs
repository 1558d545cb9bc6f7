//! Pictures, valid and malicious, and the forms in which they are uploaded.
//! Used by tests of uploads and of pages that show an upload.
//! Never here: how the site processes them, which is asserted by tests.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use reqwest::{Method, RequestBuilder};

use super::server::{Response, Server};

pub const BOUNDARY: &str = "----a-boundary-of-these-tests";

/// An image whose left half is red and whose right half is green.
pub fn flag(width: u32, height: u32) -> DynamicImage {
    let colour = |x: u32, _| if x < width / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 220, 20]) };
    RgbImage::from_fn(width, height, colour).into()
}

pub fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// A JPEG of 800x800.
pub fn photograph() -> Vec<u8> {
    file(&flag(800, 800), ImageFormat::Jpeg)
}

/// The JPEG with an EXIF block that contains its orientation and location.
pub fn with_exif(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    exif.extend(b"GPSLatitude 51.5<script>alert(1)</script>");
    let length = (exif.len() + 2) as u16;
    [&jpeg[..2], &[0xff, 0xe1], &length.to_be_bytes(), &exif, &jpeg[2..]].concat()
}

/// A PNG whose header claims these dimensions, with hardly any data.
pub fn png_of_size(width: u32, height: u32) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let checked = [kind.as_slice(), data].concat();
        let mut crc = flate2::Crc::new();
        crc.update(&checked);
        [&(data.len() as u32).to_be_bytes(), checked.as_slice(), &crc.sum().to_be_bytes()].concat()
    };
    let head = [width.to_be_bytes(), height.to_be_bytes(), [8, 6, 0, 0]].concat();
    let head = chunk(b"IHDR", &[head.as_slice(), &[0]].concat());
    [b"\x89PNG\r\n\x1a\n".to_vec(), head, chunk(b"IDAT", &[0x78, 0x9c, 3, 0]), chunk(b"IEND", b"")].concat()
}

/// One field of a form, without the end of the form.
pub fn field(name: &str, content: &[u8]) -> Vec<u8> {
    let file = if name == "image" { "; filename=\"a.png\"\r\nContent-Type: image/png" } else { "" };
    let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
    [head.as_bytes(), content, b"\r\n"].concat()
}

/// A complete form.
pub fn form(fields: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body: Vec<u8> = fields.iter().flat_map(|(name, content)| field(name, content)).collect();
    body.extend(format!("--{BOUNDARY}--\r\n").into_bytes());
    body
}

impl Server {
    /// A request that sends a form.
    pub fn form_request(&self, path: &str, body: Vec<u8>) -> RequestBuilder {
        let of_type = format!("multipart/form-data; boundary={BOUNDARY}");
        self.request(Method::POST, path).header("content-type", of_type).body(body)
    }

    /// The response to an upload of a picture.
    pub async fn send_picture(&self, token: &str, target: &str, image: &[u8]) -> Response {
        let body = form(&[("image", image)]);
        self.execute(self.form_request(&format!("/api/upload/{target}"), body).bearer_auth(token)).await
    }

    /// Uploads a picture, which must be accepted; returns its path.
    pub async fn upload(&self, token: &str, target: &str, image: &[u8]) -> String {
        let response = self.send_picture(token, target, image).await;
        assert_eq!(response.status, 200, "{target}: {}", response.text());
        response.json()["imagePath"].as_str().unwrap().to_owned()
    }

    /// Inserts a player with this handle, owned by the user with this Discord id.
    pub fn give_player(&self, discord_id: &str, handle: &str) {
        let folded = handle.to_lowercase();
        self.database.run(&format!(
            "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('{handle}', '{folded}', '{handle}', 1); \
             UPDATE users SET player_id = (SELECT id FROM players WHERE handle_folded = '{folded}') WHERE discord_id = '{discord_id}'"
        ));
    }

    /// Inserts a guild with this tag, owned by the user with this Discord id.
    pub fn give_guild(&self, discord_id: &str, tag: &str) {
        self.database.run(&format!(
            "INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('{tag}', 'Guild {tag}', 'guild {tag}', 1); \
             UPDATE users SET guild_id = (SELECT id FROM guilds WHERE tag = '{tag}') WHERE discord_id = '{discord_id}'"
        ));
    }
}
