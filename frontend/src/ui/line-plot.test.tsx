import { act, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { LinePlot } from "./line-plot";

const DAYS = ["2026-11-01", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05"];

function renderPlot() {
  render(<LinePlot title="PVP by day" days={DAYS} values={[0, 1_234, 1, 7, 2]} unit="Kills" />);
  const slider = screen.getByRole("slider", { name: "PVP by day" });
  const field = slider.parentElement as HTMLElement;
  vi.spyOn(field, "getBoundingClientRect").mockReturnValue(new DOMRect(100, 0, 400, 150));
  return { slider, field };
}
const cursor = () => screen.queryByText(/^Nov \d, 2026 UTC$/)?.parentElement?.textContent ?? null;

test("hovering the plot shows day and exact value", () => {
  const { field } = renderPlot();
  fireEvent.pointerMove(field, { clientX: 205, pointerType: "mouse" });
  expect(cursor()).toBe("Nov 2, 2026 UTC1,234 kills");
  fireEvent.pointerMove(field, { clientX: 290, pointerType: "mouse" });
  expect(cursor()).toBe("Nov 3, 2026 UTC1 kill");
  fireEvent.pointerLeave(field, { pointerType: "mouse" });
  expect(cursor()).toBeNull();
});

test("a tap shows a day until a tap elsewhere", () => {
  const { field } = renderPlot();
  fireEvent.pointerDown(field, { clientX: 490, pointerType: "touch" });
  fireEvent.pointerLeave(field, { pointerType: "touch" });
  expect(cursor()).toBe("Nov 5, 2026 UTC2 kills");
  fireEvent.pointerDown(document.body, { pointerType: "touch" });
  expect(cursor()).toBeNull();
});

test("the keyboard reaches each day with its value; Esc hides it", async () => {
  const { slider } = renderPlot();
  await userEvent.tab();
  expect(slider).toHaveFocus();
  expect(cursor()).toBe("Nov 5, 2026 UTC2 kills");
  // jsdom does not move sliders by keys.
  fireEvent.change(slider, { target: { value: "3" } });
  expect(cursor()).toBe("Nov 4, 2026 UTC7 kills");
  expect(slider).toHaveAttribute("aria-valuetext", "Nov 4, 2026 UTC: 7 kills");
  await userEvent.keyboard("{Escape}");
  expect(cursor()).toBeNull();
  act(() => slider.blur());
});

test("the legend shows the unit, that days are UTC, and the total", () => {
  renderPlot();
  expect(screen.getByText(/Kills per day, days in UTC/)).toHaveTextContent("Total 1,244");
});
