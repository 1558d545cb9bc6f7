// The signed-in user's data: download, sessions, profile customization, unlinking and deletion.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { asApiError, failureSentence } from "../api/errors";
import { deleteAccount, exportMyData } from "../api/sessions";
import { removePlayerSettings } from "../api/settings";
import type { UserView } from "../api/types";
import { unlink } from "../features/claims/claim-actions";
import { resetClaim } from "../features/claims/claim-store";
import { SessionList } from "../features/sessions/session-list";
import { changeUser, logOut } from "../features/sessions/session-store";
import { avatarOf, displayName, hasPlayer, useSession } from "../features/sessions/use-session";
import { DEFAULT_PLAYER_IMAGE } from "../lib/images";
import { home, link } from "../lib/paths";
import { Alert } from "../ui/alert";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { ConfirmDialog } from "../ui/confirm-dialog";
import { Image } from "../ui/image";
import { Name } from "../ui/name";
import { toast } from "../ui/toast";
import { useTitle } from "../ui/use-title";
import css from "./step-page.module.css";

const FILE_NAME = "my-data.json";

export default function MyData() {
  useTitle("My data");
  const { user, local } = useSession();
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <div className={css.panel}>
        <h1>MY DATA</h1>
        <p className="quiet">Download or delete your data</p>
        {user ? (
          <>
            <Account user={user} />
            <Export />
            {!local && <Sessions />}
            {hasPlayer(user) && <RemoveCustomization user={user} handle={user.handle} />}
            {hasPlayer(user) && <Unlink user={user} handle={user.handle} />}
            <Delete user={user} />
          </>
        ) : (
          <>
            <p>You need to be logged in with Discord to see your data.</p>
            <ButtonLink variant="primary" to={link} className={css.wide}>
              Link with Discord
            </ButtonLink>
          </>
        )}
      </div>
    </div>
  );
}

/** The Discord account. */
function Account({ user }: { user: UserView }) {
  return (
    <p className={css.account}>
      <Image src={avatarOf(user)} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={48} height={48} eager />
      <span>
        <Name className={css.name}>{displayName(user)}</Name>
        <span className="quiet">Signed in with Discord</span>
      </span>
    </p>
  );
}

function Sessions() {
  return (
    <section className={css.section} aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p className="quiet">Browsers that are signed in to your account. Sessions end after 90 days at the latest.</p>
      <SessionList />
    </section>
  );
}

function Export() {
  const exporting = useMutation({ mutationFn: exportMyData, onSuccess: downloadJson });
  return (
    <section className={css.section} aria-labelledby="export">
      <h2 id="export">Download your data</h2>
      <p className="quiet">
        All data stored about you in one JSON file: account, claims, settings, keys without their secrets, and your
        player's statistics.
      </p>
      <Button disabled={exporting.isPending} onClick={() => exporting.mutate()}>
        {exporting.isPending ? "Preparing…" : "Download JSON"}
      </Button>
      {exporting.isSuccess && <Alert tone="success">Download started.</Alert>}
      {exporting.isError && <Alert tone="error">{failureSentence(exporting.error)}</Alert>}
    </section>
  );
}

function RemoveCustomization({ user, handle }: { user: UserView; handle: string }) {
  const cache = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const removing = useMutation({
    mutationFn: () => removePlayerSettings(user.discord_id),
    onSuccess: () => {
      void cache.invalidateQueries();
      toast({ tone: "success", title: "Profile customization removed." });
    },
    onSettled: () => setConfirming(false),
  });
  return (
    <section className={css.section} aria-labelledby="clear">
      <h2 id="clear">Remove profile customization</h2>
      <p className="quiet">
        Removes the picture, banner and stickers of <Name>{handle}</Name>, and makes the page public if it was hidden.
        Statistics are kept.
      </p>
      <Button onClick={() => setConfirming(true)}>Remove profile customization</Button>
      {removing.isError && <Alert tone="error">{removalErrorText(removing.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Remove profile customization?"
          action="Remove"
          isPending={removing.isPending}
          onConfirm={() => removing.mutate()}
          onCancel={() => setConfirming(false)}
        >
          Picture, banner and stickers are removed, and the page becomes public.
        </ConfirmDialog>
      )}
    </section>
  );
}

function Unlink({ user, handle }: { user: UserView; handle: string }) {
  const [isConfirming, setConfirming] = useState(false);
  const unlinking = useMutation({
    mutationFn: () => unlink(user.discord_id),
    onSuccess: () => {
      changeUser({ handle: null, org_short: null });
      toast({ tone: "success", title: "Your profile was unlinked." });
    },
    onSettled: () => setConfirming(false),
  });
  return (
    <section className={css.section} aria-labelledby="unlink">
      <h2 id="unlink">
        Unlink <Name>{handle}</Name>
      </h2>
      <p className="quiet">
        The statistics are kept. Picture, banner and stickers are removed. A hidden page remains hidden until somebody
        claims the player.
      </p>
      <Button onClick={() => setConfirming(true)}>Unlink my profile</Button>
      {unlinking.isError && <Alert tone="error">{unlinking.error.message}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Unlink your profile?"
          action="Unlink"
          isPending={unlinking.isPending}
          onConfirm={() => unlinking.mutate()}
          onCancel={() => setConfirming(false)}
        >
          You can no longer edit the page of <Name>{handle}</Name>. Its picture, banner and stickers are removed. You
          can claim it again with a new code.
        </ConfirmDialog>
      )}
    </section>
  );
}

function Delete({ user }: { user: UserView }) {
  const navigate = useNavigate();
  const [isConfirming, setConfirming] = useState(false);
  const deleting = useMutation({
    mutationFn: deleteAccount,
    onSuccess: async () => {
      resetClaim("player");
      resetClaim("guild");
      await logOut(true);
      toast({ tone: "success", title: "Your account was deleted." });
      navigate(home);
    },
    onError: () => setConfirming(false),
  });
  return (
    <section className={css.section} aria-labelledby="delete">
      <h2 id="delete">Delete my account</h2>
      <p className="quiet">
        Deletes your account, sessions, claims, settings, pictures and keys immediately. Statistics from the game's logs
        are kept, but no longer linked to you.
      </p>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        Delete my account
      </Button>
      {deleting.isError && <Alert tone="error">{failureSentence(deleting.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Delete your account?"
          action="Delete account"
          isPending={deleting.isPending}
          onConfirm={() => deleting.mutate()}
          onCancel={() => setConfirming(false)}
        >
          The account of <Name>{displayName(user)}</Name> and all data listed above will be deleted. This cannot be
          undone.
        </ConfirmDialog>
      )}
    </section>
  );
}

function removalErrorText(error: Error): string {
  return asApiError(error).status === 401 ? "You must be logged in to delete profile settings" : failureSentence(error);
}

/** Downloads data as a JSON file. */
function downloadJson(data: Record<string, unknown>): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = FILE_NAME;
  anchor.click();
  URL.revokeObjectURL(url);
}
