// A guild's page: header, tabs and dialog. Tabs other than the overview, and the dialog, are loaded on demand.
import { type QueryClient, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Navigate, useParams } from "react-router";
import { asApiError } from "../api/errors";
import { guildProfileQuery, guildStatsQuery, viewGuild } from "../api/guilds";
import { guildSettingsQuery } from "../api/settings";
import type { GuildSettings, GuildStats, GuildView } from "../api/types";
import { useActivityFilter } from "../features/activity/filters";
import { GuildHeader } from "../features/guilds/guild-header";
import { GuildOverview } from "../features/guilds/guild-overview";
import { RosterNote } from "../features/guilds/roster-note";
import { useGuildRank } from "../features/guilds/use-guild-rank";
import { WhyCareer } from "../features/leaderboard/why-career";
import { useLive } from "../features/live/use-live";
import { guildEditProblem } from "../features/sessions/edit-problem";
import { useSession } from "../features/sessions/use-session";
import { CountedViews } from "../features/visits/view-count";
import { GUILD_TAB_ALIASES, type GuildTab, guildClaim, link, guild as pathTo, tabLabel, tabSlug } from "../lib/paths";
import { unescapeEntities } from "../lib/text";
import { METRICS } from "../ui/metric";
import { ProfileSkeleton } from "../ui/profile-skeleton";
import { ErrorState, Skeleton, Spinner } from "../ui/states";
import { Tabs } from "../ui/tabs";
import { useDialogParam } from "../ui/use-dialog-param";
import { useElapsed } from "../ui/use-elapsed";
import { useTitle } from "../ui/use-title";
import RecentActivity from "./recent-activity";

const ActivityHistory = lazy(() => import("../features/activity/activity-history"));
const MembersTab = lazy(() => import("../features/guilds/members-tab"));
const GuildDialog = lazy(() => import("./guild-dialog"));

const TABS: readonly GuildTab[] = ["overview", "players", "recent-activity"];
/** The settings of a guild that could not be loaded. */
const NO_SETTINGS: GuildSettings = { guild_image: null, banner_image: null, discord_link: null };
const MIN_LOADING_MS = 800;
const LOAD_MORE_THRESHOLD_PX = 200;

export function prefetch(cache: QueryClient, { tag = "" }: { tag?: string }) {
  void cache.prefetchQuery(guildProfileQuery(tag.toUpperCase()));
}

export default function GuildPage() {
  const { tag = "", tab = "overview" } = useParams();
  const upper = tag.toUpperCase();
  const slug = tabSlug(tab);
  const active = TABS.find((one) => one === slug) ?? GUILD_TAB_ALIASES[slug];
  if (tag !== upper || active !== tab) return <Navigate to={pathTo(upper, active)} replace />;
  return <LoadedGuild key={upper} tag={upper} tab={active} />;
}

function LoadedGuild({ tag, tab }: { tag: string; tab: GuildTab }) {
  const isElapsed = useElapsed(MIN_LOADING_MS);
  const profile = useQuery(guildProfileQuery(tag));
  const { data, error } = profile;
  useTitle(data ? `${unescapeEntities(data.name)} [${data.short}]` : tag);
  // Older responses use these names while the guild is being read.
  const reading = data?.name === "Loading..." || data?.short === "LOADING";
  return (
    <div className="page">
      {data && isElapsed && !reading ? (
        <Profile guild={data} tab={tab} />
      ) : error && isElapsed && !profile.isFetching ? (
        <>
          <h1 className="visually-hidden" translate="no">
            {tag}
          </h1>
          <ErrorState
            title={asApiError(error).status === 404 ? "Guild not found" : "Failed to load guild data"}
            text="Please try again or check if the guild name is correct."
            onRetry={() => void profile.refetch()}
          />
        </>
      ) : (
        <ProfileSkeleton title="Loading Guild Profile" />
      )}
    </div>
  );
}

function Profile({ guild, tab }: { guild: GuildView; tab: GuildTab }) {
  const tag = guild.short.toUpperCase();
  const { user } = useSession();
  const stats = useQuery(guildStatsQuery(tag));
  const settings = useQuery(guildSettingsQuery(tag));
  const rank = useGuildRank(guild, stats.data);
  const problem = guildEditProblem(user, tag, !!user?.is_admin);
  const [dialog, setDialog] = useDialogParam(["guild"], problem);
  useLive(`guild:${tag}`);
  return (
    <>
      <GuildHeader
        guild={guild}
        views={<CountedViews whose={tag} count={viewGuild} known={guild.profile_views} />}
        settings={settings.isLoadingError ? NO_SETTINGS : settings.data}
        rank={stats.isLoadingError ? "Ranked" : rank}
        canEdit={problem === null}
        claimTo={user ? guildClaim(tag) : link}
        onEdit={() => setDialog("guild")}
      />
      <div style={{ marginTop: "var(--s5)" }}>
        <Tabs
          label="Guild"
          active={tab}
          tabs={TABS.map((slug) => ({ slug, label: tabLabel(slug), to: pathTo(tag, slug) }))}
        />
      </div>
      <Suspense fallback={<Spinner label="Loading…" />}>
        <div style={{ minHeight: "80dvh", paddingTop: "var(--s5)" }}>
          {tab === "overview" && <Overview tag={tag} guild={guild} stats={stats} />}
          {tab === "players" && (
            <>
              <RosterNote roster={guild.roster} />
              <MembersTab tag={tag} />
            </>
          )}
          {tab === "recent-activity" && <History tag={tag} />}
        </div>
      </Suspense>
      {dialog && user && settings.data && (
        <Suspense fallback={<Spinner label="Loading…" />}>
          <GuildDialog tag={tag} user={user} settings={settings.data} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </>
  );
}

interface OverviewProps {
  tag: string;
  guild: GuildView;
  stats: UseQueryResult<GuildStats>;
}

function Overview({ tag, guild, stats: { data, isPending, refetch } }: OverviewProps) {
  if (isPending) return <Skeleton height={120} />;
  if (!data) return <ErrorState title="Failed to load guild data" onRetry={() => void refetch()} />;
  const recent = <RecentActivity owner={{ kind: "guild", tag }} allTo={pathTo(tag, "recent-activity")} />;
  return (
    <>
      {guild.opens_on_career && <WhyCareer />}
      <GuildOverview guild={guild} stats={data} recent={recent} />
    </>
  );
}

function History({ tag }: { tag: string }) {
  const [filter, setFilter] = useActivityFilter();
  return (
    <ActivityHistory
      owner={{ kind: "guild", tag }}
      filter={filter}
      onFilter={setFilter}
      threshold={LOAD_MORE_THRESHOLD_PX}
      allLabel="Full History"
      emptyText={(filter) => (filter ? `No ${METRICS[filter].label} Activity` : "No Recent Activity")}
    />
  );
}
