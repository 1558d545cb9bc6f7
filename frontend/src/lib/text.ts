// Functions for untrusted text, such as names. None returns HTML.

/** Unescapes HTML entities, also if they are escaped twice. The result is only shown as text. */
export function unescapeEntities(text: string): string {
  const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
  const unescapeOnce = (from: string) =>
    from.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi, (whole, decimal, hex, name) => {
      if (name) return entities[name.toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 31 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
  return unescapeOnce(unescapeOnce(text));
}

/** Hashes a name regardless of case (FNV-1a, 32 bits). */
export function nameHash(name: string): number {
  let hash = 0x811c9dc5;
  for (const char of name.toLowerCase()) {
    hash ^= char.codePointAt(0) ?? 0;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}

/** Splits a name at the first match of the query, ignoring case and accents: before, match, after. */
export function splitMatch(text: string, query: string): [string, string, string] {
  const folded = fold(query.trim());
  const chars = [...text];
  if (folded === "") return [text, "", ""];
  for (let start = 0; start < chars.length; start += 1) {
    let end = start;
    let seen = "";
    while (end < chars.length && seen.length < folded.length) {
      seen += fold(chars[end] ?? "");
      end += 1;
    }
    if (seen === folded)
      return [chars.slice(0, start).join(""), chars.slice(start, end).join(""), chars.slice(end).join("")];
  }
  return [text, "", ""];
}

/** Converts to lowercase without accents, as the search does. */
export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Percent-decodes a text. Invalid input is returned unchanged. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Percent-encodes a path segment. A lone surrogate becomes U+FFFD. */
export function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}

/** Returns a player's guild tag, or null. `NONE` in imported data means no guild. */
export function guildTag(tag: string | null | undefined): string | null {
  return tag && tag.toUpperCase() !== "NONE" ? tag : null;
}
