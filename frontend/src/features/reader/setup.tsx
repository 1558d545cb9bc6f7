// Setup of a reader: game, site, and consent. Shown until all three steps are complete.
import { Check } from "lucide-react";
import { type FormEvent, type ReactNode, useState } from "react";
import { cancelConnect, changeReader, connectReader, type ReaderState } from "../../api/reader";
import { Alert } from "../../ui/alert";
import { Button, ExternalLink } from "../../ui/button";
import css from "./setup.module.css";
import { useReaderChange } from "./use-reader-change";
import { useTranslation } from "./use-translation";

export const isSetUp = (state: ReaderState) => state.logs.length > 0 && state.is_connected && state.is_agreed;

export function Setup({ state }: { state: ReaderState }) {
  const t = useTranslation();
  return (
    <section aria-labelledby="setup" className={css.setup}>
      <h2 id="setup">{t("p_setup")}</h2>
      <ol role="list" className={css.steps}>
        <Step number={1} title={t("p_step_game")} done={state.logs.length > 0}>
          <Logs state={state} />
        </Step>
        <Step number={2} title={t("p_step_site")} done={state.is_connected}>
          <Site state={state} />
        </Step>
        <Step number={3} title={t("p_step_share")} done={state.is_connected && state.is_agreed}>
          <Notice state={state} />
        </Step>
      </ol>
    </section>
  );
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}) {
  return (
    <li className={css.step} data-done={done || undefined}>
      <span className={css.number} aria-hidden="true">
        {done ? <Check size={20} /> : number}
      </span>
      <div className={css.body}>
        <h3>{title}</h3>
        {children}
      </div>
    </li>
  );
}

/** The followed logs, and a form to add another. */
export function Logs({ state }: { state: ReaderState }) {
  const t = useTranslation();
  const { change, busy, error } = useReaderChange();
  const [path, setPath] = useState("");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (await change(changeReader({ add_log: path }))) setPath("");
  };
  return (
    <>
      {state.logs.length === 0 && <p className="quiet">{t("p_not_found")}</p>}
      <ul role="list" className={css.logs}>
        {state.logs.map((log) => (
          <li key={log.path}>
            <code>{log.path}</code>
            <span className="quiet" data-followed={log.is_followed || undefined}>
              {t(log.is_followed ? "p_log_reading" : "p_log_waiting")}
            </span>
            <Button
              size="small"
              aria-label={t("p_remove", { path: log.path })}
              title={t("p_remove", { path: log.path })}
              disabled={busy}
              onClick={() => void change(changeReader({ remove_log: log.path }))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
      <form className={css.line} onSubmit={(event) => void add(event)}>
        <label htmlFor="folder" className="visually-hidden">
          {t("p_folder")}
        </label>
        <input
          id="folder"
          value={path}
          placeholder={t("p_folder")}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setPath(event.target.value)}
        />
        <Button type="submit" disabled={busy || path.trim() === ""}>
          {t("p_add")}
        </Button>
      </form>
      {error && <Alert tone="error">{error}</Alert>}
    </>
  );
}

/** The site that receives events: connect, confirm a code there, or disconnect. */
export function Site({ state }: { state: ReaderState }) {
  const t = useTranslation();
  const { change, busy, error } = useReaderChange();
  const [address, setAddress] = useState(state.server ?? "");
  const { login } = state;
  if (login) return <PendingLogin login={login} busy={busy} onCancel={() => void change(cancelConnect())} />;
  if (state.is_connected && state.server) {
    return (
      <div className={css.line}>
        <p className={css.grow}>{t("p_connected", { server: state.server })}</p>
        <Button size="small" disabled={busy} onClick={() => void change(changeReader({ disconnect: true }))}>
          {t("p_disconnect")}
        </Button>
      </div>
    );
  }
  const connect = (event: FormEvent) => {
    event.preventDefault();
    void change(connectReader(address));
  };
  return (
    <>
      <form className={css.line} onSubmit={connect}>
        <label htmlFor="site" className="visually-hidden">
          {t("p_address")}
        </label>
        <input
          id="site"
          inputMode="url"
          value={address}
          placeholder={t("p_address")}
          autoComplete="url"
          spellCheck={false}
          onChange={(event) => setAddress(event.target.value)}
        />
        <Button type="submit" variant="primary" disabled={busy || address.trim() === ""}>
          {t("p_connect")}
        </Button>
      </form>
      {error && <Alert tone="error">{error}</Alert>}
    </>
  );
}

interface PendingLoginProps {
  login: NonNullable<ReaderState["login"]>;
  busy: boolean;
  onCancel: () => void;
}

/** A code that the user confirms on the site. */
function PendingLogin({ login, busy, onCancel }: PendingLoginProps) {
  const t = useTranslation();
  return (
    <>
      <p>{t("p_code")}</p>
      <p className={css.code}>
        <code>{login.code}</code>
      </p>
      {login.error && <Alert tone="error">{login.error}</Alert>}
      <div className={css.line}>
        <ExternalLink variant="primary" href={login.confirm_url}>
          {t("p_open_page")}
        </ExternalLink>
        <Button disabled={busy} onClick={onCancel}>
          {t("p_cancel")}
        </Button>
      </div>
    </>
  );
}

/** The privacy notice. Nothing is sent before the user agrees. */
export function Notice({ state }: { state: ReaderState }) {
  const t = useTranslation();
  const { change, busy, error } = useReaderChange();
  return (
    <>
      {state.notice.map((line) => (
        <p key={line} className="quiet">
          {line}
        </p>
      ))}
      {state.is_connected && !state.is_agreed && (
        <div>
          <Button variant="primary" disabled={busy} onClick={() => void change(changeReader({ agree: true }))}>
            {t("p_agree")}
          </Button>
        </div>
      )}
      {error && <Alert tone="error">{error}</Alert>}
    </>
  );
}
