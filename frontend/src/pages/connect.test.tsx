import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { UserView } from "../api/types";
import { consumeReturnPath } from "../features/sessions/return-to";
import { logIn, logOut } from "../features/sessions/session-store";
import { mockApi, renderPage } from "../test/render-page";

const user = { discord_id: "7", discord_username: "ada", handle: null } as UserView;
const login = { code: "BCDF-GHJK", name: "GAMING-PC", asked_at: 1, expires_at: 601, is_near: true };

beforeEach(async () => {
  sessionStorage.clear();
  await logOut();
});

test("signed-out users sign in first and return to the code", async () => {
  mockApi(() => undefined);
  await renderPage("/connect?code=BCDF-GHJK");
  await userEvent.click(await screen.findByRole("link", { name: "Link with Discord" }));
  expect(consumeReturnPath()).toBe("/connect?code=BCDF-GHJK");
  expect(consumeReturnPath()).toBeNull();
});

test("a return path to any other page is ignored", () => {
  for (const path of ["https://evil.test/", "//evil.test", "/connect-app", "/connect"]) {
    sessionStorage.setItem("returnTo", path);
    expect(consumeReturnPath()).toBeNull();
  }
});

test("a reader on another network shows a warning and can be denied", async () => {
  logIn(user, "token");
  mockApi((url) => {
    if (url.pathname.endsWith("/answer")) return { state: "refused" };
    return { ...login, is_near: false };
  });
  await renderPage("/connect?code=BCDF-GHJK");
  expect(await screen.findByRole("alert")).toHaveTextContent("a different network");
  await userEvent.click(screen.getByRole("button", { name: "Deny" }));
  expect(await screen.findByText(/Request denied/)).toBeVisible();
});

test("an unknown code can be typed again", async () => {
  logIn(user, "token");
  const error = "No reader waits with this code. Codes are good for ten minutes and for one use.";
  mockApi((url) =>
    url.pathname.endsWith("GOOD-CODE") ? login : { status: 404, error, code: "NOT_FOUND", success: false },
  );
  const page = await renderPage("/connect?code=OLD");
  expect(await screen.findByRole("alert")).toHaveTextContent(error);
  await userEvent.type(screen.getByLabelText("Reader code"), "good-code");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(await screen.findByText("GAMING-PC")).toBeVisible();
  expect(page.address().search).toBe("?code=GOOD-CODE");
});
