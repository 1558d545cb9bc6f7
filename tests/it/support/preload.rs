//! Layers below the real binary, written in C and compiled by the test that wants them: `tests/faults/`.
//! Used by tests of what no request can bring about: failing writes, wrong clocks.
//! Never here: what the program has to make of it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use super::server::Server;

/// Numbers of eight bytes that a layer under a running program and its test both see.
pub struct Layer {
    numbers: File,
    _home: tempfile::TempDir,
}

impl Layer {
    /// Puts a layer under all that this site starts from now on; `variable` names the file with its numbers.
    pub fn under(server: &mut Server, source: &str, variable: &str, count: usize) -> Self {
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

    /// Writes all numbers at once.
    pub fn give(&self, numbers: &[i64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        self.numbers.write_all_at(&bytes, 0).unwrap();
    }

    /// The number at a place.
    pub fn number(&self, place: u64) -> i64 {
        let mut bytes = [0; 8];
        self.numbers.read_exact_at(&mut bytes, place * 8).unwrap();
        i64::from_ne_bytes(bytes)
    }
}
