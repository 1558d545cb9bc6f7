// Validation of guild invite links. The server applies the same rules.

const ALLOWED_PREFIXES = ["https://discord.gg/", "https://discord.com/invite/"];

/** Returns what is wrong with an invite link, or null. Empty is allowed. */
export function inviteProblem(link: string): string | null {
  const text = link.trim();
  return text === "" || ALLOWED_PREFIXES.some((start) => text.startsWith(start))
    ? null
    : "Discord link must start with https://discord.gg/";
}
