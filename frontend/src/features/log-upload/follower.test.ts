import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type BegunLogs, Follower, type NewEvents } from "./follower";
import { Parser } from "./parser";

const compiled = new URL("../../../wasm/gamelog.wasm", import.meta.url);
const sample = (name: string) =>
  readFileSync(new URL(`../../../../tests/data/gamelog/${name}.log`, import.meta.url), "utf8");

type Tree = { [name: string]: string | Tree };

/** A folder as the browser gives it, of texts and folders. */
function folder(name: string, tree: Tree): FileSystemDirectoryHandle {
  const child = (each: string) => {
    const found = tree[each];
    if (found === undefined) return null;
    if (typeof found !== "string") return folder(each, found);
    return { kind: "file", name: each, getFile: async () => new File([found], each) };
  };
  const existing = async (each: string) => child(each) ?? Promise.reject(new Error("not found"));
  async function* values() {
    for (const each of Object.keys(tree)) yield child(each);
  }
  return { kind: "directory", name, values, getFileHandle: existing, getDirectoryHandle: existing } as never;
}

/** Follows `tree` from what was begun; returns the events that were found so far, and the logs that have ended. */
async function follow(tree: Tree, begun: BegunLogs = { sent: {}, since: "" }) {
  const parser = await Parser.load(readFileSync(compiled).buffer as ArrayBuffer);
  const [events, closed]: [NewEvents[], string[]] = [[], []];
  const onEvents = (found: NewEvents) => void events.push(found);
  const follower = new Follower(parser, folder("LIVE", tree), begun, onEvents, (log) => void closed.push(log));
  const lines = () => events.flatMap((each) => each.lines);
  return { poll: () => follower.poll(), lines, events, closed };
}

const FIGHTS = "pu-4.1.0-big-fight";

test.skipIf(!existsSync(compiled))("what the game appends is found once, whatever the looks at it", async () => {
  const whole = await follow({ "Game.log": sample(FIGHTS) });
  const state = await whole.poll();
  expect(state?.handle).toBe("Ada_Quill");
  expect(whole.lines().length).toBeGreaterThan(10);

  const text = sample(FIGHTS);
  const tree: Tree = { "Game.log": "" };
  const growing = await follow(tree);
  for (let end = 0; end < text.length; end += 9_999) {
    tree["Game.log"] = text.slice(0, end);
    await growing.poll();
  }
  tree["Game.log"] = text;
  await growing.poll();
  await growing.poll();
  expect(growing.lines()).toEqual(whole.lines());
});

test.skipIf(!existsSync(compiled))("notices in the language of the player are read with the game's texts", async () => {
  const english = await follow({ "Game.log": sample("lines-missions") });
  await english.poll();
  const text = sample("lines-missions").replaceAll("Contract Accepted:", "Contrato aceptado:");
  const texts = { "global.ini": "mobiGlas_ui_MissionEvent_Activated=Contrato aceptado:  %s" };
  const spanish = await follow({ "Game.log": text, data: { Localization: { "spanish_(spain)": texts } } });
  await spanish.poll();
  expect(spanish.lines()).toEqual(english.lines());
});

test.skipIf(!existsSync(compiled))(
  "lines that were written before a restart of the game are found in its backups",
  async () => {
    const text = sample(FIGHTS);
    const tree: Tree = { "Game.log": text.slice(0, text.length / 2) };
    const run = await follow(tree);
    await run.poll();
    const [half, log] = [run.lines().length, run.events[0]?.log];
    tree["Game.log"] = sample("pu-4.7.0-no-fights");
    tree.logbackups = { "ended.log": text };
    expect((await run.poll())?.handle).toBe("NightHeron");
    expect(run.closed).toEqual([log]);
    expect(run.events.filter((each) => each.log === log).flatMap((each) => each.lines).length).toBeGreaterThan(half);
  },
);

test.skipIf(!existsSync(compiled))(
  "logs of a time in which the page was closed are read at the next start",
  async () => {
    const first = await follow({ "Game.log": sample(FIGHTS) });
    const state = await first.poll();
    const [all, log] = [first.lines(), first.events[0]?.log ?? ""];
    // A part of it was sent; meanwhile it has ended, and a later log has begun and ended as well.
    const begun = { sent: { [log]: 5 }, since: state?.stamp ?? "" };
    const backups = {
      "a.log": sample(FIGHTS),
      "b.log": sample("pu-4.7.0-no-fights"),
      "earlier.log": sample("pu-4.1.0-reconnects"),
    };
    const live = sample("pu-4.7.0-no-fights").replaceAll("2026-05-02T", "2026-05-03T");
    const next = await follow({ "Game.log": live, logbackups: backups }, begun);
    await next.poll();
    const own = next.events.filter((each) => each.log === log).flatMap((each) => each.lines);
    expect(own.slice(0, all.length - 5)).toEqual(all.slice(5));
    expect(next.closed).toHaveLength(2);
    expect(next.closed[0]).toBe(log);
    expect(new Set(next.events.map((each) => each.handle))).toEqual(new Set(["Ada_Quill", "NightHeron"]));
  },
);
