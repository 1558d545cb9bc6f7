// The generated types of the page match the OpenAPI description of the running server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { site } from "./support.mjs";

test("the generated types match the running server", async () => {
  const script = fileURLToPath(new URL("../../frontend/scripts/types.mjs", import.meta.url));
  const output = await new Promise((resolve) => {
    execFile(process.execPath, [script, "--check", `${site().base}/api/openapi.json`], (error, _out, problem) =>
      resolve(error ? problem || error.message : ""),
    );
  });
  assert.equal(output, "");
});
