//! Scales a 4000x3000 JPEG to 400x400: time and memory, compared with libvips (through `sharp`) in the same run.
//!
//! Run with `cargo bench --bench images`. For libvips, `node` must find `sharp`: set `SHARP_DIR` to the directory above its
//! `node_modules`. `RUNS` sets the number of runs of each (default 20).

use std::io::Cursor;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use apogee::files::{Fit, PictureKind, PictureProcessor};
use bytes::Bytes;
use image::codecs::jpeg::JpegEncoder;
use image::{Rgb, RgbImage};

/// Both sides write a JPEG of quality 90 on one thread.
const SHARP: &str = r#"
const sharp = require("sharp"), fs = require("fs");
sharp.concurrency(1); sharp.cache(false);
const [file, runs] = [fs.readFileSync(process.argv[1]), Number(process.argv[2])];
const ways = {
  "shrinking while it loads": (s) => s.rotate().resize(400, 400, { fit: "cover" }),
  "a crop of the full picture": (s) => s.extract({ left: 500, top: 0, width: 3000, height: 3000 }).resize(400, 400),
};
(async () => {
  for (const [name, way] of Object.entries(ways)) {
    const times = [];
    let out;
    for (let i = 0; i < runs; i++) {
      const begin = process.hrtime.bigint();
      out = await way(sharp(file)).jpeg({ quality: 90 }).toBuffer();
      times.push(Number(process.hrtime.bigint() - begin) / 1e6);
    }
    times.sort((a, b) => a - b);
    const peak = /VmHWM:\s+(\d+)/.exec(fs.readFileSync("/proc/self/status", "utf8"));
    console.log(`libvips, ${name}: min ${times[0].toFixed(1)} ms, median ${times[runs >> 1].toFixed(1)} ms, ` +
      `${out.length} bytes, peak of the whole node process ${peak ? (peak[1] / 1024).toFixed(0) : "?"} MB`);
  }
})();
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runs: usize = std::env::var("RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(20).max(1);
    let file = Bytes::from(photograph()?);
    println!("source: 4000x3000 JPEG, {:.1} MB, {runs} runs each", file.len() as f64 / 1e6);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let pictures = PictureProcessor::new(2);
    let before = memory_kb("VmRSS")?;
    // Resets the peak; without permission, it is the peak since the program's start.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let mut times = Vec::new();
    let mut size = 0;
    for _ in 0..runs {
        let begin = Instant::now();
        let picture = runtime.block_on(pictures.re_encode(file.clone(), 15 << 20, Fit::PROFILE))?;
        times.push(begin.elapsed());
        assert_eq!(picture.kind, PictureKind::Jpeg);
        size = picture.bytes.len();
    }
    times.sort_unstable();
    println!(
        "apogee, the middle: min {:.1} ms, median {:.1} ms, {size} bytes, peak {} MB above the {} MB before",
        millis(times[0]),
        millis(times[runs / 2]),
        memory_kb("VmHWM")?.saturating_sub(before) / 1024,
        before / 1024,
    );
    libvips(&file, runs)
}

fn libvips(file: &[u8], runs: usize) -> Result<(), Box<dyn std::error::Error>> {
    let Ok(folder) = std::env::var("SHARP_DIR") else {
        println!("libvips: not measured, SHARP_DIR names no folder with sharp");
        return Ok(());
    };
    let source = tempfile::NamedTempFile::new()?;
    std::fs::write(source.path(), file)?;
    let run = Command::new("node")
        .args(["-e", SHARP])
        .arg(source.path())
        .arg(runs.to_string())
        .current_dir(Path::new(&folder))
        .output();
    match run {
        Ok(run) if run.status.success() => print!("{}", String::from_utf8_lossy(&run.stdout)),
        Ok(run) => println!("libvips: not measured, {}", String::from_utf8_lossy(&run.stderr).trim()),
        Err(error) => println!("libvips: not measured, node: {error}"),
    }
    Ok(())
}

/// Shapes, gradients and noise: compresses about as well as a photograph, and is always the same.
fn photograph() -> Result<Vec<u8>, image::ImageError> {
    let mut state = 0x2545_f491u32;
    let picture = RgbImage::from_fn(4000, 3000, |x, y| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let grain = (state % 25) as f32 - 12.0;
        let wave = ((x as f32 / 90.0).sin() + (y as f32 / 70.0).cos()) * 40.0;
        let shape = if ((x / 250) + (y / 190)) % 3 == 0 { 45.0 } else { 0.0 };
        let channel = |base: f32| (base + wave + shape + grain).clamp(0.0, 255.0) as u8;
        Rgb([channel(90.0 + x as f32 / 60.0), channel(110.0), channel(150.0 - y as f32 / 50.0)])
    });
    let mut out = Cursor::new(Vec::new());
    picture.write_with_encoder(JpegEncoder::new_with_quality(&mut out, 88))?;
    Ok(out.into_inner())
}

fn memory_kb(field: &str) -> Result<u64, std::io::Error> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    Ok(line.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(0))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
