// The state of the form that runs a moderation action: fields, preview and run.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { invalidateModeration, type ModerationInput, previewModeration, runModeration } from "../../api/moderation";
import type { ModerationAction } from "../../api/types";
import { toast } from "../../ui/toast";
import { parseSelection, type SelectionInput } from "./selection";

export interface ActionInput extends SelectionInput {
  action: ModerationAction;
  reason: string;
}

const EMPTY: ActionInput = { action: "void", target: "key", value: "", from: "", until: "", reason: "" };

export function useActionForm() {
  const cache = useQueryClient();
  const [input, setInput] = useState(EMPTY);
  const [problem, setProblem] = useState<string | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const preview = useMutation({ mutationFn: previewModeration });
  const run = useMutation({
    mutationFn: ({ request, reason }: { request: ModerationInput; reason: string }) => runModeration(request, reason),
    onSuccess: (entry) => {
      toast({ tone: "success", title: `Entry ${entry.id} added to the history.` });
      change({ value: "", from: "", until: "", reason: "" });
    },
    onSettled: () => {
      setConfirming(false);
      // A request that timed out may have run.
      void invalidateModeration(cache);
    },
  });
  /** A preview describes exactly what runs, so any change discards it. */
  const change = (part: Partial<ActionInput>) => {
    setInput((before) => ({ ...before, ...part }));
    setProblem(null);
    preview.reset();
    run.reset();
  };
  const showEffect = () => {
    const parsed = parseSelection(input);
    if ("problem" in parsed) setProblem(parsed.problem);
    else preview.mutate({ action: input.action, select: parsed.value });
  };
  const runPreviewed = () => {
    if (preview.isSuccess) run.mutate({ request: preview.variables, reason: input.reason.trim() });
  };
  const isComplete = input.value.trim() !== "" && input.reason.trim() !== "";
  return { input, change, problem, isComplete, preview, showEffect, run, runPreviewed, isConfirming, setConfirming };
}
