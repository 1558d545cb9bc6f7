// Ingest keys of the signed-in user: create, confirm, revoke. A new key is shown once.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { failureSentence } from "../../api/errors";
import { confirmKey, createKey, keysQuery, revokeKey } from "../../api/ingest";
import type { IngestKey } from "../../api/types";
import { date, historyTime, moment } from "../../lib/times";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { CopyButton } from "../../ui/copy-button";
import { Name } from "../../ui/name";
import { ErrorState, Skeleton } from "../../ui/states";
import css from "./ingest-keys.module.css";

const MAX_NAME_LENGTH = 60;

export function IngestKeys() {
  const keys = useQuery(keysQuery());
  const cache = useQueryClient();
  const [created, setCreated] = useState<{ name: string; secret: string } | null>(null);
  const refetchKeys = () => cache.invalidateQueries({ queryKey: keysQuery().queryKey });
  return (
    <div className={css.keys}>
      <CreateKeyForm
        onCreated={(name, secret) => {
          setCreated({ name, secret });
          void refetchKeys();
        }}
      />
      {created && <CreatedKey {...created} onDone={() => setCreated(null)} />}
      {keys.data?.some((key) => key.review_since !== null) && (
        <Alert tone="error">
          The site was restored from a backup. Keys cannot upload until you confirm them, since some may have been
          revoked after the backup. Confirm the keys you use and revoke the others.
        </Alert>
      )}
      {keys.isPending && <Skeleton height={56} />}
      {keys.isLoadingError && (
        <ErrorState
          title="Your keys could not be loaded."
          text={failureSentence(keys.error)}
          onRetry={() => void keys.refetch()}
        />
      )}
      {keys.data?.length === 0 && (
        <p className="quiet">You have no keys yet. The log reader needs one to upload events.</p>
      )}
      {keys.data && keys.data.length > 0 && (
        <ul role="list" aria-label="Your keys" className={css.list}>
          {keys.data.map((key) => (
            <KeyItem key={key.id} entry={key} onChanged={refetchKeys} />
          ))}
        </ul>
      )}
    </div>
  );
}

function CreateKeyForm({ onCreated }: { onCreated: (name: string, secret: string) => void }) {
  const [name, setName] = useState("");
  const creating = useMutation({
    mutationFn: createKey,
    onSuccess: ({ key, secret }) => {
      setName("");
      onCreated(key.name, secret);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(name.trim());
  };
  return (
    <>
      <form className={css.form} onSubmit={submit}>
        <label htmlFor="key-name">Name of the new key</label>
        <input
          id="key-name"
          value={name}
          maxLength={MAX_NAME_LENGTH}
          placeholder="Gaming PC"
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" disabled={creating.isPending || name.trim() === ""}>
          Create key
        </Button>
      </form>
      {creating.isError && <Alert tone="error">{failureSentence(creating.error)}</Alert>}
    </>
  );
}

function CreatedKey({ name, secret, onDone }: { name: string; secret: string; onDone: () => void }) {
  const command = `apogee watch --server ${window.location.origin} --key ${secret}`;
  return (
    <section aria-label="Your new key" className={css.created}>
      <p>
        <strong>
          <Name>{name}</Name>
        </strong>{" "}
        has been created. Copy it now: it is shown only once, and the server stores only its hash.
      </p>
      <div className={css.secret}>
        <code>{secret}</code>
        <CopyButton size="small" text={secret} label="Copy key" />
      </div>
      <div className={css.secret}>
        <code>{command}</code>
        <CopyButton size="small" text={command} label="Copy command" />
      </div>
      <Button size="small" onClick={onDone}>
        Done
      </Button>
    </section>
  );
}

function KeyItem({ entry, onChanged }: { entry: IngestKey; onChanged: () => Promise<void> }) {
  const [isConfirming, setConfirming] = useState(false);
  const change = useMutation({
    mutationFn: (act: (id: string) => Promise<unknown>) => act(entry.id),
    onSuccess: onChanged,
    onSettled: () => setConfirming(false),
  });
  const { last_used_at: used } = entry;
  return (
    <li className={css.key}>
      <Name className={css.name}>{entry.name}</Name>
      <span className="quiet">Created {date(entry.created_at)}</span>
      <span className="quiet" title={used ? moment(used) : undefined}>
        {used ? `Last used ${historyTime(used)}` : "Never used"}
      </span>
      <div className={css.actions}>
        {entry.review_since !== null && (
          <Button
            size="small"
            variant="primary"
            disabled={change.isPending}
            aria-label={`Confirm ${entry.name}`}
            onClick={() => change.mutate(confirmKey)}
          >
            Confirm
          </Button>
        )}
        <Button size="small" variant="danger" aria-label={`Revoke ${entry.name}`} onClick={() => setConfirming(true)}>
          Revoke
        </Button>
      </div>
      {change.isError && <Alert tone="error">{failureSentence(change.error)}</Alert>}
      {isConfirming && (
        <ConfirmDialog
          title="Revoke this key?"
          action="Revoke"
          isPending={change.isPending}
          onConfirm={() => change.mutate(revokeKey)}
          onCancel={() => setConfirming(false)}
        >
          A reader that uses{" "}
          <strong>
            <Name>{entry.name}</Name>
          </strong>{" "}
          can no longer upload. Events already sent are kept.
        </ConfirmDialog>
      )}
    </li>
  );
}
