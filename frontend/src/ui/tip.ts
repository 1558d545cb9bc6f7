// Position and dismissal of all tooltips.
import { useDocumentEvents } from "./use-document-events";

/** The time for the pointer to move from the element to its tooltip. */
export const LEAVE_DELAY_MS = 200;

export interface TipPosition {
  x: number;
  y: number;
  above: boolean;
}

/** Returns the position of a tooltip: below an element, or above it in the lower half of the window. */
export function tipPosition(element: Element, gapPx = 0): TipPosition {
  const box = element.getBoundingClientRect();
  const above = box.top > window.innerHeight / 2;
  return { x: box.left + box.width / 2, y: above ? box.top - gapPx : box.bottom + gapPx, above };
}

/** Hides a tooltip on Esc, on a press outside, and on scrolling, since its position is fixed. */
export function useTipDismissal(isShown: boolean, isInside: (target: Node) => boolean, hide: () => void): void {
  const keydown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    // An underlying dialog remains open.
    event.stopPropagation();
    event.preventDefault();
    hide();
  };
  const pointerdown = ({ target }: Event) => {
    if (!isInside(target as Node)) hide();
  };
  useDocumentEvents({ keydown, pointerdown, scroll: hide }, isShown);
}
