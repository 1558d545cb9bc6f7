// Which invite links a guild may show. The server checks the same.

const ALLOWED_PREFIXES = ["https://discord.gg/", "https://discord.com/invite/"];

/** What is wrong with an invite link, or null. None at all is fine. */
export function inviteProblem(link: string): string | null {
  const text = link.trim();
  return text === "" || ALLOWED_PREFIXES.some((start) => text.startsWith(start))
    ? null
    : "Discord link must start with https://discord.gg/";
}
