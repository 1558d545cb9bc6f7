// The shapes the page believes in are those the server describes: a drift fails here.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { site } from "./support.mjs";

test("the generated types are those of the running server", async () => {
  const script = fileURLToPath(new URL("../../frontend/scripts/types.mjs", import.meta.url));
  const said = await new Promise((resolve) => {
    execFile(process.execPath, [script, "--check", `${site().base}/api/openapi.json`], (error, _out, problem) =>
      resolve(error ? problem || error.message : ""),
    );
  });
  assert.equal(said, "");
});
