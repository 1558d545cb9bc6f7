import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mockApi } from "../../test/render-page";
import { UpdateNotice } from "./update-notice";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("an upgrade shows a notice, and the same version does not", async () => {
  let version = "1.0.0";
  mockApi(() => ({ version }));
  render(<UpdateNotice />);
  await act(() => vi.advanceTimersByTimeAsync(305_000));
  expect(screen.queryByText("A new version is available.")).toBeNull();
  version = "1.0.1";
  await act(() => vi.advanceTimersByTimeAsync(300_000));
  expect(screen.getByText("A new version is available.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Reload" })).toBeInTheDocument();
});

test("an unreachable server is not an upgrade", async () => {
  mockApi(() => new TypeError("offline"));
  render(<UpdateNotice />);
  await act(() => vi.advanceTimersByTimeAsync(700_000));
  expect(screen.queryByText("A new version is available.")).toBeNull();
});
