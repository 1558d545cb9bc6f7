// Validates the server's description of its API with Redocly's validator: `npm run openapi -- SOURCE`, where SOURCE is a file or
// the address of `/api/openapi.json`. Ends with 1 and a line for each problem.
import { readFile } from "node:fs/promises";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const [source] = process.argv.slice(2);
if (!source) stop("Name a file or the address of /api/openapi.json, such as http://127.0.0.1:8080/api/openapi.json.");

const config = await createConfig({
  extends: ["recommended"],
  rules: {
    "operation-operationId-unique": "error",
    "operation-operationId": "error",
    "operation-summary": "error",
    "security-defined": "error",
    // Fixed words such as `/api/player/me` come before a handle in the URL table.
    "no-ambiguous-paths": "off",
    // Neither says whether the description is valid: the address is the reader's own, the licence stands in the repository.
    "no-empty-servers": "off",
    "info-license": "off",
  },
});
const problems = await lintFromString({ source: await load(source), absoluteRef: "openapi.json", config });
const lines = problems.map(({ severity, ruleId, message, location }) => {
  const [place] = location;
  return `${severity} ${ruleId} at ${place?.pointer ?? "?"}: ${message}`;
});
if (lines.length > 0) stop(lines.join("\n"));

async function load(from) {
  if (!/^https?:/.test(from)) return readFile(from, "utf8");
  const response = await fetch(from);
  if (!response.ok) stop(`${from} answers ${response.status}.`);
  return response.text();
}

function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}
