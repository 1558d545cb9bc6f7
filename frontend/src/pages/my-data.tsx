// What the site keeps of the signed-in user, in their own hands: take it along, give the player back, delete it all.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { ApiError, asApiError } from "../api/errors";
import { deleteAccount, exportMyData } from "../api/sessions";
import { removePlayerSettings } from "../api/settings";
import type { UserView } from "../api/types";
import { unlink } from "../features/claims/claim-acts";
import { resetClaim } from "../features/claims/claim-store";
import { changeUser, logOut } from "../features/sessions/session-store";
import { displayName, hasPlayer, useSession } from "../features/sessions/use-session";
import { home, link } from "../lib/paths";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Note } from "../ui/note";
import { toast } from "../ui/toast";
import { useTitle } from "../ui/use-title";
import css from "./step-page.module.css";

const FILE = "my-data.json";

export default function MyData() {
  useTitle("My data");
  const { user } = useSession();
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <div className={css.panel}>
        <h1>MY DATA</h1>
        <p className="quiet">What this site keeps of you, in your own hands</p>
        {user ? (
          <>
            <Export />
            {hasPlayer(user) && <Clear user={user} handle={user.handle} />}
            {hasPlayer(user) && <Unlink user={user} handle={user.handle} />}
            <Delete user={user} />
          </>
        ) : (
          <>
            <p>You need to be logged in with Discord to see your data.</p>
            <ButtonLink look="primary" to={link} className={css.wide}>
              Link with Discord
            </ButtonLink>
          </>
        )}
      </div>
    </div>
  );
}

function Export() {
  const [state, setState] = useState<"idle" | "busy" | "done" | { error: string }>("idle");
  const load = async () => {
    setState("busy");
    try {
      save(await exportMyData());
      setState("done");
    } catch (error) {
      setState({ error: told(error) });
    }
  };
  return (
    <section className={css.section} aria-labelledby="export">
      <h2 id="export">Take it along</h2>
      <p className="quiet">
        Everything stored on you, in one JSON file: your account, your claims and settings, your keys without their
        secrets, and your player's figures.
      </p>
      <Button disabled={state === "busy"} onClick={() => void load()}>
        {state === "busy" ? "Gathering…" : "Export as JSON"}
      </Button>
      {state === "done" && <Note tone="success">The file was handed to your browser.</Note>}
      {typeof state === "object" && <Note tone="error">{state.error}</Note>}
    </section>
  );
}

function Clear({ user, handle }: { user: UserView; handle: string }) {
  const cache = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const go = async () => {
    const failed = await removePlayerSettings(user.discord_id).then(
      () => null,
      (failure: unknown) =>
        asApiError(failure).status === 401 ? "You must be logged in to delete profile settings" : told(failure),
    );
    setAsking(false);
    setError(failed);
    if (failed) return;
    void cache.invalidateQueries();
    toast({ tone: "success", title: "Your page is as new." });
  };
  return (
    <section className={css.section} aria-labelledby="clear">
      <h2 id="clear">Clear my page</h2>
      <p className="quiet">
        Takes away the picture, the banner and the stickers of <bdi>{handle}</bdi>, and shows the page to everybody
        again if it was hidden. The figures stay.
      </p>
      <Button onClick={() => setAsking(true)}>Clear my page</Button>
      {error && <Note tone="error">{error}</Note>}
      {asking && (
        <Ask
          title="Clear your page?"
          text="Picture, banner and stickers will be gone, and the page will be public."
          yes="Clear"
          onYes={go}
          onNo={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function Unlink({ user, handle }: { user: UserView; handle: string }) {
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const go = async () => {
    const failed = await unlink(user.discord_id);
    setAsking(false);
    setError(failed);
    if (failed) return;
    changeUser({ handle: null, org_short: null });
    toast({ tone: "success", title: "Your profile was unlinked." });
  };
  return (
    <section className={css.section} aria-labelledby="unlink">
      <h2 id="unlink">
        Unlink <bdi>{handle}</bdi>
      </h2>
      <p className="quiet">The player's figures stay; you no longer edit the page, and somebody else may claim it.</p>
      <Button onClick={() => setAsking(true)}>Unlink my profile</Button>
      {error && <Note tone="error">{error}</Note>}
      {asking && (
        <Ask
          title="Unlink your profile?"
          text={`${handle} will no longer be yours on this site. You can claim it again with a new code.`}
          yes="Unlink"
          onYes={go}
          onNo={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function Delete({ user }: { user: UserView }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const go = async () => {
    try {
      await deleteAccount();
    } catch (failure) {
      setAsking(false);
      return setError(told(failure));
    }
    resetClaim("player");
    resetClaim("guild");
    await logOut(true);
    toast({ tone: "success", title: "Your account was deleted." });
    navigate(home);
  };
  return (
    <section className={css.section} aria-labelledby="delete">
      <h2 id="delete">Delete my account</h2>
      <p className="quiet">
        Removes your account, sessions, claims, settings, pictures and keys at once. Figures that come from the game's
        logs stay, without any tie to you.
      </p>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete my account
      </Button>
      {error && <Note tone="error">{error}</Note>}
      {asking && (
        <Ask
          title="Delete your account?"
          text={`The account of ${displayName(user)} and all that is listed above will be gone. This cannot be undone.`}
          yes="Delete for good"
          onYes={go}
          onNo={() => setAsking(false)}
        />
      )}
    </section>
  );
}

function Ask(props: { title: string; text: string; yes: string; onYes: () => Promise<void>; onNo: () => void }) {
  const [busy, setBusy] = useState(false);
  return (
    <Dialog
      title={props.title}
      onClose={props.onNo}
      actions={
        <>
          <Button onClick={props.onNo}>Cancel</Button>
          <Button
            look="danger"
            disabled={busy}
            onClick={() => {
              setBusy(true);
              void props.onYes();
            }}
          >
            {props.yes}
          </Button>
        </>
      }
    >
      <p>{props.text}</p>
    </Dialog>
  );
}

/** Hands the answer to the browser as a file. */
function save(data: Record<string, unknown>): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = FILE;
  anchor.click();
  URL.revokeObjectURL(url);
}

const told = (error: unknown) =>
  error instanceof ApiError && error.status > 0 ? error.message : "The server could not be reached.";
