import css from "./connection-status.module.css";
import { useLiveState } from "./use-live";

/** Shows a message while the live stream is reconnecting. */
export function ConnectionStatus() {
  const state = useLiveState();
  return (
    <div role="status" className={css.note} data-shown={state === "reconnecting"}>
      {state === "reconnecting" ? "Reconnecting to live updates…" : null}
    </div>
  );
}
