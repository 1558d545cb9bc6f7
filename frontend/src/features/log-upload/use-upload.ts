// The upload of a reading: its progress, and the site's answer.
import { useEffect, useRef, useState } from "react";
import { failureSentence } from "../../api/errors";
import type { Reading, Task, UploadChoice, UploadProgress, UploadResult } from "./reading";
import { savedReading } from "./store";
import { uploadReading } from "./upload";
import type { UploadState } from "./upload-panel";

export interface UploadActions {
  state: UploadState;
  upload: (choice: UploadChoice) => void;
  pause: () => void;
  resume: () => void;
  stop: () => void;
}

/** `prepare` runs before an upload, and fails it. `onSaved` takes the reading with the state of its upload. */
export function useUpload(
  reading: Reading,
  prepare: (choice: UploadChoice) => Promise<unknown>,
  onSaved: (reading: Reading) => void,
): UploadActions {
  const [sending, setSending] = useState<{ progress: UploadProgress; isPaused: boolean } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const task = useRef<Task<UploadResult> | null>(null);
  useEffect(() => () => task.current?.stop(), []);
  const setPaused = (isPaused: boolean) => setSending((now) => now && { ...now, isPaused });
  const run = async (choice: UploadChoice) => {
    setError(null);
    setSending({ progress: firstProgress(reading), isPaused: false });
    try {
      await prepare(choice);
      task.current = uploadReading(reading, choice, (progress) =>
        setSending((now) => ({ progress, isPaused: now?.isPaused ?? false })),
      );
      await task.current.result;
    } catch (problem) {
      if (!(problem instanceof DOMException && problem.name === "AbortError")) setError(failureSentence(problem));
    }
    const saved = await savedReading().catch(() => null);
    if (saved) onSaved(saved);
    setSending(null);
  };
  return {
    state: sending ? { is: "sending", ...sending } : stateOf(reading, error),
    upload: (choice) => void run(choice),
    pause: () => {
      task.current?.pause();
      setPaused(true);
    },
    resume: () => {
      task.current?.resume();
      setPaused(false);
    },
    stop: () => task.current?.stop(),
  };
}

function firstProgress({ upload }: Reading): UploadProgress {
  const { events = 0, totalEvents = 0, result = NO_RESULT } = upload ?? {};
  return { events, totalEvents, result, waiting: null };
}

const NO_RESULT: UploadResult = { accepted: 0, known: 0, dropped: 0, rejected: [], refused: [] };

function stateOf({ upload }: Reading, error: string | null): UploadState {
  if (upload?.isDone) return { is: "done", result: upload.result };
  if (upload) return { is: "stopped", events: upload.events, totalEvents: upload.totalEvents, error };
  return { is: "ready", error };
}
