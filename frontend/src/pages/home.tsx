// The home page. A cover hides it until its data has loaded or failed.
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { boardTopic, topGuildsQuery, topPlayersQuery } from "../api/leaderboard";
import { openingSort } from "../api/opening";
import { countsQuery, patchQuery } from "../api/patch";
import { WhyCareer } from "../features/leaderboard/why-career";
import { useLive } from "../features/live/use-live";
import { useSite } from "../features/site/use-site";
import { scrollBehavior } from "../ui/reduced-motion";
import { useElapsed } from "../ui/use-elapsed";
import { useTitle } from "../ui/use-title";
import css from "./home.module.css";
import { Hero } from "./home-hero";
import { GUILD_COUNT, TopGuilds, TopPlayers } from "./home-lists";

/** The delay between the last response and the removal of the cover. */
const READY_DELAY_MS = 300;
/** The cover is removed after this time at the latest; pending parts show skeletons. */
const MAX_COVER_MS = 6_000;
const PLAYER_COUNT = 5;

export function prefetch(cache: QueryClient) {
  void cache.prefetchQuery(topPlayersQuery(openingSort(), PLAYER_COUNT));
  void cache.prefetchQuery(topGuildsQuery(openingSort(), GUILD_COUNT));
  void cache.prefetchQuery(countsQuery());
  void cache.prefetchQuery(patchQuery());
}

export default function Home() {
  useTitle(null);
  const sortBy = openingSort();
  const board = { sortBy, window: "all" } as const;
  useLive("counts", "patch", boardTopic("players", board), boardTopic("guilds", board));
  const players = useQuery(topPlayersQuery(sortBy, PLAYER_COUNT));
  const guilds = useQuery(topGuildsQuery(sortBy, GUILD_COUNT));
  const counts = useQuery(countsQuery());
  const patch = useQuery(patchQuery());
  const isLoading = players.isPending || guilds.isPending || counts.isPending || patch.isPending;
  const isReady = useCoverRemoved(!isLoading);
  const { name } = useSite();
  const lists = useRef<HTMLDivElement>(null);
  return (
    <div className={css.home} aria-busy={!isReady}>
      {!isReady && <LoadingCover name={name} />}
      <div inert={!isReady}>
        <Hero
          isReady={isReady}
          counts={counts}
          patch={patch.data}
          guilds={guilds}
          onExplore={() => lists.current?.scrollIntoView({ behavior: scrollBehavior() })}
        />
        <div ref={lists} className={`page ${css.lists}`}>
          <WhyCareer />
          <TopPlayers query={players} />
          <TopGuilds query={guilds} />
        </div>
      </div>
    </div>
  );
}

/** Becomes true shortly after `loaded` or after `MAX_COVER_MS`, and remains true. */
function useCoverRemoved(loaded: boolean): boolean {
  // No cover if the data is already cached.
  const [isReady, setReady] = useState(loaded);
  const isLate = useElapsed(MAX_COVER_MS);
  useEffect(() => {
    if (!loaded) return;
    const timer = setTimeout(() => setReady(true), READY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [loaded]);
  return isReady || isLate;
}

function LoadingCover({ name }: { name: string }) {
  return (
    <div className={css.overlay} role="status">
      <svg width="72" height="72" viewBox="0 0 24 24" fill="none" aria-hidden="true">
        <path d="M2 21C4 9 9 4.500 12 4.500S20 9 22 21" stroke="var(--line-strong)" pathLength="100" />
        <path d="M2 21C4 9 9 4.500 12 4.500S20 9 22 21" stroke="var(--signal)" pathLength="100" className={css.orbit} />
      </svg>
      <span className="visually-hidden">Loading {name}...</span>
    </div>
  );
}
