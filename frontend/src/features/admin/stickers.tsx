// Stickers that admins grant and revoke, each step confirmed. What the others earn by playing is listed beside them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { errorText } from "../../api/errors";
import { grantedStickersQuery, grantSticker, revokeSticker } from "../../api/stickers";
import type { GrantedSticker } from "../../api/types";
import { exact } from "../../lib/numbers";
import { date } from "../../lib/times";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Select } from "../../ui/select";
import { ErrorState, Spinner } from "../../ui/states";
import { toast } from "../../ui/toast";
import css from "./stickers.module.css";

interface Step {
  act: "grant" | "revoke";
  sticker: GrantedSticker;
  handle: string;
}

export function Stickers() {
  const stickers = useQuery(grantedStickersQuery());
  const queries = useQueryClient();
  const [asking, setAsking] = useState<Step | null>(null);
  const change = useMutation({
    mutationFn: ({ act, sticker, handle }: Step) =>
      act === "grant" ? grantSticker(sticker.id, handle) : revokeSticker(sticker.id, handle),
    onSuccess: async (_, { act, sticker, handle }) => {
      toast({
        tone: "success",
        title: act === "grant" ? `${sticker.name} granted to ${handle}.` : `${sticker.name} revoked from ${handle}.`,
      });
      await queries.invalidateQueries({ queryKey: grantedStickersQuery().queryKey });
    },
    onError: (error) => toast({ tone: "error", ...errorText(error) }),
    onSettled: () => setAsking(null),
  });
  return (
    <section aria-labelledby="admin-stickers" className={css.part}>
      <h2 id="admin-stickers">Stickers</h2>
      <p className="quiet">
        A granted sticker can be worn at once. A revoked one comes off the profile, unless its rule unlocks it too.
      </p>
      {stickers.isPending && <Spinner label="Loading stickers…" />}
      {stickers.isLoadingError && <ErrorState {...errorText(stickers.error)} onRetry={() => void stickers.refetch()} />}
      {stickers.data && (
        <>
          <GrantForm
            stickers={stickers.data}
            onAsk={(sticker, handle) => setAsking({ act: "grant", sticker, handle })}
          />
          <ul role="list" className={css.list}>
            {stickers.data.map((sticker) => (
              <Holders
                key={sticker.id}
                sticker={sticker}
                onRevoke={(handle) => setAsking({ act: "revoke", sticker, handle })}
              />
            ))}
          </ul>
        </>
      )}
      {asking && (
        <Dialog
          title={asking.act === "grant" ? "Grant sticker?" : "Revoke sticker?"}
          onClose={() => setAsking(null)}
          actions={
            <>
              <Button onClick={() => setAsking(null)}>Cancel</Button>
              <Button
                variant={asking.act === "grant" ? "primary" : "danger"}
                disabled={change.isPending}
                onClick={() => change.mutate(asking)}
              >
                {asking.act === "grant" ? "Grant" : "Revoke"}
              </Button>
            </>
          }
        >
          <p>
            {asking.act === "grant" ? (
              <>
                <bdi>{asking.handle}</bdi> will be able to wear <strong>{asking.sticker.name}</strong>.
              </>
            ) : (
              <>
                <bdi>{asking.handle}</bdi> will lose <strong>{asking.sticker.name}</strong>.
              </>
            )}
          </p>
        </Dialog>
      )}
    </section>
  );
}

interface GrantFormProps {
  stickers: GrantedSticker[];
  onAsk: (sticker: GrantedSticker, handle: string) => void;
}

function GrantForm({ stickers, onAsk }: GrantFormProps) {
  const handleId = useId();
  const [id, setId] = useState((stickers.find((sticker) => sticker.is_granted) ?? stickers[0])?.id ?? "");
  const [handle, setHandle] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const sticker = stickers.find((one) => one.id === id);
    const name = handle.trim();
    if (sticker && name) onAsk(sticker, name);
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
                <bdi>{holder.handle}</bdi>
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
