//! Libraries that are preloaded into the real binary, compiled from `tests/faults/` by the test that uses them.
//! Used by tests of failing writes and wrong clocks.
//! Never here: the expected behaviour of the program.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use super::server::Server;

/// 8-byte numbers in a file that a preloaded library and its test share.
pub struct Preload {
    numbers: File,
    _home: tempfile::TempDir,
}

impl Preload {
    /// Preloads a library into every process that this site starts after this call; `variable` names the file of the numbers.
    pub fn attach(server: &mut Server, source: &str, variable: &str, count: usize) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (library, numbers) = (home.path().join("layer.so"), home.path().join("numbers"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults").join(source);
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&library).arg(source).arg("-ldl");
        assert!(compiler.status().unwrap().success());
        std::fs::write(&numbers, vec![0; count * 8]).unwrap();
        server.env("LD_PRELOAD", library.to_str().unwrap());
        server.env(variable, numbers.to_str().unwrap());
        let numbers = File::options().read(true).write(true).open(numbers).unwrap();
        Self { numbers, _home: home }
    }

    /// Writes all numbers.
    pub fn write(&self, numbers: &[i64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.numbers.write_all_at(&bytes, 0).unwrap();
    }

    /// The number at an index.
    pub fn number(&self, index: u64) -> i64 {
        let mut bytes = [0; 8];
        self.numbers.read_exact_at(&mut bytes, index * 8).unwrap();
        i64::from_ne_bytes(bytes)
    }
}
