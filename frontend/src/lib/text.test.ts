import { expect, test } from "vitest";
import { decoded, encoded, nameHash, splitMatch, unescapeEntities } from "./text";

test("names that are escaped twice are unescaped", () => {
  expect(unescapeEntities("Bar &amp;amp; Grill")).toBe("Bar & Grill");
  expect(unescapeEntities("O&#39;Neill &lt;3")).toBe("O'Neill <3");
  expect(unescapeEntities("&#0;x &unknown;")).toBe("&#0;x &unknown;");
});

test("a name's hash ignores case", () => {
  expect(nameHash("Kestrel_9")).toBe(nameHash("kestrel_9"));
  expect(nameHash("Kestrel_9")).not.toBe(nameHash("Kestrel_8"));
});

test("the match ignores case and accents", () => {
  expect(splitMatch("Émile_Orr", "emi")).toEqual(["", "Émi", "le_Orr"]);
  expect(splitMatch("Nova Drift", "DRI")).toEqual(["Nova ", "Dri", "ft"]);
  expect(splitMatch("Nova", "zzz")).toEqual(["Nova", "", ""]);
});

test.each([
  ["a%20b", "a b"],
  ["%", "%"],
  ["%E0%A4%A", "%E0%A4%A"],
  ["%zz", "%zz"],
])("%j decodes to %j and never throws", (text, plain) => {
  expect(decoded(text)).toBe(plain);
});

test("a lone surrogate can be part of a URL", () => {
  expect(encoded("a b/\ud83d")).toBe("a%20b%2F%EF%BF%BD");
  expect(encoded("🚀")).toBe("%F0%9F%9A%80");
});
