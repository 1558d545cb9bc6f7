import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { AdminState } from "../api/admin";
import type { GrantedSticker, UserView } from "../api/types";
import { logIn, logOut } from "../features/sessions/session-store";
import { mockApi, renderPage } from "../test/render-page";

const state: AdminState = {
  version: "1.2.3",
  started_at: 1_700_000_000,
  at: 1_700_003_600,
  sections: [
    {
      id: "database",
      title: "Database",
      tone: "ok",
      summary: "Answers.",
      facts: [{ label: "Size", value: 1_572_864, unit: "bytes" }],
    },
    {
      id: "upstreams",
      title: "Upstreams",
      tone: "error",
      summary: "One is down.",
      facts: [],
      rows: { heads: ["Name", "State"], rows: [["Game site", null]], acts: [[]] },
    },
    {
      id: "statsfeed",
      title: "StatsFeed channels",
      tone: "ok",
      summary: "All 1 are on.",
      facts: [],
      rows: {
        heads: ["Channel"],
        rows: [["11"]],
        acts: [[{ label: "Switch off", path: "/api/admin/statsfeed/1/off" }]],
      },
    },
  ],
  errors: [{ at: 1_700_000_100, code: "INTERNAL", message: "Broke.", request_id: "r1", path: "/api/x" }],
  visits: { days: [], pages: [], referrers: [] },
};

const stickers: GrantedSticker[] = [
  { id: "683583", name: "Banana", earned_by: "Kill a player.", is_granted: false, holder_count: 0, holders: [] },
  {
    id: "196404",
    name: "Sputnik",
    earned_by: "An admin grants it.",
    is_granted: true,
    holder_count: 1,
    holders: [{ handle: "Ann-1", granted_at: 1_700_000_000 }],
  },
];

beforeEach(async () => {
  mockApi(() => ({}));
  await act(() => logOut());
});

const signIn = () => act(() => logIn({ discord_id: "7", discord_username: "ada", handle: null } as UserView, "t"));

test("signed-out users see the sign-in, and no request is sent", async () => {
  const requests: string[] = [];
  mockApi((url) => {
    requests.push(url.pathname);
    return {};
  });
  await renderPage("/admin");
  expect(await screen.findByText("Sign In Required")).toBeInTheDocument();
  expect(requests).not.toContain("/api/admin/state");
});

test("users who are not admins see a message", async () => {
  signIn();
  mockApi(() => ({ status: 403, error: "This is for admins.", code: "FORBIDDEN" }));
  await renderPage("/admin");
  expect(await screen.findByText("Access Denied")).toBeInTheDocument();
  expect(screen.getByText("This is for admins.")).toBeInTheDocument();
});

/** The response to the requests of the page's sections. */
function responseOf(url: URL): object {
  if (url.pathname === "/api/admin/stickers") return { stickers };
  if (url.pathname === "/api/admin/moderation") return { data: [], next: null };
  return url.pathname === "/api/admin/state" ? { state } : {};
}

test("an admin sees all sections, their states and errors, and can copy them", async () => {
  signIn();
  mockApi(responseOf);
  await renderPage("/admin");
  expect(await screen.findByRole("region", { name: "Database" })).toHaveTextContent("OK");
  expect(screen.getByText("1.5 MB")).toBeInTheDocument();
  expect(screen.getByRole("region", { name: "Upstreams" })).toHaveTextContent("Error");
  expect(screen.getByRole("cell", { name: "none" })).toBeInTheDocument();
  expect(screen.getByText("Broke.")).toBeInTheDocument();
  expect(screen.getByText("No visits recorded yet.")).toBeInTheDocument();
  expect(await screen.findByRole("region", { name: "Moderation" })).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Copy diagnostics" })).toBeInTheDocument();
});

test("an action sends a request and refetches the status", async () => {
  signIn();
  const calls: string[] = [];
  mockApi((url, request) => {
    calls.push(`${request.method} ${url.pathname}`);
    return responseOf(url);
  });
  await renderPage("/admin");
  await userEvent.click(await screen.findByRole("button", { name: "Switch off: 11" }));
  await waitFor(() => {
    const actionIndex = calls.indexOf("POST /api/admin/statsfeed/1/off");
    expect(actionIndex).toBeGreaterThan(-1);
    expect(calls.slice(actionIndex + 1)).toContain("GET /api/admin/state");
  });
});

test("a sticker is granted and revoked after a confirmation", async () => {
  signIn();
  const calls: string[] = [];
  mockApi((url, request) => {
    if (request.method !== "GET") calls.push(`${request.method} ${url.pathname}`);
    return responseOf(url);
  });
  await renderPage("/admin");
  const form = await screen.findByRole("button", { name: "Grant sticker" });
  expect(form).toBeDisabled();
  expect(screen.getByRole("combobox", { name: "Sticker" })).toHaveDisplayValue("Sputnik");
  await userEvent.type(screen.getByRole("textbox", { name: "Player" }), "Bob-1");
  await userEvent.click(form);
  expect(calls).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(calls).toEqual([]);
  await userEvent.click(form);
  await userEvent.click(screen.getByRole("button", { name: "Grant" }));
  await waitFor(() => expect(calls).toEqual(["POST /api/admin/stickers/196404/players/Bob-1"]));
  await userEvent.click(screen.getByText("Granted to 1"));
  await userEvent.click(screen.getByRole("button", { name: "Revoke Sputnik from Ann-1" }));
  await userEvent.click(screen.getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(calls).toHaveLength(2));
  expect(calls[1]).toBe("DELETE /api/admin/stickers/196404/players/Ann-1");
});
