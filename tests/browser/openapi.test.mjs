// The OpenAPI description is valid according to an independent validator.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { site } from "./support.mjs";

const script = fileURLToPath(new URL("../../frontend/scripts/openapi.mjs", import.meta.url));

function problems(source) {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, source], (error, _out, problem) => resolve(error ? problem || error.message : ""));
  });
}

test("the OpenAPI description is valid", async () => {
  assert.equal(await problems(`${site().base}/api/openapi.json`), "");
});
