import { expect, test } from "vitest";
import { npcName, thingName } from "./game-names";

test.each([
  ["AEGS_Sabre_Comet_PU_AI_CRIM_2597483241738", "Sabre Comet"],
  ["MRAI_Guardian_MX_602567996805", "Guardian MX"],
  ["behr_rifle_ballistic_02_civilian_digi01", "behr rifle ballistic 02 civilian digi01"],
  ["Aegis Gladius", "Aegis Gladius"],
  ["Gladius", "Gladius"],
])("the thing %s is called %s", (raw, name) => expect(thingName(raw)).toBe(name));

test.each([
  ["PU_Pilots-Human-Criminal-Pilot_Light_2597483240720", "Human Criminal Pilot Light"],
  ["PU_Human_Enemy_GroundCombat_NPC_Contestedzones_grunt_2636093660430", "GroundCombat NPC Contestedzones grunt"],
  ["AIModule_Unmanned_PU_PDC_602567901611", "PDC"],
  ["Nine Tails grunt", "Nine Tails grunt"],
])("the NPC %s is called %s", (raw, name) => expect(npcName(raw)).toBe(name));
