import { clsx } from "clsx";
import { Link } from "react-router";
import type { GuildMember } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { player } from "../../lib/paths";
import { lastActive, moment } from "../../lib/times";
import { FormattedNumber } from "../../ui/formatted-number";
import { Image } from "../../ui/image";
import { hueStyle, type MetricName } from "../../ui/metric";
import { Name } from "../../ui/name";
import css from "./member-row.module.css";

export type MemberSort = "overall" | "pu_player_kills" | "pu_npc_kills" | "pu_vehicle_destruction_caused";

export const MEMBER_SORTS: readonly { value: MemberSort; label: string; metric: MetricName }[] = [
  { value: "overall", label: "Overall", metric: "overall" },
  { value: "pu_player_kills", label: "PVP", metric: "pvp" },
  { value: "pu_npc_kills", label: "PVE", metric: "pve" },
  { value: "pu_vehicle_destruction_caused", label: "Vehicle Destructions", metric: "vehicles" },
];

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
          {MEMBER_SORTS.slice(1).map((sort) => (
            <span key={sort.value} className={css.metric} style={hueStyle(sort.metric)}>
              <FormattedNumber value={memberScore(member, sort.value)} />
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
export function MemberTableHeader({ label }: { label: string }) {
  return (
    <div className={clsx(css.row, css.header, "label")} aria-hidden="true">
      <span />
      <span />
      <span>Player</span>
      <span className={css.metric}>PVP</span>
      <span className={css.metric}>PVE</span>
      <span className={css.metric}>Vehicles</span>
      <span className={css.lastSeen}>Last seen</span>
      <span className={css.score}>{label}</span>
    </div>
  );
}
