// The home page's lists: guild cards, top players and top guilds.
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { ApiError, serverSentence } from "../api/errors";
import { guildScore } from "../api/leaderboard";
import { openingSort } from "../api/opening";
import type { GuildRow as Guild, PlayerRow as Player } from "../api/types";
import { GuildCard, GuildCardSkeleton } from "../features/guilds/guild-card";
import { GuildRow, GuildRowSkeleton } from "../features/guilds/guild-row";
import { PlayerRow, PlayerRowSkeleton } from "../features/players/player-row";
import * as paths from "../lib/paths";
import { ErrorState } from "../ui/states";
import css from "./home.module.css";

const ROWS = [0, 1, 2, 3, 4];
/** The cards show the first five guilds, the list below shows the next five. */
const CARD_COUNT = 5;
export const GUILD_COUNT = 10;

export function GuildCards({ query }: { query: UseQueryResult<Guild[]> }) {
  return (
    <section className={css.guilds} aria-labelledby="guild-cards">
      <SectionHeader id="guild-cards" title="Leading guilds" to={paths.guilds} all="View All" />
      {query.data?.length === 0 && <p className="quiet">No guild has a score yet.</p>}
      {query.isLoadingError && <p className="quiet">{failure("guilds", query.error)}</p>}
      <ol role="list" className={css.cards}>
        {query.data?.slice(0, CARD_COUNT).map((row) => (
          <GuildCard key={row.org_short} row={row} score={guildScore(row, openingSort())} />
        ))}
        {query.isPending && ROWS.map((index) => <GuildCardSkeleton key={index} />)}
      </ol>
    </section>
  );
}

export function TopPlayers({ query }: { query: UseQueryResult<Player[]> }) {
  return (
    <section aria-labelledby="top-players">
      <SectionHeader id="top-players" title="Top Players" to={paths.players} all="View All Players" />
      <TopList query={query} noun="players" empty="No player has a score yet." rows={query.data}>
        {query.data?.map((row) => (
          <PlayerRow key={row.handle} row={row} sortBy={openingSort()} metric={openingSort()} compact />
        ))}
        {query.isPending && ROWS.map((index) => <PlayerRowSkeleton key={index} compact />)}
      </TopList>
    </section>
  );
}

/** The guilds after those of the cards. */
export function TopGuilds({ query }: { query: UseQueryResult<Guild[]> }) {
  const rows = query.data?.slice(CARD_COUNT);
  return (
    <section aria-labelledby="top-guilds">
      <SectionHeader id="top-guilds" title="Top Guilds" to={paths.guilds} all="View All Guilds" />
      <TopList
        query={query}
        noun="guilds"
        empty={query.data?.length ? "The cards above show every guild with a score." : "No guild has a score yet."}
        rows={rows}
      >
        {rows?.map((row) => (
          <GuildRow
            key={row.org_short}
            row={row}
            value={guildScore(row, openingSort())}
            metric={openingSort()}
            compact
          />
        ))}
        {query.isPending && ROWS.map((index) => <GuildRowSkeleton key={index} compact />)}
      </TopList>
    </section>
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

function SectionHeader({ id, title, to, all }: { id: string; title: string; to: string; all: string }) {
  return (
    <header className={css.head}>
      <h2 id={id}>{title}</h2>
      <Link to={to}>{all}</Link>
    </header>
  );
}

function failure(noun: string, error: unknown): string {
  return error instanceof ApiError && error.status === 0
    ? `Network error loading top ${noun}`
    : `Failed to load top ${noun}`;
}
