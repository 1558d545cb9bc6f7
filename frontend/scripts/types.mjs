// Generates `src/api/types.ts` from the OpenAPI description, or compares the two with `--check`:
// `npm run types -- SOURCE` and `npm run types:check -- SOURCE`, where SOURCE is a file or the URL of `/api/openapi.json`.
import { readFile, writeFile } from "node:fs/promises";

// openapi-typescript needs the API of TypeScript 5, which the native compiler does not have. The description only uses objects,
// arrays, unions and primitive types, so this script supports only those.
const TARGET = new URL("../src/api/types.ts", import.meta.url);

const args = process.argv.slice(2);
const check = args.includes("--check");
const [source] = args.filter((arg) => arg !== "--check");
if (!source)
  stop(
    "Missing argument: expected a file or the URL of /api/openapi.json, such as http://127.0.0.1:8080/api/openapi.json.",
  );

const written = print(JSON.parse(await load(source)).components.schemas);
if (check) {
  const known = await readFile(TARGET, "utf8").catch(() => "");
  if (known !== written) {
    const line = written.split("\n").findIndex((text, at) => text !== known.split("\n")[at]);
    stop(`src/api/types.ts differs from the OpenAPI description at line ${line + 1}. Run: npm run types -- ${source}`);
  }
} else await writeFile(TARGET, written);

async function load(from) {
  if (!/^https?:/.test(from)) return readFile(from, "utf8");
  const response = await fetch(from);
  if (!response.ok) stop(`${from} responded with status ${response.status}.`);
  return response.text();
}

function print(schemas) {
  const parts = [
    "// Generated from the OpenAPI description by `npm run types`; do not edit. Responses contain every field; a missing value\n" +
      "// is null.",
  ];
  for (const name of Object.keys(schemas).sort()) {
    const schema = schemas[name];
    const body =
      schema.type === "object" && schema.properties
        ? `export interface ${name} ${object(schema, "")}`
        : `export type ${name} = ${type(schema, "")};`;
    parts.push(note(schema, "") + body);
  }
  return `${parts.join("\n\n")}\n`;
}

function note({ description }, indent) {
  if (!description) return "";
  const lines = description.trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

function object({ properties }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([key, schema]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    // Optional fields are nullable: the server always writes them, with null if there is no value.
    return `${note(schema, inner)}${inner}${name}: ${type(schema, inner)};`;
  });
  return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${indent}}`;
}

function type(schema, indent) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((one) => type(one, indent)).join(" | ");
  if (schema.allOf) return schema.allOf.map((one) => type(one, indent)).join(" & ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((one) => type({ ...schema, type: one }, indent)).join(" | ");
  switch (schema.type) {
    case "array": {
      const item = type(schema.items, indent);
      return / [|&] /.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      if (schema.properties) return object(schema, indent);
      return `Record<string, ${schema.additionalProperties ? type(schema.additionalProperties, indent) : "unknown"}>`;
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    default:
      return stop(`unsupported schema: ${JSON.stringify(schema)}`);
  }
}

function stop(why) {
  console.error(why);
  process.exit(1);
}
