// The first screen of the home page: videos, slogan, search, counts, patch and the leading guilds.
import type { UseQueryResult } from "@tanstack/react-query";
import { ChevronDown, Pause, Play } from "lucide-react";
import { Fragment, type RefObject, useEffect, useRef, useState } from "react";
import { DEFAULT_TEXTS } from "../api/config";
import { DEFAULT_SUGGESTION_LIMIT } from "../api/search";
import type { Counts, GuildRow as Guild, PatchView } from "../api/types";
import { PatchCard } from "../features/patch/patch-card";
import { SearchBox } from "../features/search/search-box";
import { BackgroundVideo } from "../features/site/background-video";
import { useSite } from "../features/site/use-site";
import { Button } from "../ui/button";
import { Counter } from "../ui/counter";
import { isInView } from "../ui/is-in-view";
import css from "./home.module.css";
import { GuildCards } from "./home-lists";

const PLACEHOLDER_COUNTS = { players: 2_665_916, orgs: 1_234_567 };

interface HeroProps {
  /** The page is no longer covered, so that counters may start. */
  isReady: boolean;
  counts: UseQueryResult<Counts>;
  patch: PatchView | undefined;
  guilds: UseQueryResult<Guild[]>;
  /** Scrolls to the part of the page below. */
  onExplore: () => void;
}

export function Hero({ isReady, counts, patch, guilds, onExplore }: HeroProps) {
  const { slogans, game } = useSite();
  const [isPaused, setPaused] = useState(false);
  const [hasVideo, setHasVideo] = useState(false);
  const section = useRef<HTMLElement>(null);
  const isPassed = useScrolledPast(section);
  const videoProps = { isPaused, onPlaying: () => setHasVideo(true) };
  return (
    <section ref={section} className={css.hero} aria-label="Welcome">
      <BackgroundVideo video="/static/videos/home.mp4" imageOffset={0} isFirst {...videoProps} />
      <div className={css.scrim} />
      <div className={css.inner}>
        <div className={css.lead}>
          <Slogan slogans={slogans} />
          <p className={css.sub}>Live player and guild statistics for {game}.</p>
          <SearchBox
            large
            limit={DEFAULT_SUGGESTION_LIMIT}
            placeholder={{ player: "Enter Player Handle", guild: "Enter Guild Name or Tag" }}
            note={{ player: "Search by Player Handle", guild: "Search by Guild Name or Tag" }}
          />
          <TotalCounts counts={counts} started={isReady} />
        </div>
        <PatchCard
          patch={patch}
          started={isReady}
          backdrop={<BackgroundVideo video="/static/videos/patch.mp4" imageOffset={1} {...videoProps} />}
        />
        <GuildCards query={guilds} />
      </div>
      {!isPassed && (
        <div className={css.hint}>
          <button type="button" onClick={onExplore}>
            EXPLORE MORE
            <ChevronDown size={16} aria-hidden="true" />
          </button>
          {hasVideo && <PauseButton isPaused={isPaused} onClick={() => setPaused(!isPaused)} />}
        </div>
      )}
    </section>
  );
}

/** Reports whether an element has been scrolled past. */
function useScrolledPast(element: RefObject<HTMLElement | null>): boolean {
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

function TotalCounts({ counts, started }: { counts: UseQueryResult<Counts>; started: boolean }) {
  const { players, orgs } = counts.data ?? (counts.isLoadingError ? { players: 0, orgs: 0 } : PLACEHOLDER_COUNTS);
  return (
    <dl className={css.counts}>
      <div>
        <dt>Players found</dt>
        <dd>
          <Counter value={players} started={started} />
        </dd>
      </div>
      <div>
        <dt>Guilds Tracked</dt>
        <dd>
          <Counter value={orgs} started={started} />
        </dd>
      </div>
    </dl>
  );
}

/** Pauses and plays all videos of the page. */
function PauseButton({ isPaused, onClick }: { isPaused: boolean; onClick: () => void }) {
  const Icon = isPaused ? Play : Pause;
  return (
    <Button
      variant="icon"
      aria-label={isPaused ? "Play background video" : "Pause background video"}
      className={css.pause}
      onClick={onClick}
    >
      <Icon size={16} aria-hidden="true" />
    </Button>
  );
}
