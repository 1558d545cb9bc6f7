// The home page. A cover hides it until its data has loaded or failed.
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { ChevronDown, Pause, Play } from "lucide-react";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { DEFAULT_TEXTS } from "../api/config";
import { ApiError, serverSentence } from "../api/errors";
import { boardTopic, guildScore, topGuildsQuery, topPlayersQuery } from "../api/leaderboard";
import { countsQuery, patchQuery } from "../api/patch";
import { DEFAULT_SUGGESTION_LIMIT } from "../api/search";
import { GuildCard, GuildCardSkeleton } from "../features/guilds/guild-card";
import { GuildRow, GuildRowSkeleton } from "../features/guilds/guild-row";
import { useLive } from "../features/live/use-live";
import { PatchCard } from "../features/patch/patch-card";
import { PlayerRow, PlayerRowSkeleton } from "../features/players/player-row";
import { SearchBox } from "../features/search/search-box";
import { BackgroundVideo } from "../features/site/background-video";
import { useSite } from "../features/site/use-site";
import * as paths from "../lib/paths";
import { Button } from "../ui/button";
import { Counter } from "../ui/counter";
import { isInView } from "../ui/is-in-view";
import { ErrorState } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./home.module.css";

const PLACEHOLDER_COUNTS = { players: 2_665_916, orgs: 1_234_567 };
/** The delay between the last response and the removal of the cover. */
const READY_DELAY_MS = 300;
/** The cover is removed after this time at the latest; pending parts show skeletons. */
const MAX_COVER_MS = 6_000;
const ROWS = [0, 1, 2, 3, 4];
const TOP_BOARDS = [
  boardTopic("players", { sortBy: "overall", window: "all" }),
  boardTopic("guilds", { sortBy: "overall", window: "all" }),
];
/** The cards show the first five guilds, the list below shows the next five. */
const CARD_COUNT = 5;
const GUILD_COUNT = 10;

export function prefetch(cache: QueryClient) {
  void cache.prefetchQuery(topPlayersQuery("overall", 5));
  void cache.prefetchQuery(topGuildsQuery("overall", GUILD_COUNT));
  void cache.prefetchQuery(countsQuery());
  void cache.prefetchQuery(patchQuery());
}

export default function Home() {
  useTitle(null);
  useLive("counts", "patch", ...TOP_BOARDS);
  const players = useQuery(topPlayersQuery("overall", 5));
  const guilds = useQuery(topGuildsQuery("overall", GUILD_COUNT));
  const counts = useQuery(countsQuery());
  const patch = useQuery(patchQuery());
  const loading = players.isPending || guilds.isPending || counts.isPending || patch.isPending;
  const ready = useCoverRemoved(!loading);
  const [isPaused, setPaused] = useState(false);
  const [hasVideo, setHasVideo] = useState(false);
  const site = useSite();
  const hero = useRef<HTMLElement>(null);
  const lists = useRef<HTMLDivElement>(null);
  const isHeroPassed = useScrolledPast(hero);
  const shown = counts.data ?? (counts.isLoadingError ? { players: 0, orgs: 0 } : PLACEHOLDER_COUNTS);
  const videoProps = { isPaused, onPlaying: () => setHasVideo(true) };
  return (
    <div className={css.home} aria-busy={!ready}>
      {!ready && <LoadingCover name={site.name} />}
      <div inert={!ready}>
        <section ref={hero} className={css.hero} aria-label="Welcome">
          <BackgroundVideo video="/static/videos/home.mp4" imageOffset={0} isFirst {...videoProps} />
          <div className={css.scrim} />
          <div className={css.inner}>
            <div className={css.lead}>
              <Slogan slogans={site.slogans} />
              <p className={css.sub}>Live player and guild statistics for {site.game}.</p>
              <SearchBox
                large
                limit={DEFAULT_SUGGESTION_LIMIT}
                placeholder={{ player: "Enter Player Handle", guild: "Enter Guild Name or Tag" }}
                note={{ player: "Search by Player Handle", guild: "Search by Guild Name or Tag" }}
              />
              <dl className={css.counts}>
                <div>
                  <dt>Players found</dt>
                  <dd>
                    <Counter value={shown.players} started={ready} />
                  </dd>
                </div>
                <div>
                  <dt>Guilds Tracked</dt>
                  <dd>
                    <Counter value={shown.orgs} started={ready} />
                  </dd>
                </div>
              </dl>
            </div>
            <PatchCard
              patch={patch.data}
              started={ready}
              backdrop={<BackgroundVideo video="/static/videos/patch.mp4" imageOffset={1} {...videoProps} />}
            />
            <section className={css.guilds} aria-labelledby="guild-cards">
              <SectionHeader id="guild-cards" title="Leading guilds" to={paths.guilds} all="View All" />
              {guilds.data?.length === 0 && <p className="quiet">No guild has a score yet.</p>}
              {guilds.isLoadingError && <p className="quiet">{failure("guilds", guilds.error)}</p>}
              <ol role="list" className={css.cards}>
                {guilds.data?.slice(0, CARD_COUNT).map((row) => (
                  <GuildCard key={row.org_short} row={row} score={guildScore(row, "overall")} />
                ))}
                {guilds.isPending && ROWS.map((index) => <GuildCardSkeleton key={index} />)}
              </ol>
            </section>
          </div>
          {!isHeroPassed && (
            <div className={css.hint}>
              <button type="button" onClick={() => lists.current?.scrollIntoView({ behavior: scrollBehavior() })}>
                EXPLORE MORE
                <ChevronDown size={16} aria-hidden="true" />
              </button>
              {hasVideo && (
                <Button
                  variant="icon"
                  aria-label={isPaused ? "Play background video" : "Pause background video"}
                  className={css.pause}
                  onClick={() => setPaused(!isPaused)}
                >
                  {isPaused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
                </Button>
              )}
            </div>
          )}
        </section>
        <div ref={lists} className={`page ${css.lists}`}>
          <section aria-labelledby="top-players">
            <SectionHeader id="top-players" title="Top Players" to={paths.players} all="View All Players" />
            <TopList query={players} noun="players" empty="No player has a score yet." rows={players.data}>
              {players.data?.map((row) => (
                <PlayerRow key={row.handle} row={row} sortBy="overall" metric="overall" compact />
              ))}
              {players.isPending && ROWS.map((index) => <PlayerRowSkeleton key={index} compact />)}
            </TopList>
          </section>
          <section aria-labelledby="top-guilds">
            <SectionHeader id="top-guilds" title="Top Guilds" to={paths.guilds} all="View All Guilds" />
            <TopList
              query={guilds}
              noun="guilds"
              empty={
                guilds.data?.length ? "The cards above show every guild with a score." : "No guild has a score yet."
              }
              rows={guilds.data?.slice(CARD_COUNT)}
            >
              {guilds.data?.slice(CARD_COUNT).map((row) => (
                <GuildRow key={row.org_short} row={row} value={guildScore(row, "overall")} metric="overall" compact />
              ))}
              {guilds.isPending && ROWS.map((index) => <GuildRowSkeleton key={index} compact />)}
            </TopList>
          </section>
        </div>
      </div>
    </div>
  );
}

/** Becomes true shortly after `loaded`, and remains true. */
function useCoverRemoved(loaded: boolean): boolean {
  // No cover if the data is already cached.
  const [ready, setReady] = useState(loaded);
  useEffect(() => {
    if (!loaded) return;
    const timer = setTimeout(() => setReady(true), READY_DELAY_MS);
    return () => clearTimeout(timer);
  }, [loaded]);
  useEffect(() => {
    const timer = setTimeout(() => setReady(true), MAX_COVER_MS);
    return () => clearTimeout(timer);
  }, []);
  return ready;
}

/** Reports whether an element has been scrolled past. */
function useScrolledPast(element: React.RefObject<HTMLElement | null>): boolean {
  const [past, setPast] = useState(false);
  useEffect(() => {
    if (!element.current) return;
    const observer = new IntersectionObserver((entries) => setPast(!isInView(entries)), {
      rootMargin: "-120px 0px 0px",
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return past;
}

const scrollBehavior = () => (window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

function Slogan({ slogans }: { slogans: readonly string[] }) {
  const [chance] = useState(Math.random);
  const list = slogans.length > 0 ? slogans : DEFAULT_TEXTS.slogans;
  const slogan = list[Math.floor(chance * list.length)] ?? "";
  return (
    <h1>
      {slogan.split(/(?<=[.!?]) /).map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a slogan keep their order
        <Fragment key={index}>
          {index > 0 && " "}
          <span className={css.sentence}>{sentence}</span>
        </Fragment>
      ))}
    </h1>
  );
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

function SectionHeader({ id, title, to, all }: { id: string; title: string; to: string; all: string }) {
  return (
    <header className={css.head}>
      <h2 id={id}>{title}</h2>
      <Link to={to}>{all}</Link>
    </header>
  );
}

interface TopListProps {
  query: { isLoadingError: boolean; error: unknown; data?: unknown; refetch: () => unknown };
  noun: "players" | "guilds";
  /** The rows; undefined while loading. */
  rows: readonly unknown[] | undefined;
  empty: string;
  children: ReactNode;
}

function TopList({ query, noun, rows, empty, children }: TopListProps) {
  if (query.isLoadingError && !query.data) {
    const text = serverSentence(query.error) || undefined;
    return <ErrorState title={failure(noun, query.error)} text={text} onRetry={() => void query.refetch()} />;
  }
  if (rows?.length === 0) return <p className="quiet">{empty}</p>;
  return <ol role="list">{children}</ol>;
}

function failure(noun: string, error: unknown): string {
  return error instanceof ApiError && error.status === 0
    ? `Network error loading top ${noun}`
    : `Failed to load top ${noun}`;
}
