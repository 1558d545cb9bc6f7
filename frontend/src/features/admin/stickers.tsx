// Grants and revokes stickers, with a confirmation, and lists how each sticker is earned.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { errorText } from "../../api/errors";
import { grantedStickersQuery, grantSticker, revokeSticker } from "../../api/stickers";
import type { GrantedSticker } from "../../api/types";
import { exact } from "../../lib/numbers";
import { date } from "../../lib/times";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Name } from "../../ui/name";
import { Select } from "../../ui/select";
import { ErrorState, Spinner } from "../../ui/states";
import { toast } from "../../ui/toast";
import css from "./stickers.module.css";

interface PendingChange {
  action: "grant" | "revoke";
  sticker: GrantedSticker;
  handle: string;
}

export function Stickers() {
  const stickers = useQuery(grantedStickersQuery());
  const cache = useQueryClient();
  const [pending, setPending] = useState<PendingChange | null>(null);
  const change = useMutation({
    mutationFn: ({ action, sticker, handle }: PendingChange) =>
      action === "grant" ? grantSticker(sticker.id, handle) : revokeSticker(sticker.id, handle),
    onSuccess: async (_, { action, sticker, handle }) => {
      toast({
        tone: "success",
        title: (
          <>
            {sticker.name} {action === "grant" ? "granted to" : "revoked from"} <Name>{handle}</Name>.
          </>
        ),
      });
      await cache.invalidateQueries({ queryKey: grantedStickersQuery().queryKey });
    },
    onError: (error) => toast({ tone: "error", ...errorText(error) }),
    onSettled: () => setPending(null),
  });
  return (
    <section aria-labelledby="admin-stickers" className={css.part}>
      <h2 id="admin-stickers">Stickers</h2>
      <p className="quiet">
        Players can use a granted sticker immediately. A revoked sticker is removed from the profile unless it is also
        earned.
      </p>
      {stickers.isPending && <Spinner label="Loading stickers…" />}
      {stickers.isLoadingError && <ErrorState {...errorText(stickers.error)} onRetry={() => void stickers.refetch()} />}
      {stickers.data && (
        <>
          <GrantForm
            stickers={stickers.data}
            onSubmit={(sticker, handle) => setPending({ action: "grant", sticker, handle })}
          />
          <ul role="list" className={css.list}>
            {stickers.data.map((sticker) => (
              <Holders
                key={sticker.id}
                sticker={sticker}
                onRevoke={(handle) => setPending({ action: "revoke", sticker, handle })}
              />
            ))}
          </ul>
        </>
      )}
      {pending && (
        <ChangeDialog
          change={pending}
          isPending={change.isPending}
          onConfirm={() => change.mutate(pending)}
          onCancel={() => setPending(null)}
        />
      )}
    </section>
  );
}

interface ChangeDialogProps {
  change: PendingChange;
  isPending: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

function ChangeDialog({ change, ...dialog }: ChangeDialogProps) {
  const { action, sticker, handle } = change;
  const isGrant = action === "grant";
  return (
    <ConfirmDialog
      title={isGrant ? "Grant sticker?" : "Revoke sticker?"}
      action={isGrant ? "Grant" : "Revoke"}
      variant={isGrant ? "primary" : "danger"}
      {...dialog}
    >
      <Name>{handle}</Name> will {isGrant ? "be able to use" : "lose"} <strong>{sticker.name}</strong>.
    </ConfirmDialog>
  );
}

interface GrantFormProps {
  stickers: GrantedSticker[];
  onSubmit: (sticker: GrantedSticker, handle: string) => void;
}

function GrantForm({ stickers, onSubmit }: GrantFormProps) {
  const handleId = useId();
  const [id, setId] = useState((stickers.find((sticker) => sticker.is_granted) ?? stickers[0])?.id ?? "");
  const [handle, setHandle] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sticker = stickers.find((one) => one.id === id);
    const name = handle.trim();
    if (sticker && name) onSubmit(sticker, name);
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <Select
        label="Sticker"
        value={id}
        options={stickers.map((sticker) => ({ value: sticker.id, label: sticker.name }))}
        onChange={setId}
      />
      <span className={css.field}>
        <label htmlFor={handleId} className="label">
          Player
        </label>
        <input
          id={handleId}
          value={handle}
          autoComplete="off"
          spellCheck={false}
          maxLength={60}
          placeholder="Handle"
          onChange={(event) => setHandle(event.target.value)}
        />
      </span>
      <Button type="submit" disabled={handle.trim() === ""}>
        Grant sticker
      </Button>
    </form>
  );
}

function Holders({ sticker, onRevoke }: { sticker: GrantedSticker; onRevoke: (handle: string) => void }) {
  return (
    <li>
      <h3>{sticker.name}</h3>
      <p className="quiet">{sticker.earned_by}</p>
      {sticker.holder_count > 0 && (
        <details>
          <summary>Granted to {exact(sticker.holder_count)}</summary>
          <ul role="list" className={css.holders}>
            {sticker.holders.map((holder) => (
              <li key={holder.handle}>
                <Name>{holder.handle}</Name>
                <span className="quiet">{date(holder.granted_at)}</span>
                <Button
                  size="small"
                  variant="danger"
                  aria-label={`Revoke ${sticker.name} from ${holder.handle}`}
                  onClick={() => onRevoke(holder.handle)}
                >
                  Revoke
                </Button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
