// One act of the user on the reader: busy while it is under way, and the reader's own sentence when it fails.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError } from "../../api/errors";
import type { ReaderState } from "../../api/reader";
import { showState } from "./use-reader";
import { useWords } from "./words";

export function useWish() {
  const cache = useQueryClient();
  const say = useWords();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  /** Gives whether it was done. */
  const wish = async (act: Promise<{ state: ReaderState }>): Promise<boolean> => {
    setBusy(true);
    setError(null);
    try {
      showState(cache, (await act).state);
      return true;
    } catch (failure) {
      setError(failure instanceof ApiError && failure.status > 0 ? failure.message : say("p_lost"));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { wish, busy, error };
}
