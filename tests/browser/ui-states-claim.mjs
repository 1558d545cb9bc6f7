// UI states of sign-in and claims; see `ui-states.mjs`.
import { member } from "./ui-states-account.mjs";

const DISCORD = { clientId: "42", redirectUri: "http://127.0.0.1/link", authorizeUrl: "http://127.0.0.1/authorize" };
const CONFIG = [/^GET \/api\/config/, (body) => ({ ...body, success: true, code: undefined, discord: DISCORD })];
const CALLBACK = /^POST \/api\/auth\/discord\/callback/;
const START = /^POST \/api\/player\/claim\/start/;
const VERIFY = /^POST \/api\/player\/claim\/verify/;
const CODE = "APOGEE-7KQ2M9XWRT4H";
/** Session storage of a sign-in in progress. */
const BEGUN = { oauth: JSON.stringify({ state: "s", verifier: "v" }) };
const signedIn = { user: member(), token: "a.b.c" };

/** Return from Discord, with a mocked response of the callback. */
const back = (name, reply, ...expectedTexts) => ({ name, path: "/link?code=c&state=s", sessionItems: BEGUN, mocks: [CONFIG, [CALLBACK, reply]], expectedTexts });

const start = async (page) => {
  await page.getByPlaceholder("YourHandle").fill("Kestrel_9");
  await page.getByRole("button", { name: "Start Claim Process" }).click();
};
const begin = async (page) => {
  await start(page);
  await page.getByRole("button", { name: "Verify" }).waitFor();
};
const verify = async (page) => {
  await begin(page);
  await page.getByRole("button", { name: "Verify" }).click();
};
const STARTED = [START, { handle: "Kestrel_9", verificationCode: CODE, expectedTag: CODE, oneTimeUse: true }];

export function claimStates() {
  const claiming = (name, mocks, act, ...expectedTexts) => ({ name, path: "/player/claim", user: member(), mocks, act, expectedTexts });
  return [
    { name: "link", path: "/link", mocks: [CONFIG], expectedTexts: ["LINK YOUR ACCOUNT", "Link your Discord account to access your stats and exclusive features", "Link with Discord"] },
    { name: "link, to claim", path: "/link?for=claim", mocks: [CONFIG], expectedTexts: ["You need to log in with Discord first to claim your profile."] },
    { name: "link, not configured", path: "/link", mocks: [], expectedTexts: ["Discord Link not configured.", "Please set up Discord app credentials in .env file"] },
    { name: "link, settings unavailable", path: "/link", mocks: [[/^GET \/api\/config/, { status: 500, error: "no" }]], expectedTexts: ["Failed to link with Discord"] },
    { name: "link, done", path: "/link", user: member(), mocks: [CONFIG], expectedTexts: ["You are linked as"] },
    back("sign-in, pending", "never", "Linking your account..."),
    back("sign-in, response is not JSON", { text: "<html>" }, "Unexpected response from server: 200"),
    back("sign-in, response incomplete", { token: "a.b.c" }, "Invalid response from authentication server"),
    back("sign-in, rejected", { status: 400, error: "The code was used already.", code: "VALIDATION" }, "The code was used already."),
    back("sign-in, rejected without a message", { text: '{"success":false}' }, "Failed to authenticate with Discord"),
    back("sign-in, no response", "none", "Failed to link with Discord"),
    {
      ...back("sign-in, server unreachable", "none", "You are signed in as a local user"),
      mocks: [CONFIG, [CALLBACK, "none"], [/^GET \/api\/health/, "none"]],
    },
    {
      ...back("sign-in, link request failed", signedIn, "Failed to link Discord account: 500 It is late."),
      mocks: [CONFIG, [CALLBACK, signedIn], [/^POST \/api\/link\/discord-login/, { status: 500, error: "It is late." }]],
    },
    { ...back("sign-in, settings unavailable", signedIn, "Discord link failed"), mocks: [[CALLBACK, signedIn]] },
    { name: "sign-in, started elsewhere", path: "/link?code=c&state=other", sessionItems: BEGUN, mocks: [CONFIG], expectedTexts: ["This sign-in was not started in this browser"] },
    { name: "claim, signed out", path: "/player/claim", mocks: [], expectedTexts: ["CLAIM YOUR PROFILE", "Verify ownership of your profile to access exclusive features", "You need to be logged in with Discord to claim a player profile."] },
    claiming("claim", [], undefined, "Start Claim Process"),
    claiming("claim, handle missing", [], (page) => page.getByPlaceholder("YourHandle").press("Enter"), "Please enter your Star Citizen handle"),
    {
      ...claiming("claim, account without an id", [], start, "You must be logged in with Discord to claim a player profile"),
      user: member({ discord_id: "" }),
    },
    {
      ...claiming("claim, verified by an account without an id", [], (page) => page.getByRole("button", { name: "Verify" }).click(), "You must be logged in with Discord to verify a claim"),
      user: member({ discord_id: "", handle: null }),
      localItems: { claimProcess: JSON.stringify({ active: true, handle: "Kestrel_9", code: CODE, expectedTag: CODE, status: "ready", discordId: "" }) },
    },
    claiming("claim, code pending", [[START, "never"]], start, "Generating verification code..."),
    claiming("claim, start failed", [[START, "none"]], start, "Failed to start claim process. Please try again."),
    claiming("claim, claimed by another user", [[START, { status: 409, error: "Kestrel_9 is claimed already.", code: "CONFLICT" }]], start, "Kestrel_9 is claimed already."),
    claiming("claim, code shown", [STARTED], begin, CODE, "This is a one-time verification code that will be valid until used", "Verify", "Cancel"),
    claiming("claim, verification pending", [STARTED, [VERIFY, "never"]], verify, "Verifying your profile..."),
    claiming("claim, verification failed", [STARTED, [VERIFY, "none"]], verify, "Failed to verify your claim. Please make sure you added the verification code to your profile bio."),
    claiming("claim, code not found", [STARTED, [VERIFY, { status: 400, error: `${CODE} is not in the bio of Kestrel_9.`, code: "CODE_NOT_FOUND" }]], verify, `${CODE} is not in the bio of Kestrel_9.`),
    claiming("claim, done", [STARTED, [VERIFY, { player: { handle: "Kestrel_9", org_short: "NOVA" } }]], verify, "Profile claimed: Kestrel_9", "Go to My Profile"),
    claiming("claim, server unreachable", [STARTED, [VERIFY, "none"], [/^GET \/api\/health/, "none"], [/^GET \/api\/live/, "none"]], verify, "Demo mode: Your Star Citizen profile has been successfully claimed!"),
    {
      name: "session expired",
      path: "/about",
      user: member({ handle: null }),
      mocks: [
        [/^GET \/api\/link\/user/, { status: 401, error: "", code: "TOKEN_EXPIRED" }],
        [/^POST \/api\/auth\/refresh/, { status: 401, error: "Over.", code: "UNAUTHORIZED" }],
      ],
      act: (page) => page.goto(new URL("/profile", page.url()).href),
      expectedTexts: ["Your session has expired. You will be redirected to the login page."],
    },
    {
      name: "session expired, with a message",
      path: "/about",
      user: member({ handle: null }),
      mocks: [
        [/^GET \/api\/link\/user/, { status: 401, error: "Your session has expired. Please log in again.", code: "TOKEN_EXPIRED" }],
        [/^POST \/api\/auth\/refresh/, { status: 401, error: "Over.", code: "UNAUTHORIZED" }],
      ],
      act: (page) => page.goto(new URL("/profile", page.url()).href),
      expectedTexts: ["Your session has expired. Please log in again."],
    },
    ...[
      [{ status: 500, error: "no" }, "Backend request failed: 500"],
      [{ user: null }, "User not found"],
    ].map(([reply, text]) => ({
      name: `user not refreshed: ${text}`,
      path: "/about",
      user: member({ handle: null }),
      mocks: [[/^GET \/api\/link\/user/, reply]],
      act: (page) => page.goto(new URL("/profile", page.url()).href),
      expectedTexts: [text, "CLAIM YOUR PROFILE"],
    })),
  ];
}
