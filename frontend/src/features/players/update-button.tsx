import { useMutation } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useEffect, useRef } from "react";
import { errorText } from "../../api/errors";
import { refreshPlayer } from "../../api/players";
import { countdown } from "../../lib/times";
import { Button } from "../../ui/button";
import { toast } from "../../ui/toast";
import { useCooldown } from "./use-cooldown";

const RELOAD_DELAY_MS = 1_000;

/** Requests an update from the game's site, at most every five minutes. `onUpdated` reloads the page's data. */
export function UpdateButton({ handle, onUpdated }: { handle: string; onUpdated: () => void }) {
  const [secondsLeft, start] = useCooldown(handle);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const { mutate, isPending } = useMutation({
    mutationFn: () => refreshPlayer(handle),
    onMutate: start,
    onSuccess: () => {
      timer.current = setTimeout(onUpdated, RELOAD_DELAY_MS);
    },
    onError: (error) => {
      // The cooldown also follows a failure.
      start();
      toast({ tone: "error", ...errorText(error) });
    },
  });
  return (
    <Button disabled={isPending || secondsLeft > 0} onClick={() => mutate()}>
      <RefreshCw size={16} aria-hidden="true" />
      <span>{isPending ? "Updating..." : secondsLeft > 0 ? `Update in ${countdown(secondsLeft)}` : "Update Now"}</span>
    </Button>
  );
}
