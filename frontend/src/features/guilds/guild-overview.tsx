import type { ReactNode } from "react";
import { Link } from "react-router";
import type { GuildStats, GuildView } from "../../api/types";
import { percent } from "../../lib/numbers";
import { guild as pathTo } from "../../lib/paths";
import { FormattedNumber } from "../../ui/formatted-number";
import { ProportionBar } from "../../ui/proportion-bar";
import { rankText, StatStrip } from "../../ui/stat-strip";
import { EmptyState } from "../../ui/states";
import css from "./guild-overview.module.css";
import { MemberRow, sortMembers } from "./member-row";
import { RosterNote } from "./roster-note";

const TOP_MEMBERS = 5;

interface GuildOverviewProps {
  guild: GuildView;
  stats: GuildStats;
  /** The recent activity section, rendered by the page. */
  recent: ReactNode;
}

/** The first tab: statistics, top members and recent activity. */
export function GuildOverview({ guild, stats, recent }: GuildOverviewProps) {
  const { pu_player_kills: pvp, pu_npc_kills: pve, pu_vehicle_destruction_caused: vehicles } = stats;
  const overall = pvp + pve + vehicles;
  return (
    <>
      <StatStrip
        label="Scores and ranks"
        stats={[
          { metric: "overall", value: overall, note: rankNote(guild.rank_overall) },
          { metric: "pvp", value: pvp, note: rankNote(guild.rank_pvp) },
          { metric: "pve", value: pve, note: rankNote(guild.rank_pve) },
          { metric: "vehicles", value: vehicles, note: rankNote(guild.rank_vehicle) },
        ]}
      />
      <div className={css.columns}>
        <div className={css.main}>
          <TopMembers guild={guild} />
          {recent}
        </div>
        <section aria-labelledby="guild-overview" className={css.side}>
          <h2 id="guild-overview">Guild Overview</h2>
          <ProportionBar
            title="Share of PVP, PVE and vehicles"
            parts={[
              { metric: "pvp", value: pvp },
              { metric: "pve", value: pve },
              { metric: "vehicles", value: vehicles },
            ]}
          />
          <dl className={css.list}>
            <StatLine
              label="Playtime hours"
              value={guild.playtime === undefined ? null : Math.round(guild.playtime / 3_600)}
            />
            <StatLine label="Total operations" value={guild.missions_completed ?? null} />
            <StatLine label="Players killed" value={pvp} share={percent(pvp, overall)} />
            <StatLine label="NPCs killed" value={pve} share={percent(pve, overall)} />
            <StatLine label="Vehicles destroyed" value={vehicles} share={percent(vehicles, overall)} />
            <StatLine label="Members" value={guild.member_count} />
            {guild.active_member_count !== undefined && (
              <StatLine
                label="Active in 30 days"
                value={guild.active_member_count}
                share={percent(guild.active_member_count, guild.member_count)}
              />
            )}
            {guild.member_count > 0 && (
              <StatLine label="Score per member" value={Math.round(overall / guild.member_count)} />
            )}
          </dl>
          <RosterNote roster={guild.roster} />
        </section>
      </div>
    </>
  );
}

function TopMembers({ guild }: { guild: GuildView }) {
  const members = sortMembers(guild.top_members, "overall").slice(0, TOP_MEMBERS);
  return (
    <section aria-labelledby="top-members">
      <div className={css.head}>
        <h2 id="top-members">Top Members</h2>
        <Link to={pathTo(guild.short, "players")} state={{ keepScroll: true }}>
          View All
        </Link>
      </div>
      {members.length === 0 ? (
        <EmptyState title="No members yet">
          <p>Players who list this guild on the game's site appear here.</p>
        </EmptyState>
      ) : (
        <ol role="list">
          {members.map((member, index) => (
            <MemberRow key={member.handle} member={member} position={index + 1} sortBy="overall" compact />
          ))}
        </ol>
      )}
    </section>
  );
}

const rankNote = (rank: number | null | undefined) => (rank === undefined ? "" : rankText(rank));

function StatLine({ label, value, share }: { label: string; value: number | null; share?: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {share !== undefined && <span className="quiet">{share}%</span>}
        {value === null ? <span title="Not known">–</span> : <FormattedNumber value={value} className={css.number} />}
      </dd>
    </div>
  );
}
