// A player's profile: header, tabs and dialogs. Each tab and each dialog is loaded on demand.
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { Navigate, useParams } from "react-router";
import { ApiError, asApiError } from "../api/errors";
import { type HiddenAnswer, playerProfileQuery, viewPlayer } from "../api/players";
import { stickersQuery } from "../api/stickers";
import type { PlayerView, UserView } from "../api/types";
import { FILTER_LABELS, useActivityFilter } from "../features/activity/filters";
import { WhyCareer } from "../features/leaderboard/why-career";
import { useLive } from "../features/live/use-live";
import { HiddenBanner } from "../features/players/hidden-banner";
import { OrgBadge, PlayerHeader } from "../features/players/player-header";
import { isHiddenAnswer, visibilityOf } from "../features/players/visibility";
import { playerEditProblem } from "../features/sessions/edit-problem";
import { showRefreshError } from "../features/sessions/profile-redirect";
import { refreshUser } from "../features/sessions/session-store";
import { mayEditPlayer, useSession } from "../features/sessions/use-session";
import { CountedViews } from "../features/visits/view-count";
import { DEFAULT_PLAYER_IMAGE, playerBanner } from "../lib/images";
import { claim, handleOf, linkToClaim, type PlayerTab, player as pathTo, tabLabel, tabSlug } from "../lib/paths";
import { Name } from "../ui/name";
import { ProfileHeader } from "../ui/profile-header";
import { ProfileSkeleton } from "../ui/profile-skeleton";
import { ErrorState, Spinner } from "../ui/states";
import { Tabs } from "../ui/tabs";
import { useDialogParam } from "../ui/use-dialog-param";
import { useTitle } from "../ui/use-title";

const Overview = lazy(() => import("./player-overview"));
const ActivityHistory = lazy(() => import("../features/activity/activity-history"));
const ProfilePlaceholder = lazy(() => import("../features/players/profile-placeholder"));
const EquipmentTab = lazy(() => import("../features/players/equipment-tab"));
const CareerTab = lazy(() => import("./player-career"));
const MissionsTab = lazy(() => import("../features/players/missions-tab"));
const PlayerDialogs = lazy(() => import("./player-dialogs"));

const TABS: readonly PlayerTab[] = ["overview", "career", "weapons", "vehicles", "missions", "recent-activity"];
const CAREER_FIRST: readonly PlayerTab[] = ["career", ...TABS.filter((tab) => tab !== "career")];
const tabsOf = (player: PlayerView) => (player.opens_on_career ? CAREER_FIRST : TABS);
const DIALOGS = ["profile", "stickers"] as const;
const LOAD_MORE_THRESHOLD_PX = 100;

export async function prefetch(cache: QueryClient, { handle: segment, tab }: { handle?: string; tab?: string }) {
  const handle = handleOf(segment);
  void cache.prefetchQuery(stickersQuery());
  const overview = tab === undefined ? import("./player-overview") : undefined;
  const player = await cache.fetchQuery(playerProfileQuery(handle));
  if (!isHiddenAnswer(player) && tabsOf(player)[0] === "overview") (await overview)?.prefetch(cache, handle);
}

export default function PlayerPage() {
  const { handle: segment, tab } = useParams();
  const handle = handleOf(segment);
  useTitle(handle);
  const slug = tab === undefined ? undefined : tabSlug(tab);
  const active = TABS.find((one) => one === slug);
  const query = useQuery(playerProfileQuery(handle));
  const { data } = query;
  // The URL uses the game's spelling of the handle.
  if (data && data.handle !== handle) return <Navigate to={pathTo(data.handle, active)} replace />;
  if (tab !== slug || (slug && !active)) return <Navigate to={pathTo(handle, active)} replace />;
  return (
    <div className="page">
      {data ? (
        <Profile key={data.handle} player={data} tab={active} />
      ) : query.error && !query.isFetching ? (
        // Read only without data: else each refetch would render the page twice.
        <FailedProfile handle={handle} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <ProfileSkeleton title="Loading Player Profile" />
      )}
    </div>
  );
}

function Profile({ player, tab }: { player: PlayerView | HiddenAnswer; tab: PlayerTab | undefined }) {
  const { user } = useSession();
  const { handle } = player;
  const shownToAdmin = !isHiddenAnswer(player) && !!player.viewing_as_admin;
  const problem = playerEditProblem(user, handle, shownToAdmin);
  const canEdit = problem === null;
  const [dialog, setDialog] = useDialogParam(DIALOGS, problem);
  useLive(`player:${handle}`);
  const visibility = visibilityOf(player, canEdit);
  const claimTo = user ? claim : linkToClaim;
  return (
    <>
      {visibility !== "shown" || isHiddenAnswer(player) ? (
        <Suspense fallback={<Spinner label="Loading…" />}>
          <ProfilePlaceholder
            handle={handle}
            reason={visibility === "shown" ? "hidden" : visibility}
            onEdit={canEdit ? () => setDialog("profile") : undefined}
            claimTo={claimTo}
          />
        </Suspense>
      ) : (
        <VisibleProfile
          player={player}
          tab={tab ?? tabsOf(player)[0] ?? "overview"}
          user={user}
          canEdit={canEdit}
          claimTo={claimTo}
          onDialog={setDialog}
        />
      )}
      {dialog && user && (
        <Suspense fallback={<Spinner label="Loading…" />}>
          <PlayerDialogs which={dialog} handle={handle} user={user} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </>
  );
}

interface VisibleProfileProps {
  player: PlayerView;
  tab: PlayerTab;
  user: UserView | null;
  canEdit: boolean;
  claimTo: string;
  onDialog: (which: (typeof DIALOGS)[number]) => void;
}

function VisibleProfile({ player, tab, user, canEdit, claimTo, onDialog }: VisibleProfileProps) {
  const cache = useQueryClient();
  const tabs = tabsOf(player);
  const { handle } = player;
  const [filter, setFilter] = useActivityFilter();
  const hidden = player.is_hidden || player.is_hidden_but_visible || player.is_profile_hidden;
  const isOwner = player.viewing_as_owner || mayEditPlayer(user, handle);
  const reload = () => {
    void refreshUser().catch(showRefreshError);
    void cache.invalidateQueries({ queryKey: ["players"] });
    void cache.invalidateQueries({ queryKey: ["activity", "player", handle.toLowerCase()] });
  };
  return (
    <>
      {hidden && (isOwner || player.viewing_as_admin) && <HiddenBanner admin={!isOwner} />}
      <PlayerHeader
        player={player}
        views={<CountedViews whose={handle} count={viewPlayer} known={player.profile_views} />}
        canEdit={canEdit}
        claimTo={claimTo}
        onUpdated={reload}
        onEdit={() => onDialog("profile")}
        onStickers={() => onDialog("stickers")}
      />
      <div style={{ marginTop: "var(--s5)" }}>
        <Tabs
          label="Player"
          active={tab}
          tabs={tabs.map((slug) => ({
            slug,
            label: tabLabel(slug),
            to: pathTo(handle, slug === tabs[0] ? undefined : slug),
          }))}
        />
      </div>
      <Suspense fallback={<Spinner label="Loading…" />}>
        <div style={{ paddingTop: "var(--s5)" }}>
          {tab === "overview" && <Overview player={player} isOwner={isOwner} />}
          {(tab === "weapons" || tab === "vehicles") && <EquipmentTab key={tab} handle={handle} kind={tab} />}
          {tab === "career" && (
            <>
              <WhyCareer />
              <CareerTab handle={handle} />
            </>
          )}
          {tab === "missions" && <MissionsTab handle={handle} />}
          {tab === "recent-activity" && (
            <ActivityHistory
              owner={{ kind: "player", handle }}
              filter={filter}
              onFilter={setFilter}
              threshold={LOAD_MORE_THRESHOLD_PX}
              allLabel="All"
              emptyText={(filter) => `No ${filter ? `${FILTER_LABELS[filter]} ` : ""}activities found for this player`}
            />
          )}
        </div>
      </Suspense>
    </>
  );
}

/** An error in place of a profile that could not be loaded, below a header with the handle. */
function FailedProfile({ handle, error, onRetry }: { handle: string; error: Error; onRetry: () => void }) {
  const missing = error instanceof ApiError && error.status === 404;
  return (
    <>
      {missing ? (
        <h1 className="visually-hidden" translate="no">
          {handle}
        </h1>
      ) : (
        <ProfileHeader
          name={handle}
          banner={null}
          bannerFallback={playerBanner(handle)}
          picture={null}
          pictureFallback={DEFAULT_PLAYER_IMAGE}
          badge={<OrgBadge tag="API_UNAVAILABLE" />}
        />
      )}
      <div style={{ paddingTop: "var(--s5)" }}>
        <ErrorState
          title={failure(handle, error)}
          text="Please try again or check if the player name is correct."
          onRetry={onRetry}
        />
      </div>
    </>
  );
}

function failure(handle: string, error: Error): ReactNode {
  const { status, code, message } = asApiError(error);
  if (status === 404) {
    return (
      <>
        Player "<Name>{handle}</Name>" not found
      </>
    );
  }
  if (code === "INVALID_RESPONSE" || (status >= 200 && status < 300 && message)) return message;
  return "Failed to load player data";
}
