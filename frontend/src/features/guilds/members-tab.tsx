// The players tab of a guild: all members in pages, sorted by a metric. Loaded on demand.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { guildMembersQuery } from "../../api/guilds";
import { openingSort } from "../../api/opening";
import type { Metric } from "../../api/types";
import { exact } from "../../lib/numbers";
import { LoadMore } from "../../ui/load-more";
import { Select } from "../../ui/select";
import { EmptyState, ErrorState, Skeleton } from "../../ui/states";
import { MEMBER_SORTS, MemberRow, type MemberSort, MemberTableHeader, sortMembers } from "./member-row";
import css from "./members-tab.module.css";

const LOAD_MORE_THRESHOLD_PX = 200;
/** The server's names of the sort keys. */
const METRIC_OF: Record<MemberSort, Metric> = {
  overall: "overall",
  pu_player_kills: "pu_player_kills",
  pu_npc_kills: "pve_kills",
  pu_vehicle_destruction_caused: "vehicle_destructions",
  career: "career",
  missions_completed: "missions_completed",
  ships_flown: "ships_flown",
};

export default function MembersTab({ tag }: { tag: string }) {
  const [params, setParams] = useSearchParams();
  const chosen = params.get("sort") ?? openingSort();
  const sort = MEMBER_SORTS.find((one) => one.value === chosen) ?? MEMBER_SORTS[0];
  if (!sort) return null;
  return (
    <section aria-label="Players">
      <div className={css.controls}>
        <Select
          label="Sort By"
          value={sort.value}
          options={MEMBER_SORTS}
          onChange={(to) =>
            setParams(to === openingSort() ? {} : { sort: to }, { replace: true, preventScrollReset: true })
          }
        />
      </div>
      <MemberTableHeader sortBy={sort.value} label={sort.label} />
      <Members key={sort.value} tag={tag} sortBy={sort.value} />
    </section>
  );
}

function Members({ tag, sortBy }: { tag: string; sortBy: MemberSort }) {
  const list = useInfiniteQuery(guildMembersQuery(tag, METRIC_OF[sortBy]));
  if (list.isPending) {
    return (
      <div role="status" className={css.skeleton}>
        <span className="visually-hidden">Loading players...</span>
        {[1, 2, 3, 4, 5, 6].map((index) => (
          <Skeleton key={index} height={36} />
        ))}
      </div>
    );
  }
  if (!list.data) return <ErrorState title="Failed to load guild players" onRetry={() => void list.refetch()} />;
  const members = sortMembers(
    list.data.pages.flatMap((page) => page.members),
    sortBy,
  );
  if (members.length === 0) return <EmptyState title="No players found for this guild." />;
  return (
    <>
      <ol role="list" aria-label={`Players, ${exact(list.data.pages[0]?.pagination.total ?? members.length)} in all`}>
        {members.map((member, index) => (
          <MemberRow key={member.handle} member={member} position={index + 1} sortBy={sortBy} />
        ))}
      </ol>
      <LoadMore
        threshold={LOAD_MORE_THRESHOLD_PX}
        hasMore={list.hasNextPage}
        loading={list.isFetchingNextPage}
        failed={list.isFetchNextPageError}
        onMore={() => void list.fetchNextPage()}
        loadingText="Loading more players..."
      />
    </>
  );
}
