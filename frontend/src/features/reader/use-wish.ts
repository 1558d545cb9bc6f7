// One act of the user on the reader: busy while it is under way, and the reader's own sentence when it fails.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { serverSentence } from "../../api/errors";
import type { ReaderState } from "../../api/reader";
import { showState } from "./use-reader";
import { useWords } from "./words";

export function useWish() {
  const cache = useQueryClient();
  const say = useWords();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (act: Promise<{ state: ReaderState }>) => act,
    onSuccess: ({ state }) => showState(cache, state),
  });
  /** Gives whether it was done. */
  const wish = (act: Promise<{ state: ReaderState }>): Promise<boolean> =>
    mutateAsync(act).then(
      () => true,
      () => false,
    );
  return { wish, busy: isPending, error: error && (serverSentence(error) || say("p_lost")) };
}
