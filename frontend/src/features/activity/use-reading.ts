// How the user reads a feed: with the pointer or the focus in it, scrolled down, or by keyboard.
import {
  type PointerEvent,
  type FocusEvent as ReactFocusEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";

/** Reports whether the mouse or the focus is in a list, and the `data-id` of the item with the focus. */
export function useUserInside() {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const handlers = {
    onPointerEnter: (event: PointerEvent) => event.pointerType === "mouse" && setHovered(true),
    onPointerLeave: () => setHovered(false),
    onFocus: (event: ReactFocusEvent) => {
      setFocused(true);
      setFocusedId(event.target.closest("li")?.dataset.id ?? null);
    },
    onBlur: (event: ReactFocusEvent) => {
      if (event.currentTarget.contains(event.relatedTarget)) return;
      setFocused(false);
      setFocusedId(null);
    },
  };
  return { isInside: isHovered || isFocused, focusedId, handlers };
}

/**
 * Returns a function that moves the focus to the first of the rows that are appended next: the button that loads them
 * disappears with the focus on it.
 */
export function useFocusFirstAppended(list: RefObject<HTMLElement | null>, rowCount: number): () => void {
  const pendingIndex = useRef<number | null>(null);
  useEffect(() => {
    const index = pendingIndex.current;
    if (index === null || rowCount <= index) return;
    pendingIndex.current = null;
    list.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus();
  }, [list, rowCount]);
  return () => {
    pendingIndex.current = rowCount;
  };
}

/** Reports whether the page is scrolled past the sticky element at the top of the list. */
export function useScrolledPast(ref: RefObject<HTMLElement | null>): boolean {
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    const element = ref.current;
    const container = element?.parentElement;
    if (!element || !container) return;
    // Its sticky position, below other sticky elements.
    const top = Number.parseFloat(getComputedStyle(element).top) || 0;
    const check = () => setAway(container.getBoundingClientRect().top < top - 1);
    check();
    window.addEventListener("scroll", check, { passive: true });
    window.addEventListener("resize", check);
    return () => {
      window.removeEventListener("scroll", check);
      window.removeEventListener("resize", check);
    };
  }, [ref]);
  return isAway;
}

/** Reports whether the keyboard focus is in an element or after it. Automatic loading would then move what Tab reaches next. */
export function useKeyboardAtOrAfter(element: RefObject<HTMLElement | null>): boolean {
  const [isBelow, setBelow] = useState(false);
  useEffect(() => {
    const enter = ({ target }: FocusEvent) => {
      const { current } = element;
      if (!(target instanceof Element) || !current) return;
      const position = current.compareDocumentPosition(target);
      const isAtOrAfter = position & (Node.DOCUMENT_POSITION_CONTAINED_BY | Node.DOCUMENT_POSITION_FOLLOWING);
      setBelow(isAtOrAfter !== 0 && target.matches(":focus-visible"));
    };
    const leave = ({ relatedTarget }: FocusEvent) => relatedTarget === null && setBelow(false);
    document.addEventListener("focusin", enter);
    document.addEventListener("focusout", leave);
    return () => {
      document.removeEventListener("focusin", enter);
      document.removeEventListener("focusout", leave);
    };
  }, [element]);
  return isBelow;
}
