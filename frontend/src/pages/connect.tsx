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
        <p className="quiet">Confirm the code that your reader shows, and it sends your events to your account.</p>
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
        <label htmlFor="code">Code of your reader</label>
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
        Look it up
      </Button>
    </form>
  );
}

function PendingLogin({ code }: { code: string }) {
  const asked = useQuery(pendingLoginQuery(code));
  if (asked.isPending) return <Spinner label="Looking up the code..." />;
  if (asked.isLoadingError) return <EnterCode error={failureSentence(asked.error)} />;
  return <Confirm asked={asked.data} />;
}

function Confirm({ asked }: { asked: PendingReaderLogin }) {
  const answering = useMutation({ mutationFn: (allow: boolean) => answerLogin(asked.code, allow) });
  const state = answering.data?.state;
  if (state === "confirmed") {
    return (
      <>
        <Alert tone="success">Your reader is connected. You can close this page.</Alert>
        <ButtonLink to={connectApp}>Your keys</ButtonLink>
      </>
    );
  }
  if (state === "refused") return <Alert tone="success">The reader was refused. It gets nothing.</Alert>;
  return (
    <>
      <div>
        <p className={css.codeLabel}>
          A reader called <bdi>{asked.name}</bdi> shows this code
        </p>
        <div className={css.code}>
          <code>{asked.code}</code>
        </div>
      </div>
      <p>
        Confirm only if <strong>you started this reader just now</strong> and it shows the very same code. It will be
        able to send events in your name, and nothing else; you can revoke its key at any time.
      </p>
      {!asked.is_near && (
        <Alert tone="error">It asks from another network than yours. If it is not in front of you, refuse it.</Alert>
      )}
      {answering.isError && <Alert tone="error">{failureSentence(answering.error)}</Alert>}
      <div className={css.actions}>
        <Button variant="primary" disabled={answering.isPending} onClick={() => answering.mutate(true)}>
          Confirm
        </Button>
        <Button disabled={answering.isPending} onClick={() => answering.mutate(false)}>
          Refuse
        </Button>
      </div>
    </>
  );
}
