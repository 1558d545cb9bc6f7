// The parser of the page, which the build has compiled to WebAssembly, finds the events of the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { BINARY, countProcess } from "./support.mjs";

const logs = fileURLToPath(new URL("../data/gamelog/", import.meta.url));
const compiled = readFileSync(new URL("../../frontend/wasm/gamelog.wasm", import.meta.url));
const { exports: parser } = (await WebAssembly.instantiate(compiled, {})).instance;

/** Calls a function of the parser with an input; returns its output. */
function call(name, input, ...more) {
  if (input) {
    // First, because it may replace the buffer.
    const address = parser.input(input.length);
    new Uint8Array(parser.memory.buffer, address, input.length).set(input);
  }
  const length = parser[name](...more);
  return Buffer.from(new Uint8Array(parser.memory.buffer, parser.output(), length)).toString();
}

function readInPage(log, pieceBytes) {
  call("begin", log.subarray(0, 4096));
  const outputs = [];
  for (let at = 0; at < log.length; at += pieceBytes) outputs.push(call("feed", log.subarray(at, at + pieceBytes)));
  return [...outputs, call("finish", null, 0)].join("").replace(/^./gm, "");
}

/** The bytes of a log in the other encodings without loss. */
const encodings = {
  "UTF-8 with a mark": (log) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), log]),
  "UTF-16": (log) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log.toString(), "utf16le")]),
};

function readByProgram(path) {
  countProcess();
  // Without the settings of the test site.
  const env = { PATH: process.env.PATH, HOME: tmpdir(), LANG: "C.UTF-8" };
  return execFileSync(BINARY, ["watch", path, "--once", "--json"], { encoding: "utf8", stdio: "pipe", env });
}

const folder = mkdtempSync(join(tmpdir(), "apogee-encodings-"));
after(() => rmSync(folder, { recursive: true }));

for (const name of readdirSync(logs).filter((name) => name.endsWith(".log"))) {
  test(`the page finds the events of the program in ${name}, byte for byte`, () => {
    const log = readFileSync(logs + name);
    const wanted = readByProgram(logs + name);
    for (const pieceBytes of [1000, 262_144]) assert.equal(readInPage(log, pieceBytes), wanted);
    for (const [encoding, encode] of Object.entries(encodings)) {
      assert.equal(readInPage(encode(log), 4096), wanted, encoding);
    }
    // What an old tool wrote, in CP1252, is no UTF-8.
    const path = join(folder, "Game.log");
    writeFileSync(path, log.toString(), "latin1");
    assert.equal(readInPage(readFileSync(path), 4096), readByProgram(path));
  });
}
