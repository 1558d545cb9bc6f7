// A change of the reader's settings: pending state, and the error message of the reader.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { serverSentence } from "../../api/errors";
import type { ReaderState } from "../../api/reader";
import { showState } from "./use-reader";
import { useTranslation } from "./use-translation";

export function useReaderChange() {
  const cache = useQueryClient();
  const t = useTranslation();
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: (request: Promise<{ state: ReaderState }>) => request,
    onSuccess: ({ state }) => showState(cache, state),
  });
  /** Resolves to true if the change succeeded. */
  const change = (request: Promise<{ state: ReaderState }>): Promise<boolean> =>
    mutateAsync(request).then(
      () => true,
      () => false,
    );
  return { change, busy: isPending, error: error && (serverSentence(error) || t("p_lost")) };
}
