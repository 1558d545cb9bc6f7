// Converts weapons and vehicles to rows of `UsageTable`.
import type { VehicleRow, WeaponRow } from "../../api/types";
import type { UsageRow } from "./usage-table";

export function weaponRow(row: WeaponRow): UsageRow {
  const shots = row.headshotPercentage;
  return {
    id: row.id,
    name: row.name,
    type: row.type || "Weapon",
    value: row.kills ?? row.usage_count ?? 0,
    extra: shots === null || shots === undefined ? undefined : `${shots.toFixed(1)}%`,
  };
}

export function vehicleRow(row: VehicleRow): UsageRow {
  return { id: row.id, name: row.name, type: row.type || "Vehicle", value: row.timesEntered ?? row.usage_count ?? 0 };
}
