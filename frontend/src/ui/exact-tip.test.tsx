import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import ExactTip from "./exact-tip";
import { FormattedNumber } from "./formatted-number";

/** Longer than the pointer may take from the number to the tooltip. */
const LONG_MS = 1_000;
const EXACT = "1,234,567";
const tip = () => screen.queryByText(EXACT, { selector: "[data-above]" });
const follow = vi.fn();

beforeEach(
  () =>
    void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"] }),
);
afterEach(() => {
  vi.useRealTimers();
  follow.mockReset();
  Reflect.deleteProperty(document, "elementsFromPoint");
});

/** A leaderboard row that is covered by a link. */
function draw() {
  render(
    <>
      <ul>
        <li>
          <a href="#row">
            Vexa <FormattedNumber value={1_234_567} />
          </a>
        </li>
      </ul>
      <p>elsewhere</p>
      <ExactTip />
    </>,
  );
  const figure = document.querySelector("[data-exact]") as HTMLElement;
  const link = screen.getByRole("link");
  link.addEventListener("click", follow);
  return { figure, link, elsewhere: screen.getByText("elsewhere") };
}

function tap(target: Element) {
  fireEvent.pointerDown(target, { pointerType: "touch" });
  fireEvent.click(target);
}

function pointAt(...elements: Element[]) {
  Object.assign(document, { elementsFromPoint: () => elements });
  fireEvent.pointerMove(document, { pointerType: "mouse" });
  act(() => vi.advanceTimersByTime(LONG_MS));
}

test("a tap on an abbreviated number shows the exact value and follows no link; a tap elsewhere hides it", () => {
  const { figure, elsewhere } = draw();
  tap(figure);
  expect(tip()).not.toBeNull();
  expect(follow).not.toHaveBeenCalled();
  tap(elsewhere);
  expect(tip()).toBeNull();
});

test("a tap beside the number follows the link", () => {
  const { link } = draw();
  tap(link);
  expect(follow).toHaveBeenCalledTimes(1);
  expect(tip()).toBeNull();
});

test("hovering a number below a link shows its exact value; Esc hides it", () => {
  const { figure, link, elsewhere } = draw();
  pointAt(link, figure);
  const shown = tip();
  expect(shown).not.toBeNull();
  pointAt(shown as Element);
  expect(tip()).not.toBeNull();
  pointAt(elsewhere);
  expect(tip()).toBeNull();
  pointAt(link, figure);
  fireEvent.keyDown(document, { key: "Escape" });
  expect(tip()).toBeNull();
});

test("a number below something else, such as a dialog, shows nothing", () => {
  const { figure, elsewhere } = draw();
  pointAt(elsewhere, figure);
  expect(tip()).toBeNull();
});
