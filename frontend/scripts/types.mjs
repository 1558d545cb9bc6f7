// Writes `src/api/types.ts` from the server's own description of its answers, or compares the two with `--check`.
// Run by `npm run types -- SOURCE` and `npm run types:check -- SOURCE`; SOURCE is a file or the address of
// `/api/openapi.json`. Nothing in the written file is ever changed by hand.
import { readFile, writeFile } from "node:fs/promises";

// The common generator needs the programming interface of TypeScript 5, which the compiler used here no longer has;
// the description holds nothing but objects, lists, choices and plain values, and that is all this file knows.
const TARGET = new URL("../src/api/types.ts", import.meta.url);

const args = process.argv.slice(2);
const check = args.includes("--check");
const [source] = args.filter((arg) => arg !== "--check");
if (!source) stop("Name a file or the address of /api/openapi.json, such as http://127.0.0.1:8080/api/openapi.json.");

const written = print(JSON.parse(await load(source)).components.schemas);
if (check) {
  const known = await readFile(TARGET, "utf8").catch(() => "");
  if (known !== written) {
    const line = written.split("\n").findIndex((text, at) => text !== known.split("\n")[at]);
    stop(
      `src/api/types.ts is not what the server describes, from line ${line + 1} on. Run: npm run types -- ${source}`,
    );
  }
} else await writeFile(TARGET, written);

async function load(from) {
  if (!/^https?:/.test(from)) return readFile(from, "utf8");
  const response = await fetch(from);
  if (!response.ok) stop(`${from} answers ${response.status}.`);
  return response.text();
}

function print(schemas) {
  const parts = [
    "// Generated from the server's description by `npm run types`; never edited. Every field of an answer is always there,\n" +
      "// with null where there is nothing to tell.",
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
    // Left out of "required" is what may be null: the server writes the null.
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
      return stop(`A shape this script does not know: ${JSON.stringify(schema)}`);
  }
}

function stop(why) {
  console.error(why);
  process.exit(1);
}
