import { expect, test } from "vitest";
import { Batches } from "./batches";
import { sendableLines, sentLines } from "./event-lines";
import type { Batch } from "./store";

const collected = () => {
  const saved: Batch[] = [];
  const batches = new Batches("r", 0, async (batches) => void saved.push(...batches));
  return { saved, batches };
};

test("a batch has at most 1000 events of one player and one log", async () => {
  const { saved, batches } = collected();
  await batches.add(
    Array.from({ length: 1001 }, (_, at) => `+${at}`),
    "One",
    "id=a",
  );
  await batches.add(["+x"], "Two", "id=a");
  await batches.flush();
  await batches.close();
  expect(saved.map(({ index, handle, lines }) => [index, handle, lines.length])).toEqual([
    [0, "One", 1000],
    [1, "One", 1],
    [2, "Two", 1],
  ]);
});

test("a batch fits into a request, whatever its characters", async () => {
  const { saved, batches } = collected();
  await batches.add(
    Array.from({ length: 90 }, () => `+${"€".repeat(9_999)}`),
    "One",
    "id=a",
  );
  await batches.close();
  const sizes = saved.map(({ lines }) => new TextEncoder().encode(lines.join("\n")).length);
  expect(sizes.every((size) => size <= 1024 * 1024)).toBe(true);
  expect(saved.flatMap(({ lines }) => lines)).toHaveLength(90);
});

test("a batch that cannot be stored fails the reading", async () => {
  const full = new Batches("r", 0, () => Promise.reject(new Error("no space")));
  await full.add(["+x"], "One", "id=a");
  await expect(full.close()).rejects.toThrow("no space");
});

test("only what the player shares is sent", () => {
  const lines = sendableLines(['-{"a":1}', '+{"b":1}', "$" + '{"c":1}', '@{"d":1}', ""].join("\n"));
  expect(lines).toHaveLength(3);
  expect(sentLines(lines, [])).toEqual(['{"b":1}']);
  expect(sentLines(lines, ["pay"])).toEqual(['{"b":1}', '{"c":1}']);
  expect(sentLines(lines, ["pay", "places"])).toEqual(['{"b":1}', '{"c":1}', '{"d":1}']);
});
