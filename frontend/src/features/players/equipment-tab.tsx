// The weapons and vehicles tabs: usage by game mode. Loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { playerVehiclesQuery, playerWeaponsQuery } from "../../api/players";
import type { GameMode } from "../../api/types";
import { Select } from "../../ui/select";
import { EmptyState } from "../../ui/states";
import css from "./section.module.css";
import { TableSkeleton } from "./table-skeleton";
import { vehicleRow, weaponRow } from "./usage-rows";
import { UsageTable } from "./usage-table";

const MODES: readonly { value: GameMode; label: string }[] = [
  { value: "PU", label: "Persistent universe" },
  { value: "AC", label: "Arena commander" },
];
const INITIAL_ROWS = 4;

export default function EquipmentTab({ handle, kind }: { handle: string; kind: "weapons" | "vehicles" }) {
  const [params, setParams] = useSearchParams();
  const mode: GameMode = params.get("mode") === "AC" ? "AC" : "PU";
  const setMode = (to: GameMode) =>
    setParams(to === "PU" ? {} : { mode: to }, { replace: true, preventScrollReset: true });
  return (
    <section aria-labelledby="equipment">
      <div className={css.head}>
        <h2 id="equipment">{kind === "weapons" ? "Weapons" : "Vehicles"}</h2>
        <Select label="Mode" value={mode} options={MODES} onChange={setMode} />
      </div>
      {kind === "weapons" ? (
        <Weapons key={mode} handle={handle} mode={mode} />
      ) : (
        <Vehicles key={mode} handle={handle} mode={mode} />
      )}
    </section>
  );
}

function Weapons({ handle, mode }: { handle: string; mode: GameMode }) {
  const { data, isLoadingError } = useQuery(playerWeaponsQuery(handle, mode));
  if (!data && !isLoadingError) return <TableSkeleton rows={INITIAL_ROWS} />;
  const rows = (data ?? []).map(weaponRow);
  if (rows.length === 0)
    return <EmptyState title="No weapons recorded">Weapons appear here after kills with them.</EmptyState>;
  return (
    <UsageTable
      title="Weapons by kills"
      headings={{ name: "Weapon", value: "Kills", extra: "Headshots" }}
      rows={rows}
      metric="pvp"
      initialRows={INITIAL_ROWS}
    />
  );
}

function Vehicles({ handle, mode }: { handle: string; mode: GameMode }) {
  const { data, isLoadingError } = useQuery(playerVehiclesQuery(handle, mode));
  if (!data && !isLoadingError) return <TableSkeleton rows={INITIAL_ROWS} />;
  const rows = (data ?? []).map(vehicleRow);
  if (rows.length === 0)
    return <EmptyState title="No vehicles recorded">Vehicles appear here when the player enters them.</EmptyState>;
  return (
    <UsageTable
      title="Vehicles by times entered"
      headings={{ name: "Vehicle", value: "Entered" }}
      rows={rows}
      metric="vehicles"
      initialRows={INITIAL_ROWS}
    />
  );
}
