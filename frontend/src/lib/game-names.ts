// Names of things as the game's log writes them, made readable where the server knew no better one. Called by feeds
// and lists; a name that is readable already comes back as it is. No table of names belongs here: the server has them.

const ENTITY_ID = /_\d{5,}$/;
const CREW = /_(?:PU|EA)_AI_\w*$/i;
const MAKER = /^[A-Z]{3,4}_(?=[A-Za-z0-9])/;
const NPC_PREFIX =
  /^(?:PU_Human(?:_Enemy|_Populace)?_?|PU-Human-?|PU_Pilots-?|NPC_Archetypes-?|AIModule_Unmanned_(?:PU_)?)/;

/** `AEGS_Sabre_Comet_PU_AI_CRIM_2597483241738` becomes `Sabre Comet`. */
export function thingName(raw: string): string {
  if (/\s/.test(raw) || !raw.includes("_")) return raw;
  return spaced(raw.replace(ENTITY_ID, "").replace(CREW, "").replace(MAKER, "")) || raw;
}

/** `PU_Pilots-Human-Criminal-Pilot_Light_2597483240720` becomes `Human Criminal Pilot Light`. */
export function npcName(raw: string): string {
  if (/\s/.test(raw)) return raw;
  return spaced(raw.replace(ENTITY_ID, "").replace(NPC_PREFIX, "")) || raw;
}

function spaced(text: string): string {
  return text.replace(/[_-]+/g, " ").trim();
}
