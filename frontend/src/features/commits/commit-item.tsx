import { GitBranch } from "lucide-react";
import type { CommitRow } from "../../api/types";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { commitTime, moment } from "../../lib/times";
import { Image } from "../../ui/image";
import { Name } from "../../ui/name";
import { Skeleton } from "../../ui/states";
import css from "./commit-item.module.css";

const SHORT_ID_LENGTH = 7;

/** A commit. `now` is in epoch milliseconds. */
export function CommitItem({ commit, now, isNew = false }: { commit: CommitRow; now: number; isNew?: boolean }) {
  const [subject, ...body] = (commit.message || "No commit message").trim().split("\n");
  const more = body.join("\n").trim();
  return (
    <li className={css.item} data-new={isNew || undefined}>
      <Image src={commit.author_avatar_url} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={40} height={40} />
      <div className={css.text}>
        <p className={css.subject}>{subject}</p>
        {more && <p className={css.body}>{more}</p>}
        <p className={css.facts}>
          <Name className={css.author}>{commit.author_name || commit.author_username || "Unknown"}</Name>
          <time dateTime={new Date(commit.timestamp * 1000).toISOString()} title={moment(commit.timestamp)}>
            {commitTime(commit.timestamp, Math.floor(now / 1000))}
          </time>
          <code>{commit.id.slice(0, SHORT_ID_LENGTH)}</code>
          <span className={css.branch}>
            <GitBranch size={14} aria-hidden="true" />
            <span className="visually-hidden">Branch </span>
            {commit.branch || "main"}
          </span>
          <span>
            <span className="visually-hidden">Repository </span>
            {commit.repository || "Unknown"}
          </span>
        </p>
      </div>
    </li>
  );
}

/** A placeholder of the same size. */
export function CommitItemSkeleton() {
  return (
    <li className={css.item} aria-hidden="true">
      <Skeleton width={40} height={40} />
      <div className={css.text}>
        <Skeleton width="55%" height={18} />
        <Skeleton width="35%" height={12} style={{ marginTop: 8 }} />
      </div>
    </li>
  );
}
