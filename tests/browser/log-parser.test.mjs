// The parser of the page, which the build has compiled to WebAssembly, finds the events of the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
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

/** The bytes of a log in the encodings that the game and its tools write. */
const encodings = {
  "UTF-8": (log) => log,
  "UTF-8 with a mark": (log) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), log]),
  "UTF-16": (log) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(log.toString(), "utf16le")]),
  "CP1252": (log) => Buffer.from(log.toString(), "latin1"),
};

for (const name of readdirSync(logs).filter((name) => name.endsWith(".log"))) {
  test(`the page finds the events of the program in ${name}, byte for byte`, () => {
    countProcess();
    // Without the settings of the test site.
    const env = { PATH: process.env.PATH, HOME: tmpdir(), LANG: "C.UTF-8" };
    const wanted = execFileSync(BINARY, ["watch", logs + name, "--once", "--json"], { encoding: "utf8", stdio: "pipe", env });
    const log = readFileSync(logs + name);
    for (const pieceBytes of [1000, 262_144]) assert.equal(readInPage(log, pieceBytes), wanted);
    for (const [encoding, encode] of Object.entries(encodings)) {
      const found = readInPage(encode(log), 4096).split("\n").length;
      assert.equal(found, wanted.split("\n").length, encoding);
    }
  });
}
