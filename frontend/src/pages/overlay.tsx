// A transparent overlay for streaming software: a player's live counters and last kill. It has no links, keyboard input or
// dialogs.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useParams } from "react-router";
import { activityFeedQuery } from "../api/activity";
import { playerProfileQuery } from "../api/players";
import type { ActivityRow, PlayerView } from "../api/types";
import { sentenceOf } from "../features/activity/sentence";
import { useLive } from "../features/live/use-live";
import { isHiddenAnswer } from "../features/players/visibility";
import { Counter } from "../ui/counter";
import { hueStyle, METRICS, MetricLabel, type MetricName } from "../ui/metric";
import { Name } from "../ui/name";
import { useTitle } from "../ui/use-title";
import css from "./overlay.module.css";

/** Enough rows to find a recent kill among other events. */
const FEED_ROWS = 50;
/** Missing or hidden players are requested again: streaming software does not reload the page. */
const RETRY_INTERVAL_MS = 30_000;

export default function Overlay() {
  const { handle = "" } = useParams();
  useTitle(handle);
  useTransparentPage();
  useLive(`player:${handle}`);
  const { data } = useQuery({
    ...playerProfileQuery(handle),
    refetchInterval: ({ state }) => (state.data?.game_stats ? false : RETRY_INTERVAL_MS),
  });
  const isShown = !!data && !isHiddenAnswer(data);
  const feed = useInfiniteQuery({
    ...activityFeedQuery({ kind: "player", handle }, null, FEED_ROWS),
    enabled: isShown,
  });
  if (!isShown) return null;
  const kill = feed.data?.pages.flatMap((page) => page.data).find((row) => isKillOf(row, data.handle));
  return (
    <main className={css.overlay} aria-label={`Live statistics of ${data.handle}`}>
      <p className={css.name}>
        <Name>{data.handle}</Name>
        {typeof data.rank_overall === "number" && <span className={css.rank}>#{data.rank_overall}</span>}
      </p>
      <dl className={css.figures}>
        {figures(data).map(([metric, value]) => (
          <div key={metric} style={hueStyle(metric)}>
            <dt>
              <MetricLabel metric={metric} label={METRICS[metric].label} />
            </dt>
            <dd>
              <Counter value={value} />
            </dd>
          </div>
        ))}
      </dl>
      {kill && <LastKill key={kill.id} row={kill} />}
    </main>
  );
}

function figures(player: PlayerView): [MetricName, number][] {
  return [
    ["pvp", player.game_stats?.pu_player_kills ?? 0],
    ["pve", player.pve_kills],
    ["vehicles", player.vehicle_destructions],
  ];
}

function isKillOf(row: ActivityRow, handle: string): boolean {
  const isOwn =
    row.killer?.toLowerCase() === handle.toLowerCase() && row.victim?.toLowerCase() !== handle.toLowerCase();
  return isOwn && /kill/.test(row.identifier ?? "");
}

function LastKill({ row }: { row: ActivityRow }) {
  const sentence = sentenceOf(row);
  return (
    sentence && (
      <p className={css.kill}>
        {sentence.parts.map((part, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
          part.kind === "text" ? part.text : <Name key={index}>{part.text}</Name>,
        )}
      </p>
    )
  );
}

/** Makes the page transparent, so that the video is visible. */
function useTransparentPage(): void {
  useEffect(() => {
    document.documentElement.dataset.overlay = "";
    return () => {
      delete document.documentElement.dataset.overlay;
    };
  }, []);
}
