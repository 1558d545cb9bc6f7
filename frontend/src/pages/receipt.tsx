// What a score of a player consists of. Every rank and score links here.
import { type QueryClient, useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { asApiError, failureSentence } from "../api/errors";
import { receiptQuery } from "../api/receipts";
import type { ActivityRow, Receipt } from "../api/types";
import { sentenceOf, sentenceText } from "../features/activity/sentence";
import { ReceiptDetails } from "../features/evidence/receipt";
import { metricOf, SORT_OPTIONS, WINDOW_OPTIONS } from "../features/leaderboard/metrics";
import { useBoardParams } from "../features/leaderboard/use-board-params";
import { exact } from "../lib/numbers";
import * as paths from "../lib/paths";
import { BackButton } from "../ui/back-button";
import { ButtonLink } from "../ui/button";
import { FormattedNumber } from "../ui/formatted-number";
import { hueStyle, METRICS } from "../ui/metric";
import { Select } from "../ui/select";
import { ShowMore } from "../ui/show-more";
import { ErrorState, Skeleton } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./receipt.module.css";

export function prefetch(cache: QueryClient, { handle = "" }: { handle?: string }) {
  if (window.location.search === "") void cache.prefetchInfiniteQuery(receiptQuery(handle, "overall", "all"));
}

export default function ReceiptPage() {
  const { handle = "" } = useParams();
  const { sortBy, window, setSortBy, setWindow } = useBoardParams();
  const list = useInfiniteQuery(receiptQuery(handle, sortBy, window));
  const name = list.data?.pages[0]?.handle ?? handle;
  useTitle(`Receipt of ${name}`);
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <header className={css.head}>
        <h1>
          {METRICS[metricOf(sortBy)].label} of{" "}
          <Link to={paths.player(name)}>
            <bdi>{name}</bdi>
          </Link>
        </h1>
        <div className={css.selects}>
          <Select label="Score" value={sortBy} options={SORT_OPTIONS} onChange={setSortBy} />
          <Select label="Period" value={window} options={WINDOW_OPTIONS} onChange={setWindow} />
        </div>
      </header>
      {list.isPending && <ReceiptSkeleton />}
      {list.isLoadingError && <Failed handle={handle} error={list.error} onRetry={() => void list.refetch()} />}
      {list.data?.pages[0] && (
        <>
          <Total receipt={list.data.pages[0]} />
          <ReceiptDetails
            pages={list.data.pages}
            sentence={eventText}
            more={<ShowMore list={list} error={list.isFetchNextPageError ? failureSentence(list.error) : null} />}
          />
        </>
      )}
    </div>
  );
}

function eventText(event: ActivityRow): string {
  const sentence = sentenceOf(event);
  return sentence ? sentenceText(sentence) : `Event ${event.id}`;
}

function Total({ receipt: { metric, rank, value } }: { receipt: Receipt }) {
  return (
    <p className={css.total} style={hueStyle(metricOf(metric))}>
      <strong>
        <FormattedNumber value={value} seconds={metric === "playtime"} />
      </strong>{" "}
      {rank ? `Rank #${exact(rank)}` : "Unranked"}
    </p>
  );
}

function Failed({ handle, error, onRetry }: { handle: string; error: Error; onRetry: () => void }) {
  const { status, message } = asApiError(error);
  if (status !== 404 && status !== 403) {
    return <ErrorState title="The receipt could not be loaded." text={failureSentence(error)} onRetry={onRetry} />;
  }
  return (
    <>
      <p className={css.total}>{status === 404 ? `Player "${handle}" not found.` : message}</p>
      <ButtonLink to={paths.players}>Player rating</ButtonLink>
    </>
  );
}

function ReceiptSkeleton() {
  return (
    <>
      <p role="status" className="visually-hidden">
        Loading the receipt…
      </p>
      <p className={css.total}>
        <Skeleton width={160} height={40} />
      </p>
      <Skeleton height={360} />
    </>
  );
}
