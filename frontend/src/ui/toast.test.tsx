import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Toasts, toast } from "./toast";

/** Longer than any notification is shown. */
const LONG_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

function renderToasts() {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  render(<Toasts />);
  act(() => void toast({ tone: "error", title: "Server Error" }));
  return user;
}
const wait = () => act(() => vi.advanceTimersByTime(LONG_MS));
const shown = () => screen.queryByText("Server Error");

test("a notification remains while the pointer is on it", async () => {
  const user = renderToasts();
  await user.hover(screen.getByText("Server Error"));
  wait();
  expect(shown()).not.toBeNull();
  await user.unhover(screen.getByText("Server Error"));
  wait();
  expect(shown()).toBeNull();
});

test("a notification remains while it has the focus, also after the pointer has left", async () => {
  const user = renderToasts();
  await user.tab();
  expect(screen.getByRole("button", { name: "Dismiss" })).toHaveFocus();
  await user.hover(screen.getByText("Server Error"));
  await user.unhover(screen.getByText("Server Error"));
  wait();
  expect(shown()).not.toBeNull();
  await user.tab();
  wait();
  expect(shown()).toBeNull();
});
