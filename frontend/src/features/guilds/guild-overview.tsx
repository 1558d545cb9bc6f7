import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { guildCareerQuery } from "../../api/guilds";
import { openingSort } from "../../api/opening";
import type { GuildStats, GuildView } from "../../api/types";
import { exact, percent } from "../../lib/numbers";
import { guild as pathTo } from "../../lib/paths";
import { BarTable } from "../../ui/bar-table";
import { FormattedNumber } from "../../ui/formatted-number";
import { ProportionBar } from "../../ui/proportion-bar";
import { rankText, StatStrip } from "../../ui/stat-strip";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
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
  const isCareer = guild.opens_on_career;
  const hasFights = overall > 0 || !isCareer;
  return (
    <>
      {isCareer && <Career guild={guild} stats={stats} />}
      {hasFights && (
        <StatStrip
          label="Scores and ranks"
          stats={[
            { metric: "overall", value: overall, note: rankNote(guild.rank_overall) },
            { metric: "pvp", value: pvp, note: rankNote(guild.rank_pvp) },
            { metric: "pve", value: pve, note: rankNote(guild.rank_pve) },
            { metric: "vehicles", value: vehicles, note: rankNote(guild.rank_vehicle) },
          ]}
        />
      )}
      {!isCareer && stats.career > 0 && <Career guild={guild} stats={stats} />}
      <div className={css.columns}>
        <div className={css.main}>
          <TopMembers guild={guild} />
          <Givers tag={guild.short} />
          {recent}
        </div>
        <section aria-labelledby="guild-overview" className={css.side}>
          <h2 id="guild-overview">Guild Overview</h2>
          {hasFights && (
            <ProportionBar
              title="Share of PVP, PVE and vehicles"
              parts={[
                { metric: "pvp", value: pvp },
                { metric: "pve", value: pve },
                { metric: "vehicles", value: vehicles },
              ]}
            />
          )}
          <dl className={css.list}>
            <StatLine
              label="Playtime hours"
              value={guild.playtime === undefined ? null : Math.round(guild.playtime / 3_600)}
            />
            <StatLine label="Total operations" value={guild.missions_completed ?? null} />
            {hasFights && (
              <>
                <StatLine label="Players killed" value={pvp} share={percent(pvp, overall)} />
                <StatLine label="NPCs killed" value={pve} share={percent(pve, overall)} />
                <StatLine label="Vehicles destroyed" value={vehicles} share={percent(vehicles, overall)} />
              </>
            )}
            <StatLine label="Members" value={guild.member_count} />
            {guild.active_member_count !== undefined && (
              <StatLine
                label="Active in 30 days"
                value={guild.active_member_count}
                share={percent(guild.active_member_count, guild.member_count)}
              />
            )}
            {guild.member_count > 0 && (
              <StatLine
                label={isCareer ? "Career per member" : "Score per member"}
                value={Math.round((isCareer ? stats.career : overall) / guild.member_count)}
              />
            )}
          </dl>
          <RosterNote roster={guild.roster} />
        </section>
      </div>
    </>
  );
}

/** The career of all members together. */
function Career({ guild, stats }: Pick<GuildOverviewProps, "guild" | "stats">) {
  return (
    <StatStrip
      label="Career"
      stats={[
        { metric: "career", value: stats.career, note: rankNote(guild.rank_career) },
        { metric: "missions", label: "Contracts", value: stats.missions_completed, note: "completed" },
        {
          metric: "playtime",
          label: "Universe Time",
          value: stats.universe_time,
          seconds: true,
          note: "of all members",
        },
      ]}
    />
  );
}

function Givers({ tag }: { tag: string }) {
  const { data, isLoadingError, refetch } = useQuery(guildCareerQuery(tag));
  if (isLoadingError) return <ErrorState title="The givers could not be loaded" onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={120} />;
  const most = Math.max(1, ...data.givers.map((row) => row.completed));
  return (
    <BarTable
      title="Contracts by giver"
      empty="No member has ended a contract yet."
      hue="missions"
      heads={["Giver", "Failed", "Abandoned", "Done"]}
      narrow={[1, 3]}
      rows={data.givers.map(({ giver, completed, failed, abandoned }) => ({
        name: giver ?? "Unknown giver",
        part: completed / most,
        cells: [exact(failed), exact(abandoned), exact(completed)],
      }))}
    />
  );
}

function TopMembers({ guild }: { guild: GuildView }) {
  const members = sortMembers(guild.top_members, openingSort()).slice(0, TOP_MEMBERS);
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
            <MemberRow key={member.handle} member={member} position={index + 1} sortBy={openingSort()} compact />
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
