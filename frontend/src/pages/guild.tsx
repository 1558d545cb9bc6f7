// A guild's page: header, tabs and dialog. Tabs other than the overview, and the dialog, are loaded on demand.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { Navigate, useParams } from "react-router";
import { asApiError } from "../api/errors";
import { guildProfileQuery, guildStatsQuery, viewGuild } from "../api/guilds";
import type { ActivityFilter } from "../api/list-params";
import { guildSettingsQuery } from "../api/settings";
import type { GuildView } from "../api/types";
import { useActivityFilter } from "../features/activity/filters";
import { GuildHeader } from "../features/guilds/guild-header";
import { GuildOverview } from "../features/guilds/guild-overview";
import { RosterNote } from "../features/guilds/roster-note";
import { useGuildRank } from "../features/guilds/use-guild-rank";
import { useLive } from "../features/live/use-live";
import { guildEditProblem } from "../features/sessions/edit-problem";
import { useSession } from "../features/sessions/use-session";
import { useViewCount } from "../features/visits/use-view-count";
import { GUILD_TAB_ALIASES, type GuildTab, guildClaim, link, guild as pathTo, tabLabel, tabSlug } from "../lib/paths";
import { unescapeEntities } from "../lib/text";
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
const FILTER_LABELS: Record<ActivityFilter, string> = {
  pvp: "PVP",
  pve: "PVE",
  vehicles: "Vehicles",
  missions: "Missions",
};
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
  const waited = useElapsed(MIN_LOADING_MS);
  const profile = useQuery(guildProfileQuery(tag));
  const { data, error } = profile;
  useTitle(data ? `${unescapeEntities(data.name)} [${data.short}]` : tag);
  // Older responses use these names while the guild is being read.
  const reading = data?.name === "Loading..." || data?.short === "LOADING";
  return (
    <div className="page">
      {data && waited && !reading ? (
        <Profile guild={data} tab={tab} />
      ) : error && waited && !profile.isFetching ? (
        <>
          <h1 className="visually-hidden">{tag}</h1>
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
  const cache = useQueryClient();
  const stats = useQuery(guildStatsQuery(tag));
  const settings = useQuery(guildSettingsQuery(tag));
  const rank = useGuildRank(guild, stats.data);
  const views = useViewCount(tag, viewGuild);
  const problem = guildEditProblem(user, tag, !!user?.is_admin);
  const [dialog, setDialog] = useDialogParam(["guild"], problem);
  const [filter, setFilter] = useActivityFilter();
  useLive(`guild:${tag}`);
  const owner = { kind: "guild", tag } as const;
  return (
    <>
      <GuildHeader
        guild={guild}
        views={views}
        settings={
          settings.isLoadingError ? { guild_image: null, banner_image: null, discord_link: null } : settings.data
        }
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
          {tab === "overview" && stats.data && (
            <GuildOverview
              guild={guild}
              stats={stats.data}
              recent={<RecentActivity owner={owner} allTo={pathTo(tag, "recent-activity")} />}
            />
          )}
          {tab === "overview" && stats.isPending && <Skeleton height={120} />}
          {tab === "overview" && stats.isLoadingError && (
            <ErrorState title="Failed to load guild data" onRetry={() => void stats.refetch()} />
          )}
          {tab === "players" && (
            <>
              <RosterNote roster={guild.roster} />
              <MembersTab tag={tag} />
            </>
          )}
          {tab === "recent-activity" && (
            <ActivityHistory
              owner={owner}
              filter={filter}
              onFilter={setFilter}
              threshold={LOAD_MORE_THRESHOLD_PX}
              allLabel="Full History"
              emptyText={(filter) => (filter ? `No ${FILTER_LABELS[filter]} Activity` : "No Recent Activity")}
            />
          )}
        </div>
      </Suspense>
      {dialog && user && settings.data && (
        <Suspense fallback={<Spinner label="Loading…" />}>
          <GuildDialog
            tag={tag}
            user={user}
            settings={settings.data}
            onSaved={() => {
              void cache.invalidateQueries({ queryKey: ["settings", "guild", tag] });
              void cache.invalidateQueries({ queryKey: ["leaderboard"] });
            }}
            onClose={() => setDialog(null)}
          />
        </Suspense>
      )}
    </>
  );
}
