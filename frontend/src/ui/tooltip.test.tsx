import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Tooltip } from "./tooltip";

/** Longer than the pointer may take from the child to the tooltip. */
const LONG_MS = 1_000;

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

function draw() {
  const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
  render(
    <>
      <Tooltip tip="Put 100 vehicles out of action">
        {(describedBy) => (
          <button type="button" aria-describedby={describedBy}>
            Monkey business
          </button>
        )}
      </Tooltip>
      <button type="button">Next</button>
    </>,
  );
  return { user, child: screen.getByRole("button", { name: "Monkey business" }) };
}
const tip = () => screen.queryByRole("tooltip");
const wait = () => act(() => vi.advanceTimersByTime(LONG_MS));

test("a tooltip remains while the pointer is on it or its child", async () => {
  const { user, child } = draw();
  await user.hover(child);
  const shown = tip();
  expect(shown).not.toBeNull();
  await user.hover(screen.getByText("Put 100 vehicles out of action"));
  wait();
  expect(tip()).toBe(shown);
  await user.hover(screen.getByRole("button", { name: "Next" }));
  wait();
  expect(tip()).toBeNull();
});

test("Esc closes a tip that hovering opened, without moving the focus", async () => {
  const { user, child } = draw();
  await user.hover(child);
  await user.keyboard("{Escape}");
  expect(tip()).toBeNull();
  expect(document.body).toHaveFocus();
});

test("focus shows the tooltip until it leaves, wherever the pointer is", async () => {
  const { user, child } = draw();
  await user.tab();
  expect(child).toHaveAccessibleDescription("Put 100 vehicles out of action");
  await user.hover(child);
  await user.unhover(child);
  wait();
  expect(tip()).not.toBeNull();
  await user.tab();
  expect(tip()).toBeNull();
});

test("a tap shows the tooltip; a tap elsewhere closes it", async () => {
  const { child } = draw();
  const touch = { pointerType: "touch" };
  fireEvent.pointerEnter(child, touch);
  fireEvent.pointerLeave(child, touch);
  fireEvent.click(child);
  wait();
  expect(tip()).not.toBeNull();
  fireEvent.pointerDown(screen.getByRole("button", { name: "Next" }), touch);
  expect(tip()).toBeNull();
});
