import { expect, test } from "vitest";
import { collectLogs } from "./log-files";

type Tree = { [name: string]: string | Tree };

/** An entry of a drop as browsers give it. */
function entry(path: string, content: string | Tree): FileSystemEntry {
  const name = path.split("/").pop() ?? "";
  if (typeof content === "string") {
    const file = (done: (file: File) => void) => done(new File([content], name));
    return { isFile: true, isDirectory: false, name, fullPath: path, file } as never;
  }
  const parts = [Object.entries(content).map(([child, of]) => entry(`${path}/${child}`, of)), []];
  const readEntries = (done: (part: FileSystemEntry[]) => void) => done(parts.shift() ?? []);
  return { isFile: false, isDirectory: true, name, fullPath: path, createReader: () => ({ readEntries }) } as never;
}

test("a dropped folder of the game gives its logs and its texts in the language of the player", async () => {
  const languages = { "french_(france)": { "global.ini": "texts" } };
  const live = {
    "Game.log": "log",
    "user.cfg": "",
    logbackups: { "old.LOG": "log" },
    data: { Localization: languages, "global.ini": "" },
  };
  const item = { kind: "file", webkitGetAsEntry: () => entry("/LIVE", live), getAsFile: () => null };
  const found = await collectLogs({ items: [item] } as never);
  expect(found.logs.map(({ path }) => path)).toEqual(["LIVE/Game.log", "LIVE/logbackups/old.LOG"]);
  expect(found.phrases.map(({ name, size }) => [name, size])).toEqual([["global.ini", "texts".length]]);
});
