// Confirms the code of a log reader for the signed-in user. The name of the reader is shown before it gets access.
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useSearchParams } from "react-router";
import { failureSentence } from "../api/errors";
import { answerLogin, pendingLoginQuery } from "../api/reader";
import type { PendingReaderLogin } from "../api/types";
import { saveReturnPath } from "../features/sessions/return-to";
import { useSession } from "../features/sessions/use-session";
import { connect, connectApp, link } from "../lib/paths";
import { Alert } from "../ui/alert";
import { BackButton } from "../ui/back-button";
import { Button, ButtonLink } from "../ui/button";
import { Name } from "../ui/name";
import { Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./step-page.module.css";

export default function ConnectPage() {
  useTitle("Connect a log reader");
  const { user, local } = useSession();
  const [params] = useSearchParams();
  const code = params.get("code") ?? "";
  return (
    <div className={`page ${css.page}`}>
      <BackButton />
      <div className={css.panel}>
        <h1>CONNECT A LOG READER</h1>
        <p className="quiet">
          Confirm the code that your reader shows. The reader then uploads your events to your account.
        </p>
        {!user || local ? <SignInFirst code={code} /> : code ? <PendingLogin key={code} code={code} /> : <EnterCode />}
      </div>
    </div>
  );
}

function SignInFirst({ code }: { code: string }) {
  return (
    <>
      <p>You need to be logged in with Discord to connect a reader.</p>
      <ButtonLink
        variant="primary"
        to={link}
        className={css.wide}
        onClick={() => code && saveReturnPath(`${connect}?code=${encodeURIComponent(code)}`)}
      >
        Link with Discord
      </ButtonLink>
    </>
  );
}

function EnterCode({ error }: { error?: string }) {
  const [, setParams] = useSearchParams();
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParams({ code: typed.trim().toUpperCase() });
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <div className={css.field}>
        <label htmlFor="code">Reader code</label>
        <input
          id="code"
          value={typed}
          placeholder="BCDF-GHJK"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={12}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      {error && <Alert tone="error">{error}</Alert>}
      <Button type="submit" variant="primary" className={css.wide} disabled={typed.trim() === ""}>
        Continue
      </Button>
    </form>
  );
}

function PendingLogin({ code }: { code: string }) {
  const login = useQuery(pendingLoginQuery(code));
  if (login.isPending) return <Spinner label="Looking up the code..." />;
  if (login.isLoadingError) return <EnterCode error={failureSentence(login.error)} />;
  return <Confirm login={login.data} />;
}

function Confirm({ login }: { login: PendingReaderLogin }) {
  const decision = useMutation({ mutationFn: (allow: boolean) => answerLogin(login.code, allow) });
  const state = decision.data?.state;
  if (state === "confirmed") {
    return (
      <>
        <Alert tone="success">Your reader is connected. You can close this page.</Alert>
        <ButtonLink to={connectApp}>Your keys</ButtonLink>
      </>
    );
  }
  if (state === "refused") return <Alert tone="success">Request denied. Nothing was connected.</Alert>;
  return (
    <>
      <div>
        <p className={css.codeLabel}>
          The reader <Name>{login.name}</Name> shows this code
        </p>
        <div className={css.code}>
          <code>{login.code}</code>
        </div>
      </div>
      <p>
        Confirm only if <strong>you have just started this reader</strong> and it shows the same code. It can then
        upload events to your account, but nothing else. You can revoke its key at any time.
      </p>
      {!login.is_near && (
        <Alert tone="error">
          The request comes from a different network. Deny it unless you started the reader there.
        </Alert>
      )}
      {decision.isError && <Alert tone="error">{failureSentence(decision.error)}</Alert>}
      <div className={css.actions}>
        <Button variant="primary" disabled={decision.isPending} onClick={() => decision.mutate(true)}>
          Confirm
        </Button>
        <Button disabled={decision.isPending} onClick={() => decision.mutate(false)}>
          Deny
        </Button>
      </div>
    </>
  );
}
