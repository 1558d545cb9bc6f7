// The upload: what it needs, its progress, and the site's answer.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { counted, exact } from "../../lib/numbers";
import { moment } from "../../lib/times";
import { Alert } from "../../ui/alert";
import { Button, ButtonLink } from "../../ui/button";
import { Name } from "../../ui/name";
import css from "./log-upload.module.css";
import type { UploadProgress, UploadResult } from "./reading";

/** `ready`: not begun. `stopped`: begun, and not at its end. */
export type UploadState =
  | { is: "ready"; error: string | null }
  | { is: "stopped"; events: number; totalEvents: number; error: string | null }
  | { is: "sending"; progress: UploadProgress; isPaused: boolean }
  | { is: "done"; result: UploadResult };

interface UploadPanelProps {
  state: UploadState;
  uploadable: number;
  /** What the upload needs first: an account, a claim. Null if nothing is missing. */
  missing: ReactNode;
  /** The page of the player whose log was uploaded. */
  careerPath: string;
  /** The page to claim a player. */
  claimPath: (handle: string) => string;
  onUpload: () => void;
  onPause: () => void;
  onResume: () => void;
  onStop: () => void;
}

export function UploadPanel({ state, missing, uploadable, onUpload, ...more }: UploadPanelProps) {
  return (
    <section aria-labelledby="upload" className={css.panel}>
      <h2 id="upload">Upload</h2>
      {state.is === "sending" && <Sending {...state} {...more} />}
      {state.is === "done" && <Answer result={state.result} {...more} />}
      {state.is === "stopped" && (
        <p>
          Stopped at {exact(state.events)} of {counted(state.totalEvents, "event")}.
        </p>
      )}
      {(state.is === "stopped" || state.is === "ready") && state.error && <Alert tone="error">{state.error}</Alert>}
      {state.is !== "sending" && missing}
      {state.is === "ready" && !missing && (
        <p className="quiet">
          Your profile counts these events. Keep this page open until they are uploaded; an upload that was stopped can
          be resumed.
        </p>
      )}
      {state.is !== "sending" && !missing && (
        <div>
          <Button variant={isStored(state) ? "quiet" : "primary"} disabled={uploadable === 0} onClick={onUpload}>
            {buttonLabel(state, uploadable)}
          </Button>
        </div>
      )}
    </section>
  );
}

/** The next step is the own profile. */
const isStored = (state: UploadState) => state.is === "done" && state.result.accepted + state.result.known > 0;

function buttonLabel(state: UploadState, uploadable: number): string {
  if (state.is === "stopped") return "Resume upload";
  if (state.is === "done") return "Upload again";
  return `Upload ${counted(uploadable, "event")}`;
}

type SendingProps = Pick<UploadPanelProps, "onPause" | "onResume" | "onStop"> &
  Pick<Extract<UploadState, { is: "sending" }>, "progress" | "isPaused">;

function Sending({ progress, isPaused, onPause, onResume, onStop }: SendingProps) {
  const { events, totalEvents, waiting } = progress;
  return (
    <>
      <p role="status">
        {isPaused ? "Paused" : "Uploading"}: {exact(events)} of {counted(totalEvents, "event")}
      </p>
      <progress className={css.progress} max={Math.max(1, totalEvents)} value={events} aria-labelledby="upload" />
      {waiting && !isPaused && (
        <p className="quiet">
          {waiting.reason} Goes on at {moment(waiting.until / 1000)}.
        </p>
      )}
      <div className={css.actions}>
        {isPaused ? <Button onClick={onResume}>Resume</Button> : <Button onClick={onPause}>Pause</Button>}
        <Button onClick={onStop}>Stop</Button>
      </div>
    </>
  );
}

type AnswerProps = Pick<UploadPanelProps, "careerPath" | "claimPath"> & { result: UploadResult };

/** The site's answer in words. */
function Answer({ result, careerPath, claimPath }: AnswerProps) {
  const { accepted, known, dropped, rejected, refused } = result;
  const isAnyStored = accepted + known > 0;
  return (
    <>
      <Alert tone={isAnyStored || refused.length === 0 ? "success" : "error"}>
        {accepted > 0 && `${counted(accepted, "new event")} ${accepted === 1 ? "is" : "are"} on your profile.`}
        {accepted === 0 && (known > 0 ? "The site has all of these events." : "No event was added.")}
      </Alert>
      <ul className={css.answer}>
        {accepted > 0 && known > 0 && <li>{counted(known, "event")} were known before.</li>}
        {dropped > 0 && <li>{counted(dropped, "event")} were not stored, since your profile does not share them.</li>}
        {rejected.map(({ reason, count }) => (
          <li key={reason}>
            {exact(count)} rejected: {reason}
          </li>
        ))}
        {refused.map(({ handle, reason, claimedBy, events }) => (
          <li key={handle}>
            <Name>{handle}</Name>: {counted(events, "event")} refused. {reason}{" "}
            {claimedBy === "nobody" && (
              <Link to={claimPath(handle)}>
                Claim <Name>{handle}</Name>
              </Link>
            )}
          </li>
        ))}
      </ul>
      {isAnyStored && (
        <div>
          <ButtonLink variant="primary" to={careerPath}>
            Open my Career
          </ButtonLink>
        </div>
      )}
    </>
  );
}
