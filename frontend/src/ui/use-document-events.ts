import { useEffect } from "react";

type Listeners = { [Type in keyof DocumentEventMap]?: (event: DocumentEventMap[Type]) => void };

/** Listens to events of the document while `isActive`, before its elements receive them. */
export function useDocumentEvents(listeners: Listeners, isActive = true): void {
  // Subscribes again after each render, so that the listeners use the current state.
  useEffect(() => {
    if (!isActive) return;
    const subscription = new AbortController();
    for (const [type, listener] of Object.entries(listeners))
      document.addEventListener(type, listener as EventListener, { capture: true, signal: subscription.signal });
    return () => subscription.abort();
  });
}
