// Where the reports of an event contradict each other.
import type { ActivityRow, EventEvidence } from "../../api/types";
import { counted } from "../../lib/numbers";

/** Labels of the fields that reports can contradict, and the event's own values if its row has them. */
const FIELDS: Record<string, { label: string; of?: (row: ActivityRow) => string | null }> = {
  game_mode: { label: "Game mode", of: (row) => row.game_mode },
  sub_game_mode: { label: "Match", of: (row) => row.sub_game_mode },
  weapon: { label: "Weapon", of: (row) => row.weapon },
  vehicle_name: { label: "Vehicle", of: (row) => row.vehicle_name },
  damage_type: { label: "Damage", of: (row) => row.damage_type },
  zone: { label: "Place" },
  contract_id: { label: "Contract id", of: (row) => row.contract_id },
  contract_name: { label: "Contract", of: (row) => row.contract_name },
  patch: { label: "Patch", of: (row) => row.patch },
};

/** A field of one report with another value than the event's. */
export interface Difference {
  field: string;
  label: string;
  value: string;
}

export function differencesOf(differs: Record<string, unknown>): Difference[] {
  return Object.entries(differs).map(([field, value]) => ({
    field,
    label: labelOf(field),
    value: String(value),
  }));
}

/**
 * One sentence per contradicted field: `Game mode: 1 of 3 reports says AC instead of PU.` The others do not contradict the event;
 * they may leave the field out.
 */
export function contradictionsOf(row: ActivityRow, { reports }: EventEvidence): string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const report of reports) {
    for (const { field, value } of differencesOf(report.differs)) {
      const values = counts.get(field) ?? new Map<string, number>();
      counts.set(field, values.set(value, (values.get(value) ?? 0) + 1));
    }
  }
  return [...counts].map(([field, values]) => {
    const own = FIELDS[field]?.of?.(row);
    const said = [...values].map(
      ([value, count]) => `${count} of ${counted(reports.length, "report")} ${count === 1 ? "says" : "say"} ${value}`,
    );
    return `${labelOf(field)}: ${said.join(", ")}${own ? ` instead of ${own}` : ""}.`;
  });
}

const labelOf = (field: string) => FIELDS[field]?.label ?? field.replaceAll("_", " ");
