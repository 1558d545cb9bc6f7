// Validates the OpenAPI description with Redocly: `npm run openapi -- SOURCE`, where SOURCE is a file or the URL of
// `/api/openapi.json`. Prints one line per problem and exits with 1.
import { readFile } from "node:fs/promises";
import { createConfig, lintFromString } from "@redocly/openapi-core";

const [source] = process.argv.slice(2);
if (!source)
  stop(
    "Missing argument: expected a file or the URL of /api/openapi.json, such as http://127.0.0.1:8080/api/openapi.json.",
  );

const config = await createConfig({
  extends: ["recommended"],
  rules: {
    "operation-operationId-unique": "error",
    "operation-operationId": "error",
    "operation-summary": "error",
    "security-defined": "error",
    // Fixed paths such as `/api/player/me` precede the parameter in the URL table.
    "no-ambiguous-paths": "off",
    // Not about validity: the server URL differs per site, and the licence is in the repository.
    "no-empty-servers": "off",
    "info-license": "off",
  },
});
const problems = await lintFromString({ source: await load(source), absoluteRef: "openapi.json", config });
const lines = problems.map(({ severity, ruleId, message, location }) => {
  const [first] = location;
  return `${severity} ${ruleId} at ${first?.pointer ?? "?"}: ${message}`;
});
if (lines.length > 0) stop(lines.join("\n"));

async function load(from) {
  if (!/^https?:/.test(from)) return readFile(from, "utf8");
  const response = await fetch(from);
  if (!response.ok) stop(`${from} responded with status ${response.status}.`);
  return response.text();
}

function stop(sentence) {
  console.error(sentence);
  process.exit(1);
}
