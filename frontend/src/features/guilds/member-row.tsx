import { clsx } from "clsx";
import { Link } from "react-router";
import type { GuildMember } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { player } from "../../lib/paths";
import { lastActive, moment } from "../../lib/times";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { hueStyle, METRICS, type MetricName } from "../../ui/metric";
import { Name } from "../../ui/name";
import css from "./member-row.module.css";

export type MemberSort =
  | "overall"
  | "pu_player_kills"
  | "pu_npc_kills"
  | "pu_vehicle_destruction_caused"
  | "career"
  | "missions_completed"
  | "ships_flown";

interface Column<Key> {
  value: Key;
  label: string;
  metric: MetricName;
}

const FIGHTS: readonly Column<MemberSort>[] = [
  { value: "pu_player_kills", label: "PVP", metric: "pvp" },
  { value: "pu_npc_kills", label: "PVE", metric: "pve" },
  { value: "pu_vehicle_destruction_caused", label: "Vehicle Destructions", metric: "vehicles" },
];
const CONTRACTS: Column<MemberSort> = { value: "missions_completed", label: "Contracts", metric: "missions" };
const SHIPS: Column<MemberSort> = { value: "ships_flown", label: "Ships Flown", metric: "ships" };

export const MEMBER_SORTS: readonly Column<MemberSort>[] = [
  { value: "overall", label: "Overall", metric: "overall" },
  ...FIGHTS,
  { value: "career", label: "Career", metric: "career" },
  CONTRACTS,
  SHIPS,
];

/** Returns the columns beside the score, with headings that fit. */
function columnsOf(sortBy: MemberSort): readonly Column<MemberSort | "universe_time">[] {
  if (sortBy === "overall" || FIGHTS.some((column) => column.value === sortBy)) {
    return FIGHTS.map((column) => ({ ...column, label: METRICS[column.metric].label }));
  }
  return [CONTRACTS, { value: "universe_time", label: "Universe", metric: "playtime" }, { ...SHIPS, label: "Ships" }];
}

/** Returns the member's score; if the server sends no overall score, the sum of the three kinds of kills. */
export function memberScore(member: GuildMember, sortBy: MemberSort = "overall"): number {
  if (sortBy !== "overall") return member[sortBy] ?? 0;
  return member.overall ?? member.pu_player_kills + member.pu_npc_kills + member.pu_vehicle_destruction_caused;
}

/** Sorts by descending score, stably. */
export function sortMembers(members: readonly GuildMember[], sortBy: MemberSort): GuildMember[] {
  return [...members].sort((one, other) => memberScore(other, sortBy) - memberScore(one, sortBy));
}

interface MemberRowProps {
  member: GuildMember;
  position: number;
  sortBy: MemberSort;
  compact?: boolean;
}

/** A row of the member list. The whole row links to the player. */
export function MemberRow({ member, position, sortBy, compact = false }: MemberRowProps) {
  const metric = MEMBER_SORTS.find((sort) => sort.value === sortBy)?.metric ?? "overall";
  const score = memberScore(member, sortBy);
  return (
    <li className={clsx(css.row, compact && css.compact)} style={hueStyle(metric)}>
      <span className={clsx("number", css.position)}>{position}</span>
      <Image src={member.profile_image} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={36} height={36} />
      <Link to={player(member.handle)} className={css.name}>
        <Name>{member.handle}</Name>
      </Link>
      {!compact && (
        <>
          {columnsOf(sortBy).map(({ value, metric }) => (
            <span key={value} className={css.metric} style={hueStyle(metric)}>
              <FormattedNumber value={member[value] ?? 0} seconds={value === "universe_time"} />
            </span>
          ))}
          <span className={css.lastSeen} data-exact={member.last_updated ? moment(member.last_updated) : undefined}>
            {lastActive(member.last_updated)}
          </span>
        </>
      )}
      {score === 0 ? <span className="quiet">Unranked</span> : <FormattedNumber value={score} className={css.score} />}
    </li>
  );
}

/** Column headings of wide screens. */
export function MemberTableHeader({ sortBy, label }: { sortBy: MemberSort; label: string }) {
  return (
    <div className={clsx(css.row, css.header, "label")} aria-hidden="true">
      <span />
      <span />
      <span>Player</span>
      {columnsOf(sortBy).map((column) => (
        <span key={column.value} className={css.metric}>
          {column.label}
        </span>
      ))}
      <span className={css.lastSeen}>Last seen</span>
      <span className={css.score}>{label}</span>
    </div>
  );
}
