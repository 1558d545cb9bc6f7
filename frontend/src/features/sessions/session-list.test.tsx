import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { SessionView, UserView } from "../../api/types";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { SessionList } from "./session-list";
import { currentSession, logIn, logOut } from "./session-store";

const AT = 1_760_000_000;
const session = (id: string, more: Partial<SessionView> = {}): SessionView => ({
  id,
  device: "Firefox on Windows",
  created_at: AT,
  last_seen_at: AT,
  is_current: false,
  ...more,
});

beforeEach(async () => {
  mockApi(() => ({}));
  await act(async () => {
    await logOut();
    logIn({ discord_id: "7", discord_username: "ada" } as UserView, "t");
  });
});

/** Serves these sessions, except those that have ended. Returns the calls that change something. */
function sessions(...all: SessionView[]): string[] {
  const calls: string[] = [];
  let open = all;
  mockApi((url, request) => {
    if (request.method === "GET") return { sessions: open };
    calls.push(`${request.method} ${url.pathname}`);
    open = open.filter(({ id }) => !url.pathname.endsWith(`/${id}`));
    return { ended: 1 };
  });
  return calls;
}

test("sessions are listed with the current one marked, and one is ended after a confirmation", async () => {
  const calls = sessions(session("a", { is_current: true }), session("b", { device: null }));
  renderWithProviders(<SessionList />);
  const list = await screen.findByRole("list", { name: "Your sessions" });
  const [current, other] = within(list).getAllByRole("listitem");
  expect(current).toHaveTextContent("This browser");
  expect(other).toHaveTextContent("Unknown browser");
  expect(other).not.toHaveTextContent("This browser");
  await userEvent.click(screen.getByRole("button", { name: "Sign out Unknown browser" }));
  expect(calls).toEqual([]);
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
  await userEvent.click(screen.getByRole("button", { name: "Sign out Unknown browser" }));
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Sign out" }));
  await expect.poll(() => screen.queryByText("Unknown browser")).toBeNull();
  expect(calls).toEqual(["DELETE /api/me/sessions/b"]);
  expect(currentSession().user?.discord_id).toBe("7");
});

test("ending the current session signs out of this browser", async () => {
  const calls = sessions(session("a", { is_current: true }));
  renderWithProviders(<SessionList />);
  await userEvent.click(await screen.findByRole("button", { name: "Sign out Firefox on Windows" }));
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Sign out" }));
  await expect.poll(() => currentSession().user).toBeNull();
  expect(calls).toEqual(["DELETE /api/me/sessions/a"]);
});
