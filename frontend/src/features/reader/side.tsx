// The side column: state of uploads, and settings.
import { Pause, Play } from "lucide-react";
import { changeReader, type EventKind, type ReaderPage, type ReaderState } from "../../api/reader";
import { exact } from "../../lib/numbers";
import { Alert } from "../../ui/alert";
import { Button, ExternalLink } from "../../ui/button";
import { Logs, Notice, Site } from "./setup";
import css from "./side.module.css";
import { TextWithHandle } from "./text-with-handle";
import { useReaderChange } from "./use-reader-change";
import { useTranslation } from "./use-translation";

export function Upload({ page }: { page: ReaderPage }) {
  const t = useTranslation();
  const { change, busy, error } = useReaderChange();
  const { state } = page;
  const { upload } = state;
  const line = () => {
    if (!state.is_connected) return t("p_upload_none");
    if (!state.is_agreed) return t("p_upload_held");
    if (state.is_paused) return t("paused");
    return upload.waiting === 0 ? t("p_upload_ok") : t("waits", { count: exact(upload.waiting) });
  };
  return (
    <section aria-labelledby="upload" className={css.part}>
      <h2 id="upload">{t("p_upload")}</h2>
      <p role="status">{line()}</p>
      {state.is_connected && (
        <p className="quiet">
          {t("p_sent", { count: exact(upload.sent) })}
          {state.is_paused && upload.waiting > 0 && ` · ${t("waits", { count: exact(upload.waiting) })}`}
        </p>
      )}
      {upload.unclaimed.map((player) => (
        <Unclaimed key={player.handle} player={player} />
      ))}
      {upload.trouble && <Alert tone="error">{upload.trouble}</Alert>}
      {state.notes.map((note) => (
        <p key={note} className={css.note} translate="no">
          {note}
        </p>
      ))}
      {state.is_connected && state.is_agreed && (
        <div>
          <Button disabled={busy} onClick={() => void change(changeReader({ is_paused: !state.is_paused }))}>
            {state.is_paused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
            {t(state.is_paused ? "p_resume" : "p_pause")}
          </Button>
        </div>
      )}
      {error && <Alert tone="error">{error}</Alert>}
    </section>
  );
}

/** A player whom nobody has claimed: events of the player's logs wait, and a link leads to the claim. */
function Unclaimed({ player }: { player: ReaderState["upload"]["unclaimed"][number] }) {
  return (
    <div className={css.unclaimed}>
      <p>
        <TextWithHandle of="p_unclaimed" handle={player.handle} values={{ count: exact(player.waiting) }} />
      </p>
      <ExternalLink variant="quiet" size="small" href={player.url}>
        <TextWithHandle of="p_claim" handle={player.handle} />
      </ExternalLink>
    </div>
  );
}

export function Settings({ page, setUp }: { page: ReaderPage; setUp: boolean }) {
  const t = useTranslation();
  const { change, busy, error } = useReaderChange();
  const { state } = page;
  const share = (kind: EventKind, shared: boolean) => {
    const others = state.hide.filter((name) => name !== kind);
    void change(changeReader({ hide: shared ? others : [...others, kind] }));
  };
  return (
    <section aria-labelledby="settings" className={css.part}>
      <h2 id="settings">{t("p_settings")}</h2>
      <fieldset className={css.set}>
        <legend>{t("p_share")}</legend>
        {page.kinds.map((kind) => (
          <Check
            key={kind}
            label={t(`t_${kind}`)}
            checked={!state.hide.includes(kind)}
            disabled={busy}
            onChange={(checked) => share(kind, checked)}
          />
        ))}
        <p className={css.small}>{t("p_share_note")}</p>
      </fieldset>
      <Check
        label={t("p_backups")}
        checked={!state.skips_backups}
        disabled={busy}
        onChange={(checked) => void change(changeReader({ skips_backups: !checked }))}
      />
      {setUp && (
        <>
          <div className={css.set}>
            <h3>{t("p_logs")}</h3>
            <Logs state={state} />
          </div>
          <Site state={state} />
          <details>
            <summary>{t("privacy_title")}</summary>
            <div className={css.set}>
              <Notice state={state} />
            </div>
          </details>
        </>
      )}
      <details>
        <summary>
          {t("p_samples")} ({exact(state.samples.samples.length)})
        </summary>
        <Samples page={page} onChange={(yes) => void change(changeReader({ sends_samples: yes }))} busy={busy} />
      </details>
      {error && <Alert tone="error">{error}</Alert>}
      <p className={css.small}>{t("p_version", { version: page.version, grammar: page.grammar })}</p>
    </section>
  );
}

function Samples({ page, busy, onChange }: { page: ReaderPage; busy: boolean; onChange: (yes: boolean) => void }) {
  const t = useTranslation();
  const { samples, sends_samples: sends } = page.state;
  return (
    <div className={css.set}>
      {samples.samples.length === 0 ? (
        <p className="quiet">{t("p_samples_none")}</p>
      ) : (
        <>
          <p className="quiet">{t("p_samples_note")}</p>
          <ul role="list" className={css.samples}>
            {samples.samples.map(({ line, count }) => (
              <li key={line}>
                <code>{line}</code> <span className="quiet">×{exact(count)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <Check label={t("p_samples_yes")} checked={sends} disabled={busy} onChange={onChange} />
    </div>
  );
}

interface CheckProps {
  label: string;
  checked: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
}

function Check({ label, checked, disabled, onChange }: CheckProps) {
  return (
    <label className={css.check}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  );
}
