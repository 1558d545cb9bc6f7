import { counted } from "../../lib/numbers";
import { duration } from "../../lib/times";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Name } from "../../ui/name";
import { StatStrip } from "../../ui/stat-strip";
import { useNow } from "../../ui/use-now";
import { type FollowState, isFollowingSupported } from "./follow";
import css from "./log-upload.module.css";
import type { OptIn } from "./reading";
import { forgetFollowed, startFollowing, stopFollowing, useFollow } from "./use-follow";

interface FollowPanelProps {
  /** The account has claimed a player. */
  canUpload: boolean;
  share: OptIn[];
}

/** Follows the game while the tab is open. */
export function FollowPanel({ canUpload, share }: FollowPanelProps) {
  const { folder, state, error } = useFollow();
  return (
    <section aria-labelledby="follow" className={css.panel}>
      <h2 id="follow">Follow my game</h2>
      {state ? <Following state={state} /> : <NotFollowing canUpload={canUpload} folder={folder} share={share} />}
      {error && <Alert tone="error">{error}</Alert>}
      {state && (
        <div className={css.actions}>
          {state.status === "denied" && (
            <Button onClick={() => void startFollowing(share, false)}>Allow the folder again</Button>
          )}
          <Button onClick={stopFollowing}>Stop</Button>
        </div>
      )}
    </section>
  );
}

function NotFollowing({ canUpload, folder, share }: FollowPanelProps & { folder: string | null }) {
  if (!isFollowingSupported()) {
    return (
      <p className="quiet">
        This browser can only read logs that you give it. Chrome and Edge on a computer can also follow the game while
        you play.
      </p>
    );
  }
  return (
    <>
      <p className="quiet">
        While this tab is open, events of your log are uploaded as they happen. What a closed tab missed is read at the
        next start. Choose the folder of the game; browsers refuse one in <code>Program Files</code>, where only reading
        works.
      </p>
      {!canUpload && <p>Sign in and claim your player first.</p>}
      {canUpload && (
        <div className={css.actions}>
          {folder !== null && (
            <Button onClick={() => void startFollowing(share, false)}>
              Follow <Name>{folder}</Name>
            </Button>
          )}
          <Button onClick={() => void startFollowing(share, true)}>
            {folder === null ? "Follow my game" : "Choose another folder"}
          </Button>
          {folder !== null && <Button onClick={() => void forgetFollowed()}>Forget the folder</Button>}
        </div>
      )}
    </>
  );
}

function statusText({ status, log }: FollowState): string {
  if (status === "starting") return "Starting…";
  if (status === "elsewhere") return "Another tab follows the game. This one takes over when that one is closed.";
  if (status === "denied") return "Your browser asks for the folder again.";
  if (status === "failed") return "Following has ended.";
  return log ? "Following" : "Following. There is no Game.log yet.";
}

function Following({ state }: { state: FollowState }) {
  const { folder, log, accepted, known, rejected, waiting, problem, unclaimed } = state;
  const now = useNow(1_000);
  const stay = log?.universeSince ? Math.max(0, (now - log.universeSince) / 1000) : 0;
  return (
    <>
      <p role="status">
        {statusText(state)} {folder && <Name className="quiet">{folder}</Name>}
      </p>
      {log && (
        <>
          <p className="quiet">
            {log.handle ? <Name>{log.handle}</Name> : "No player yet"}
            {log.patch && `, ${log.patch}`}
            {log.channel && log.channel !== "LIVE" && `, ${log.channel} counts nowhere`}
            {stay > 0 ? `, in the universe for ${duration(stay)}` : ", outside of the universe"}
          </p>
          <StatStrip
            label="This log"
            stats={[
              {
                metric: "playtime",
                label: "Universe time",
                value: Math.round(log.totals.universeSeconds + stay),
                seconds: true,
              },
              { metric: "missions", label: "Contracts", value: log.totals.contracts },
              { metric: "overall", label: "Deaths", value: log.totals.deaths },
              {
                metric: "career",
                label: "Uploaded",
                value: accepted,
                note: known > 0 ? `${known} known before` : null,
              },
            ]}
          />
        </>
      )}
      {(waiting > 0 || rejected > 0) && (
        <p className="quiet">
          {waiting > 0 && `${counted(waiting, "event")} waiting. `}
          {rejected > 0 && `${counted(rejected, "event")} rejected.`}
        </p>
      )}
      {problem && (
        <Alert tone="error">{unclaimed ? `Claim ${unclaimed} to upload its events. ${problem}` : problem}</Alert>
      )}
    </>
  );
}
