// The OpenAPI description is valid according to an independent validator.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

test("the validator detects errors", async () => {
  const response = await fetch(`${site().base}/api/openapi.json`);
  const document = await response.json();
  const { get } = document.paths["/api/players/top"];
  delete get.responses["200"].description;
  get.operationId = document.paths["/api/patch"].get.operationId;
  get.security = [{ nobody: [] }];
  const folder = await mkdtemp(join(tmpdir(), "apogee-openapi-"));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  const output = await problems(file);
  await rm(folder, { recursive: true });
  assert.match(output, /description/);
  assert.match(output, /operationId/);
  assert.match(output, /nobody/);
});
