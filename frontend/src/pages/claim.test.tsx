import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { UserView } from "../api/types";
import { resetClaim, setClaim } from "../features/claims/claim-store";
import { consumeReturnPath } from "../features/sessions/return-to";
import { currentSession, logIn, logOut } from "../features/sessions/session-store";
import { type ApiMock, mockApi, renderPage } from "../test/render-page";

const user = {
  discord_id: "7",
  discord_username: "ada",
  handle: null,
  org_short: null,
  guild_ownership: null,
} as UserView;
const started = { handle: "Kestrel", verificationCode: "APOGEE-ABCD", expectedTag: "APOGEE-ABCD", oneTimeUse: true };
const underWay = {
  active: true,
  status: "ready",
  handle: "Kestrel",
  code: "APOGEE-ABCD",
  expectedTag: "APOGEE-ABCD",
  discordId: "7",
} as const;

beforeEach(async () => {
  mockApi(() => ({}));
  await act(async () => {
    await logOut();
    resetClaim("player");
    resetClaim("guild");
    logIn(user, "t");
  });
});

const open = (respond: ApiMock, at = "/player/claim") => {
  mockApi((url, request) => respond(url, request) ?? (url.pathname === "/api/config" ? { discord: null } : undefined));
  return renderPage(at);
};

test("signed-out users see a message and a link to the link page", async () => {
  await act(() => logOut());
  await open(() => undefined);
  expect(screen.getByText("You need to be logged in with Discord to claim a player profile.")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "Link with Discord" })).toHaveAttribute("href", "/link?for=claim");
});

test("the handle that a log reader links to is filled in", async () => {
  await open(() => undefined, "/player/claim?handle=Kestrel");
  expect(screen.getByPlaceholderText("YourHandle")).toHaveValue("Kestrel");
});

test("an active claim goes straight to verify, that of another user does not", async () => {
  act(() => setClaim("player", underWay));
  const page = await open(() => undefined);
  expect(screen.getByRole("button", { name: "Verify" })).toBeInTheDocument();
  page.unmount();
  act(() => setClaim("player", { discordId: "8" }));
  await open(() => undefined);
  expect(screen.getByPlaceholderText("YourHandle")).toBeInTheDocument();
});

test("cancel removes the code here and on the server", async () => {
  act(() => setClaim("player", underWay));
  const requests: string[] = [];
  await open((url) => {
    requests.push(url.pathname);
    return {};
  });
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(await screen.findByPlaceholderText("YourHandle")).toHaveValue("");
  expect(requests).toContain("/api/player/claim/cancel");
  expect(screen.queryByText("APOGEE-ABCD")).toBeNull();
});

test.each([[{ raw: "<html>" }], [{ status: 502, raw: "<html>" }]])(
  "a start with an unreadable response fails: %j",
  async (failure) => {
    await open((url) => (url.pathname === "/api/player/claim/start" ? failure : {}));
    await userEvent.type(screen.getByPlaceholderText("YourHandle"), "Kestrel");
    await userEvent.click(screen.getByRole("button", { name: "Start Claim Process" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Failed to start claim process. Please try again.");
  },
);

test.each([
  [
    "an unreadable response",
    { raw: "<html>" },
    "Failed to verify your claim. Please make sure you added the verification code to your profile bio.",
  ],
  [
    "an error without a message",
    { status: 429, code: "RATE_LIMIT_EXCEEDED" },
    "Failed to verify your claim. Please try again.",
  ],
])("%s fails the verification and keeps the code", async (_, failure, text) => {
  act(() => setClaim("player", underWay));
  await open((url) => (url.pathname === "/api/player/claim/verify" ? failure : {}));
  await userEvent.click(screen.getByRole("button", { name: "Verify" }));
  expect(await screen.findByRole("alert")).toHaveTextContent(text);
  expect(screen.getByText("APOGEE-ABCD")).toBeInTheDocument();
  expect(currentSession().user?.handle).toBeNull();
});

test("only an unreachable server starts the demo mode, which ends with its first response", async () => {
  act(() => setClaim("player", underWay));
  await open(() => new TypeError("offline"));
  await userEvent.click(screen.getByRole("button", { name: "Verify" }));
  expect(
    await screen.findByText("Demo mode: Your Star Citizen profile has been successfully claimed!"),
  ).toBeInTheDocument();
  expect(currentSession()).toMatchObject({ local: true, user: { handle: "Kestrel" } });
  mockApi((url) => (url.pathname.startsWith("/api/link/user/") ? { user } : {}));
  const { isReachable } = await import("../api/sessions");
  await act(async () => {
    await isReachable();
  });
  await screen.findByRole("button", { name: "Go to My Profile" });
  expect(currentSession()).toMatchObject({ local: false, user: { handle: null } });
});

test("a guild is claimed for the tag in the address", async () => {
  await open((url) => {
    if (url.pathname === "/api/guild/claim/start") return { ...started, handle: "NOVA" };
    return url.pathname === "/api/guild/claim/verify" ? { message: "ok" } : undefined;
  }, "/player/claim?guild=nova");
  expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("CLAIM YOUR GUILD");
  await userEvent.click(screen.getByRole("button", { name: "Start Claim Process" }));
  await userEvent.click(await screen.findByRole("button", { name: "Verify" }));
  expect(await screen.findByText(/^Guild claimed:/)).toHaveTextContent("Guild claimed: NOVA");
  expect(currentSession().user?.guild_ownership).toBe("NOVA");
});

test("signed-out users sign in first and return to the claim of the player whom the link names", async () => {
  await act(logOut);
  await open(() => undefined, "/player/claim?handle=Kestrel");
  await userEvent.click(await screen.findByRole("link", { name: "Link with Discord" }));
  expect(consumeReturnPath()).toBe("/player/claim?handle=Kestrel");
});

test("a claimed player leads to the reading of its logs", async () => {
  await act(async () => logIn({ ...user, handle: "Kestrel" }, "t"));
  await open(() => undefined);
  expect(await screen.findByText(/^Profile claimed:/)).toHaveTextContent("Profile claimed: Kestrel");
  expect(screen.getByRole("main").querySelector("a[href='/upload']")).toHaveTextContent("Read my log");
});
