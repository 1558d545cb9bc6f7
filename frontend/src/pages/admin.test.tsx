import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { AdminState } from "../api/admin";
import type { UserView } from "../api/types";
import { logIn, logOut } from "../features/sessions/session-store";
import { answer, renderPage } from "../test/render-page";
import Admin from "./admin";

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

beforeEach(async () => {
  answer(() => ({}));
  await act(() => logOut());
});

const signIn = () => act(() => logIn({ discord_id: "7", discord_username: "ada", handle: null } as UserView, "t"));

test("who is not signed in is asked to, and the server is not", async () => {
  const asked: string[] = [];
  answer((url) => {
    asked.push(url.pathname);
    return {};
  });
  renderPage(Admin, "/admin");
  expect(await screen.findByText("Sign In Required")).toBeInTheDocument();
  expect(asked).not.toContain("/api/admin/state");
});

test("who is no admin is told so", async () => {
  signIn();
  answer(() => ({ status: 403, error: "This is for admins.", code: "FORBIDDEN" }));
  renderPage(Admin, "/admin");
  expect(await screen.findByText("Access Denied")).toBeInTheDocument();
  expect(screen.getByText("This is for admins.")).toBeInTheDocument();
});

test("an admin sees each part with its state in words, the errors, and may copy it all", async () => {
  signIn();
  answer(() => ({ state }));
  renderPage(Admin, "/admin");
  expect(await screen.findByRole("region", { name: "Database" })).toHaveTextContent("Fine");
  expect(screen.getByText("1.5 MB")).toBeInTheDocument();
  expect(screen.getByRole("region", { name: "Upstreams" })).toHaveTextContent("Broken");
  expect(screen.getByRole("cell", { name: "none" })).toBeInTheDocument();
  expect(screen.getByText("Broke.")).toBeInTheDocument();
  expect(screen.getByText("Nobody was counted yet.")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Copy diagnostics" })).toBeInTheDocument();
});

test("what may be done is done by a call, and the page is asked anew", async () => {
  signIn();
  const calls: string[] = [];
  answer((url, init) => {
    calls.push(`${init.method ?? "GET"} ${url.pathname}`);
    return url.pathname === "/api/admin/state" ? { state } : {};
  });
  renderPage(Admin, "/admin");
  await userEvent.click(await screen.findByRole("button", { name: "Switch off: 11" }));
  await vi.waitFor(() => {
    const acted = calls.indexOf("POST /api/admin/statsfeed/1/off");
    expect(acted).toBeGreaterThan(-1);
    expect(calls.slice(acted + 1)).toContain("GET /api/admin/state");
  });
});
