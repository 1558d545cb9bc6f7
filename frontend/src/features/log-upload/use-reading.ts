// The reading of logs on the page: from what the player chose to the result, which the browser keeps.
import { useCallback, useEffect, useRef, useState } from "react";
import type { LogSource } from "./drop-zone";
import { collectLogs } from "./log-files";
import { isReadingSupported, readLogs } from "./read-logs";
import type { Reading, ReadingProgress, Task } from "./reading";
import { discardReading, savedReading } from "./store";

export type ReadingState =
  | { is: "loading" }
  /** `missing`: this site was built without the parser. */
  | { is: "unavailable"; why: "missing" | "unsupported" | "unreachable" }
  /** `problem`: why the last attempt found nothing. */
  | { is: "empty"; problem: Problem | null }
  | { is: "reading"; progress: ReadingProgress | null }
  | { is: "result"; reading: Reading };

/** `no-logs`: no file with the name of a log. `unknown`: files that are no logs of the game. `nobody`: logs that name no player. */
export type Problem =
  | { is: "no-logs" | "unknown" | "nobody" }
  | { is: "unreadable"; reason: string }
  | { is: "failed"; reason: string };

export interface ReadingActions {
  state: ReadingState;
  read: (source: LogSource) => void;
  stop: () => void;
  discard: () => void;
  /** Takes a changed reading, such as one with the upload that was begun. */
  replace: (reading: Reading) => void;
  retry: () => void;
}

export function useReading(): ReadingActions {
  const [state, setState] = useState<ReadingState>({ is: "loading" });
  const task = useRef<Task<Reading> | null>(null);
  const load = useCallback(() => void begin().then(setState), []);
  useEffect(() => {
    load();
    return () => task.current?.stop();
  }, [load]);
  const read = (source: LogSource) => {
    setState({ is: "reading", progress: null });
    const run = async (): Promise<ReadingState> => {
      const found = await collectLogs(source);
      if (found.logs.length === 0) return { is: "empty", problem: { is: "no-logs" } };
      task.current = readLogs(found, (progress) => setState({ is: "reading", progress }));
      return resultOf(await task.current.result);
    };
    run().then(setState, (error: unknown) => setState({ is: "empty", problem: problemOf(error) }));
  };
  const discard = () => {
    setState({ is: "empty", problem: null });
    forget();
  };
  return {
    state,
    read,
    stop: () => task.current?.stop(),
    discard,
    replace: (reading) => setState({ is: "result", reading }),
    retry: () => {
      setState({ is: "loading" });
      load();
    },
  };
}

/** A browser that keeps nothing has nothing to remove. */
const forget = () => void discardReading().catch(() => undefined);

/** Loads the parser, so that reading needs no network, and what was read before. */
async function begin(): Promise<ReadingState> {
  const support = await isReadingSupported().catch(() => "unreachable" as const);
  const reading = await savedReading().catch(() => null);
  if (reading) return { is: "result", reading };
  return support === "ready" ? { is: "empty", problem: null } : { is: "unavailable", why: support };
}

/** A reading without a player is no result: it is said why. */
function resultOf(reading: Reading): ReadingState {
  if (reading.handles.length > 0) return { is: "result", reading };
  forget();
  const { logs } = reading;
  const unreadable = logs.find((log) => log.state === "unreadable");
  if (logs.some((log) => log.state === "read")) return { is: "empty", problem: { is: "nobody" } };
  if (unreadable) return { is: "empty", problem: { is: "unreadable", reason: unreadable.error ?? "" } };
  return { is: "empty", problem: { is: "unknown" } };
}

function problemOf(error: unknown): Problem | null {
  if (error instanceof DOMException && error.name === "AbortError") return null;
  return { is: "failed", reason: error instanceof Error ? error.message : String(error) };
}
