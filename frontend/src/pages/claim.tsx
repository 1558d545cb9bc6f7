// Claims a player, whom `?handle=` can name, or with `?guild=TAG` a guild: start, verify, success. The state is stored in the browser.
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useEffect, useState } from "react";
import { Link, useLocation, useNavigate, useSearchParams } from "react-router";
import type { UserView } from "../api/types";
import * as acts from "../features/claims/claim-actions";
import { type Claim, type ClaimKind, IDLE_CLAIM, resetClaim, useClaim } from "../features/claims/claim-store";
import { saveReturnPath } from "../features/sessions/return-to";
import { changeUser, claimLocally } from "../features/sessions/session-store";
import { hasPlayer, useSession } from "../features/sessions/use-session";
import { useSite } from "../features/site/use-site";
import {
  canReadLogs,
  claim as claimPath,
  guild as guildPath,
  link,
  linkToClaim,
  myData,
  player as playerPath,
  upload,
} from "../lib/paths";
import { Alert } from "../ui/alert";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Name } from "../ui/name";
import { Spinner } from "../ui/states";
import { toast } from "../ui/toast";
import { useTitle } from "../ui/use-title";
import css from "./step-page.module.css";

export default function ClaimPage() {
  const [params] = useSearchParams();
  const tag = params.get("guild")?.toUpperCase() ?? null;
  const { user } = useSession();
  useTitle(tag ? "Claim your guild" : "Claim your profile");
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <div className={css.panel}>
        <h1>{tag ? "CLAIM YOUR GUILD" : "CLAIM YOUR PROFILE"}</h1>
        <p className="quiet">
          {tag
            ? "Verify that you manage the guild to edit its page"
            : "Verify ownership of your profile to access exclusive features"}
        </p>
        {user ? <Steps key={tag} user={user} tag={tag} /> : <NotLoggedIn guild={tag !== null} />}
      </div>
    </div>
  );
}

function NotLoggedIn({ guild }: { guild: boolean }) {
  const { search } = useLocation();
  return (
    <>
      <p>
        {guild
          ? "You need to be logged in with Discord to claim a guild."
          : "You need to be logged in with Discord to claim a player profile."}
      </p>
      <ButtonLink
        variant="primary"
        to={guild ? link : linkToClaim}
        onClick={() => search && saveReturnPath(claimPath + search)}
        className={css.wide}
      >
        Link with Discord
      </ButtonLink>
    </>
  );
}

function Steps({ user, tag }: { user: UserView; tag: string | null }) {
  const kind: ClaimKind = tag ? "guild" : "player";
  const stored = useClaim(kind);
  // Ignore a claim of another user or another guild.
  const isOwn = stored.discordId === user.discord_id && (!tag || stored.handle.toUpperCase() === tag);
  const claim = isOwn ? stored : { ...IDLE_CLAIM, error: stored.discordId ? "" : stored.error };
  const already = tag ? user.guild_ownership?.toUpperCase() === tag : hasPlayer(user);
  if (claim.status === "success" || (already && !claim.active)) {
    return <Success kind={kind} name={tag ?? user.handle ?? claim.handle} demo={claim.error} user={user} />;
  }
  if (claim.active) return <Verify kind={kind} claim={claim} />;
  return <Start kind={kind} claim={claim} tag={tag} user={user} />;
}

function Start({ kind, claim, tag, user }: { kind: ClaimKind; claim: Claim; tag: string | null; user: UserView }) {
  const [params] = useSearchParams();
  const [handle, setHandle] = useState(tag ?? params.get("handle") ?? "");
  const generating = claim.status === "generating";
  const { mutate: start } = useMutation({ mutationFn: () => acts.startClaimProcess(kind, handle, user.discord_id) });
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <form className={css.form} onSubmit={submit}>
      {tag ? (
        <p>
          You are about to claim{" "}
          <strong>
            <Name>{tag}</Name>
          </strong>
          . You need to be able to edit the organization's public page on the game's site.
        </p>
      ) : (
        <div className={css.field}>
          <label htmlFor="handle">Your handle in the game</label>
          <input
            id="handle"
            value={handle}
            placeholder="YourHandle"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={60}
            onChange={(event) => setHandle(event.target.value)}
            onKeyDown={(event) => {
              // The button is disabled while the field is empty; Enter still shows the message.
              if (event.key === "Enter" && handle.trim() === "") submit(event);
            }}
          />
        </div>
      )}
      {claim.error && <Alert tone="error">{claim.error}</Alert>}
      <Button type="submit" variant="primary" className={css.wide} disabled={generating || handle.trim() === ""}>
        Start Claim Process
      </Button>
      {generating && <Spinner label="Generating verification code..." />}
    </form>
  );
}

function Verify({ kind, claim }: { kind: ClaimKind; claim: Claim }) {
  const { game } = useSite();
  const verifying = claim.status === "verifying";
  const { mutate: verify } = useMutation({
    mutationFn: () => acts.verify(kind, kind === "player" ? () => claimLocally(claim.handle) : undefined),
    onSuccess: (found) => {
      if (!found) return;
      if (kind === "player") changeUser({ handle: found.handle, org_short: found.org_short });
      else changeUser({ guild_ownership: found.handle.toUpperCase() });
    },
  });
  const { mutate: cancel } = useMutation({ mutationFn: () => acts.cancel(kind) });
  return (
    <>
      <div>
        <p className={css.codeLabel}>
          Your verification code for <Name>{claim.handle}</Name>
        </p>
        <div className={css.code}>
          <code>{claim.expectedTag}</code>
          <CopyButton text={claim.expectedTag} label="Copy" />
        </div>
      </div>
      <ol className={css.steps}>
        {kind === "player" ? (
          <>
            <li>Edit your profile on the {game} site.</li>
            <li>Add the code to the Bio section.</li>
            <li>Save your profile.</li>
          </>
        ) : (
          <>
            <li>Edit your organization's public page on the {game} site.</li>
            <li>Add the code to its introduction, history, manifesto or charter.</li>
            <li>Save the page.</li>
          </>
        )}
        <li>Return here and press Verify.</li>
      </ol>
      {claim.oneTimeUse && (
        <p className={css.small}>This is a one-time verification code that will be valid until used</p>
      )}
      {claim.error && <Alert tone="error">{claim.error}</Alert>}
      <div className={css.actions}>
        <Button variant="primary" disabled={verifying} onClick={() => verify()}>
          Verify
        </Button>
        <Button disabled={verifying} onClick={() => cancel()}>
          Cancel
        </Button>
      </div>
      {verifying && <Spinner label="Verifying your profile..." />}
    </>
  );
}

function Success({ kind, name, demo, user }: { kind: ClaimKind; name: string; demo: string; user: UserView }) {
  const navigate = useNavigate();
  useEffect(() => {
    if (demo) toast({ tone: "success", title: demo });
  }, [demo]);
  const goToProfile = () => {
    if (kind === "guild") return navigate(guildPath(name));
    if (hasPlayer(user)) return navigate(playerPath(user.handle));
    toast({ tone: "error", title: "Could not find your player profile. Please try again." });
    resetClaim(kind);
  };
  return (
    <>
      <p role="status" className={css.done}>
        {kind === "guild" ? "Guild claimed: " : "Profile claimed: "}
        <Name>{name}</Name>
      </p>
      {demo && <Alert tone="success">{demo}</Alert>}
      <div className={css.actions}>
        <Button variant="primary" onClick={goToProfile}>
          {kind === "guild" ? "Go to My Guild" : "Go to My Profile"}
        </Button>
        {kind === "player" && canReadLogs && <ButtonLink to={upload}>Read my log</ButtonLink>}
      </div>
      {kind === "player" && (
        <p className={css.small}>
          Not your player? Unlink it under <Link to={myData}>My Data</Link>.
        </p>
      )}
    </>
  );
}
