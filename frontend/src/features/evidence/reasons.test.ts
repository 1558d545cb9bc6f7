import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hasPage, reasonOf } from "./reasons";

// Tests run in the frontend's directory.
const rust = readFileSync("../src/domain/trust/reasons.rs", "utf8");
const names = [...rust.matchAll(/^ {4}[A-Z_]+ = \d+ "([a-z_]+)",$/gm)].map(([, name = ""]) => name);

test("every reason of the server has its own text", () => {
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    expect(reasonOf(name).why, name).not.toBe(reasonOf("no such reason").why);
  }
});

test("an unknown reason is shown by its name", () => {
  expect(reasonOf("too_shiny").label).toBe("too shiny");
});

test("only reasons that the server shows have a page", () => {
  expect(hasPage([])).toBe(true);
  expect(hasPage(["third_party", "other_channel"])).toBe(true);
  expect(hasPage(["third_party", "unclaimed"])).toBe(false);
});
