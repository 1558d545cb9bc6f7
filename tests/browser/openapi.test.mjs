// The description of the API is valid OpenAPI, as an independent validator judges it.
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

test("the description of the API is valid OpenAPI", async () => {
  assert.equal(await problems(`${site().base}/api/openapi.json`), "");
});

test("the validator sees what is not valid", async () => {
  const response = await fetch(`${site().base}/api/openapi.json`);
  const document = await response.json();
  const { get } = document.paths["/api/players/top"];
  delete get.responses["200"].description;
  get.operationId = document.paths["/api/patch"].get.operationId;
  get.security = [{ nobody: [] }];
  const folder = await mkdtemp(join(tmpdir(), "apogee-openapi-"));
  const file = join(folder, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  const said = await problems(file);
  await rm(folder, { recursive: true });
  assert.match(said, /description/);
  assert.match(said, /operationId/);
  assert.match(said, /nobody/);
});
