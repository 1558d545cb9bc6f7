// Sign-in with Discord: the button that starts it and the OAuth callback.
import { type UseQueryResult, useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { configQuery, type SiteSettings } from "../api/config";
import { ApiError } from "../api/errors";
import type { UserView } from "../api/types";
import { beginSignIn, endSignIn, redirectTo, StorageError, verifierOf } from "../features/sessions/oauth";
import { consumeReturnPath } from "../features/sessions/return-to";
import { signIn, signInLocally } from "../features/sessions/sign-in";
import { avatarOf, displayName, isSignedIn, useSession } from "../features/sessions/use-session";
import { DEFAULT_PLAYER_IMAGE } from "../lib/images";
import { home, link, profile } from "../lib/paths";
import { Alert } from "../ui/alert";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { Image } from "../ui/image";
import { Name } from "../ui/name";
import { Spinner } from "../ui/states";
import { toast } from "../ui/toast";
import { useTitle } from "../ui/use-title";
import css from "./step-page.module.css";

const REDIRECT_DELAY_MS = 1_500;
const STATE_MISMATCH = "This sign-in was not started in this browser or was already used. Please try again.";
const INSECURE_CONTEXT = "Signing in needs a secure (https) address. Please open the site under its https address.";

type Outcome = { is: "none" | "linking" } | { is: "error"; text: string } | { is: "success"; text: string };

export default function LinkPage() {
  useTitle("Link your account");
  const config = useQuery(configQuery());
  const { user } = useSession();
  const [params] = useSearchParams();
  const toClaim = params.get("for") === "claim";
  const outcome = useOAuthCallback(config.data?.discord?.redirectUri, config.isPending);
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <div className={css.panel}>
        <h1>LINK YOUR ACCOUNT</h1>
        <p className="quiet">Link your Discord account to access your stats and exclusive features</p>
        {outcome.is === "linking" ? (
          <Spinner label="Linking your account..." />
        ) : outcome.is === "success" ? (
          <Alert tone="success">{outcome.text}</Alert>
        ) : (
          <>
            {outcome.is === "error" && <Alert tone="error">{outcome.text}</Alert>}
            {!user && toClaim && <p>You need to log in with Discord first to claim your profile.</p>}
            {user ? <Linked user={user} /> : <SignInOptions config={config} />}
          </>
        )}
      </div>
    </div>
  );
}

/** Handles the OAuth callback once, then removes it from the URL. */
function useOAuthCallback(redirectUri: string | undefined, waiting: boolean): Outcome {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const [outcome, setOutcome] = useState<Outcome>({ is: params.has("code") ? "linking" : "none" });
  const isHandled = useRef(false);
  const { mutate } = useMutation({
    mutationFn: async (back: { code: string; state: string | null; redirectUri: string; verifier: string }) => {
      const signedIn = await signIn(back.code, back.redirectUri, back.verifier);
      if (!signedIn.local) endSignIn(back.state);
      return signedIn;
    },
  });
  const code = params.get("code");
  const refusal = params.get("error");
  const state = params.get("state");
  const redirectTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(redirectTimer.current), []);

  useEffect(() => {
    if (isHandled.current || (!code && !refusal) || (code && waiting)) return;
    isHandled.current = true;
    const verifier = verifierOf(state);
    const clear = () => navigate(link, { replace: true });
    const fail = (text: string) => {
      // Discord sometimes calls back twice: the first callback has signed the user in.
      if (isSignedIn()) {
        setOutcome({ is: "none" });
        navigate(consumeReturnPath() ?? link, { replace: true });
      } else {
        setOutcome({ is: "error", text });
        clear();
      }
    };
    if (refusal || !code) {
      return fail(
        refusal === "access_denied"
          ? "You cancelled the sign-in at Discord. Nothing was linked."
          : "Failed to authenticate with Discord",
      );
    }
    if (!verifier) return fail(STATE_MISMATCH);
    if (!redirectUri) return fail("Discord link failed");
    mutate(
      { code, state, redirectUri, verifier },
      {
        onSuccess: ({ local, warning }) => {
          if (warning) toast({ tone: "error", title: "Something Went Wrong", text: warning });
          setOutcome({
            is: "success",
            text: local
              ? "The server cannot be reached. You are signed in as a local user, in this browser only."
              : "Your account is linked.",
          });
          clear();
          redirectTimer.current = setTimeout(() => navigate(consumeReturnPath() ?? home), REDIRECT_DELAY_MS);
        },
        onError: (error) => fail(error.message),
      },
    );
  }, [code, refusal, state, redirectUri, waiting, navigate, mutate]);
  return outcome;
}

function SignInOptions({ config }: { config: UseQueryResult<SiteSettings> }) {
  const [text, setText] = useState<string | null>(null);
  const [isLeaving, setLeaving] = useState(false);
  const navigate = useNavigate();
  if (config.isPending) return <Spinner label="Loading…" />;
  if (config.isLoadingError) {
    const unreached = config.error instanceof ApiError && config.error.status === 0;
    const continueLocally = async () => {
      if (await signInLocally()) navigate(home);
      else void config.refetch();
    };
    return (
      <>
        <Alert tone="error">{unreached ? "The server could not be reached." : "Failed to link with Discord"}</Alert>
        <div className={css.actions}>
          <Button onClick={() => void config.refetch()}>Try again</Button>
          {unreached && <Button onClick={() => void continueLocally()}>Continue as a local user</Button>}
        </div>
      </>
    );
  }
  const { discord } = config.data;
  if (!discord) {
    return (
      <div className={css.plain}>
        <h2>Discord Link not configured.</h2>
        <p className="quiet">Please set up Discord app credentials in .env file</p>
      </div>
    );
  }
  const goToDiscord = async () => {
    setLeaving(true);
    try {
      redirectTo(await beginSignIn(discord));
    } catch (error) {
      if (error instanceof StorageError) setText(error.message);
      else setText(window.isSecureContext ? "Discord link failed" : INSECURE_CONTEXT);
      setLeaving(false);
    }
  };
  return (
    <>
      {text && <Alert tone="error">{text}</Alert>}
      <Button variant="primary" className={css.wide} disabled={isLeaving} onClick={() => void goToDiscord()}>
        Link with Discord
      </Button>
      <p className={css.small}>
        Discord shares your name, picture and e-mail address with this site, but not your password.
      </p>
    </>
  );
}

function Linked({ user }: { user: UserView }) {
  return (
    <>
      <p className={css.account}>
        <Image src={avatarOf(user)} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={48} height={48} eager />
        <span>
          You are linked as <Name className={css.name}>{displayName(user)}</Name>.
        </span>
      </p>
      <div className={css.actions}>
        <ButtonLink variant="primary" to={profile}>
          My Profile
        </ButtonLink>
        <ButtonLink to={home}>Home</ButtonLink>
      </div>
    </>
  );
}
