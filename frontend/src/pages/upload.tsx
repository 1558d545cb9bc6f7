// Reads the player's logs in this browser, shows what they hold, and uploads it if the player wants.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { playerSettingsQuery, savePlayerSettings } from "../api/settings";
import type { UserView } from "../api/types";
import { isSamePlayer, Leaving, Players } from "../features/log-upload/choices";
import { DownloadButton } from "../features/log-upload/download-button";
import { DropZone, useFileDrop } from "../features/log-upload/drop-zone";
import { Charts, Figures, LogFacts, timeSpan } from "../features/log-upload/figures";
import { FollowPanel } from "../features/log-upload/follow-panel";
import { byteSize } from "../features/log-upload/labels";
import css from "../features/log-upload/log-upload.module.css";
import type { OptIn, Reading, UploadChoice } from "../features/log-upload/reading";
import { ReadingProgress } from "../features/log-upload/reading-progress";
import { selectionOf } from "../features/log-upload/selection";
import { TrustNotes } from "../features/log-upload/trust-notes";
import { UploadPanel } from "../features/log-upload/upload-panel";
import { type Problem, type ReadingState, useReading } from "../features/log-upload/use-reading";
import { useUpload } from "../features/log-upload/use-upload";
import { saveReturnPath } from "../features/sessions/return-to";
import { hasPlayer, useSession } from "../features/sessions/use-session";
import { useSite } from "../features/site/use-site";
import { counted } from "../lib/numbers";
import { claim, connectApp, link, player as playerPath, upload as uploadPath } from "../lib/paths";
import { Alert } from "../ui/alert";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { ConfirmDialog } from "../ui/confirm-dialog";
import { Name } from "../ui/name";
import { EmptyState, ErrorState } from "../ui/states";
import { useTitle } from "../ui/use-title";
import pageCss from "./info-page.module.css";

export default function UploadPage() {
  useTitle("Read my log");
  const site = useSite();
  const { state, read, stop, discard, replace, retry } = useReading();
  const heading = useFocusOnChange(state.is);
  // In other states the browser would leave the page to open the file.
  const isDraggedOver = useFileDrop((source) => state.is === "empty" && read(source));
  return (
    <div className="page">
      <BackButton />
      <p role="status" className="visually-hidden">
        {state.is === "reading" && "Reading your logs."}
        {state.is === "result" && "Your logs are read."}
      </p>
      <header className={pageCss.hero}>
        <h1 ref={heading} tabIndex={-1}>
          Read my log
        </h1>
        {state.is !== "result" && (
          <p className="quiet">
            Your years in {site.game}: hours, contracts, ships, deaths. Your browser reads the logs on your own
            computer. No account is needed to look, and nothing is sent until you say so.
          </p>
        )}
        {state.is === "result" && <Heading reading={state.reading} onDiscard={discard} />}
      </header>
      <div className={css.body}>
        {state.is === "unavailable" && <Unavailable why={state.why} onRetry={retry} />}
        {state.is === "empty" && state.problem && <Alert tone="error">{problemText(state.problem, site.game)}</Alert>}
        {(state.is === "empty" || state.is === "loading") && (
          <DropZone game={site.game} isBusy={state.is === "loading"} isDraggedOver={isDraggedOver} onSource={read} />
        )}
        {state.is === "reading" && <ReadingProgress progress={state.progress} onStop={stop} />}
        {state.is === "result" && <Result key={state.reading.id} reading={state.reading} onChanged={replace} />}
        {(state.is === "empty" || state.is === "result") && <Follow />}
      </div>
      <TrustNotes game={site.game} sourceUrl={site.source_url} />
    </div>
  );
}

/** Moves the focus to the heading when the content below it is replaced, such as the button that was pressed. */
function useFocusOnChange(state: ReadingState["is"]) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(state);
  useEffect(() => {
    if (last.current !== state && last.current !== "loading" && state !== "loading") heading.current?.focus();
    last.current = state;
  }, [state]);
  return heading;
}

function problemText(problem: Problem, game: string): string {
  switch (problem.is) {
    case "no-logs":
      return "No log found. The game writes Game.log to the folder of its channel, such as LIVE.";
    case "unknown":
      return `No log of ${game} found. These files are of another program, or of a form that this page does not know.`;
    case "nobody":
      return "These logs name no player: the game ended before you signed in.";
    case "unreadable":
      return `Your browser could not read the log. ${problem.reason}`;
    default:
      return `Reading failed. ${problem.reason}`;
  }
}

function Unavailable({ why, onRetry }: { why: "missing" | "unsupported" | "unreachable"; onRetry: () => void }) {
  if (why === "unreachable") return <ErrorState title="The reader could not be loaded" onRetry={onRetry} />;
  return (
    <EmptyState
      title={why === "missing" ? "This site cannot read logs in the browser" : "This browser cannot read logs"}
    >
      <div className={css.unavailable}>
        <p>
          {why === "missing"
            ? "It was built without that part."
            : "It lacks WebAssembly or workers. A current Firefox, Chrome, Edge or Safari has both."}{" "}
          The program reads your log, too.
        </p>
        <ButtonLink to={connectApp}>Get the program</ButtonLink>
      </div>
    </EmptyState>
  );
}

/** What was read, and the button that removes it. */
function Heading({ reading, onDiscard }: { reading: Reading; onDiscard: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const { logs, bytes, isComplete, upload } = reading;
  return (
    <>
      <p className="quiet">
        {counted(logs.length, "log")}, {byteSize(bytes)}, {timeSpan(logs)}.{" "}
        {upload ? "" : "Nothing has left this computer."}
        {!isComplete && " Reading was stopped: the rest is missing."}
      </p>
      {upload?.isDone ? (
        <Button onClick={onDiscard}>Read other logs</Button>
      ) : (
        <Button onClick={() => setAsking(true)}>Discard</Button>
      )}
      {isAsking && (
        <ConfirmDialog title="Discard" action="Discard" onConfirm={onDiscard} onCancel={() => setAsking(false)}>
          Removes what was found from this browser. Your logs stay where they are, and so does what was uploaded.
        </ConfirmDialog>
      )}
    </>
  );
}

function Result({ reading, onChanged }: { reading: Reading; onChanged: (reading: Reading) => void }) {
  const { account, own, shared } = useAccount();
  const { ticked, setTicked, share, setShare } = useChoice(reading, own, shared);
  const selection = selectionOf(reading, ticked, share);
  const save = (choice: UploadChoice) => saveSharing(account, choice.share);
  const cache = useQueryClient();
  const { state, upload, pause, resume, stop } = useUpload(reading, save, (saved) => {
    onChanged(saved);
    void cache.invalidateQueries();
  });
  const isBusy = state.is === "sending" || state.is === "stopped";
  const choice = { handles: ticked, share };
  return (
    <>
      <Figures selection={selection} />
      <div className={css.columns}>
        <div className={css.main}>
          <Charts selection={selection} />
          <Leaving selection={selection} share={share} onShare={setShare} disabled={isBusy} />
          <DownloadButton reading={reading} choice={choice} disabled={selection.uploadable === 0} />
        </div>
        <div className={css.side}>
          <Players handles={reading.handles} ticked={ticked} own={own} onChange={setTicked} disabled={isBusy} />
          <UploadPanel
            state={state}
            uploadable={selection.uploadable}
            missing={missingStep(account, own, ticked)}
            careerPath={playerPath(own ?? "", "career")}
            claimPath={claimPath}
            onUpload={() => upload(state.is === "stopped" && reading.upload ? reading.upload.choice : choice)}
            onPause={pause}
            onResume={resume}
            onStop={stop}
          />
          <LogFacts reading={reading} selection={selection} />
        </div>
      </div>
    </>
  );
}

/** The account, its player, and what the player's profile shares. */
function useAccount() {
  const { user, local } = useSession();
  const account = local ? null : user;
  const own = hasPlayer(account) ? account.handle : null;
  const settings = useQuery({ ...playerSettingsQuery(own ?? ""), enabled: own !== null });
  const { pay = false, places = false } = settings.data?.settings?.sharing ?? {};
  const shared: OptIn[] = [...(pay ? (["pay"] as const) : []), ...(places ? (["places"] as const) : [])];
  return { account, own, shared };
}

function Follow() {
  const { own, shared } = useAccount();
  return <FollowPanel canUpload={own !== null} share={shared} />;
}

/** The players and the kinds that are uploaded: first the account's own player, or all, and what its profile shares. */
function useChoice(reading: Reading, own: string | null, shared: OptIn[]) {
  const [ticked, setTicked] = useState<string[] | null>(null);
  const [share, setShare] = useState<OptIn[] | null>(null);
  const all = reading.handles.map(({ handle }) => handle);
  const mine = all.filter((handle) => own !== null && isSamePlayer(handle, own));
  const begun = reading.upload?.choice;
  return {
    ticked: ticked ?? begun?.handles ?? (mine.length > 0 ? mine : all),
    share: share ?? begun?.share ?? shared,
    setTicked,
    setShare,
  };
}

/** The site drops kinds that the profile does not share, so that sending them shares them. */
async function saveSharing(account: UserView | null, share: readonly OptIn[]): Promise<void> {
  if (!hasPlayer(account) || share.length === 0) return;
  const sharing = Object.fromEntries(share.map((name) => [name, true]));
  await savePlayerSettings({ discordId: account.discord_id, handle: account.handle, sharing });
}

const claimPath = (handle: string) => `${claim}?handle=${encodeURIComponent(handle)}`;

/** What an upload needs first; null if nothing is missing. */
function missingStep(account: UserView | null, own: string | null, ticked: readonly string[]): ReactNode {
  const [first] = ticked;
  if (first === undefined) return <p className="quiet">Tick a player to upload.</p>;
  if (!account) {
    return (
      <>
        <p>Uploading needs an account, so that your log counts for you. The result stays here until you are back.</p>
        <div>
          <ButtonLink variant="primary" to={link} onClick={() => saveReturnPath(uploadPath)}>
            Sign in with Discord
          </ButtonLink>
        </div>
      </>
    );
  }
  if (own === null) {
    return (
      <>
        <p>
          Your log counts once <Name>{first}</Name> is yours: claim the player with a code in its bio. The result stays
          here until you are back.
        </p>
        <div>
          <ButtonLink variant="primary" to={claimPath(first)}>
            Claim {first}
          </ButtonLink>
        </div>
      </>
    );
  }
  if (ticked.some((handle) => isSamePlayer(handle, own))) return null;
  return (
    <p>
      An account uploads the logs of the player that it has claimed, which is <Name>{own}</Name>.
    </p>
  );
}
