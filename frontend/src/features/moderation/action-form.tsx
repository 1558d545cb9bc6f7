import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, type FormEvent, useId, useState } from "react";
import { failureSentence } from "../../api/errors";
import { historyQuery, moderate, reportsQuery, type Target } from "../../api/moderation";
import type { ModerationAction } from "../../api/types";
import { counted } from "../../lib/numbers";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { Select } from "../../ui/select";
import { toast } from "../../ui/toast";
import css from "./moderation.module.css";
import { Reports } from "./reports";

/** Limits of the server. */
const MAX_REASON_LENGTH = 500;
const MAX_ID_DIGITS = 20;
const MAX_NAME_LENGTH = 60;

type Kind = "key" | "account" | "player" | "event" | "patch";

/** `handle` is the label of the field for a second handle. */
const ACTIONS: Record<ModerationAction, { label: string; kinds: readonly [Kind, ...Kind[]]; handle?: string }> = {
  block: { label: "Block", kinds: ["key", "account"] },
  unblock: { label: "Unblock", kinds: ["key", "account"] },
  remove: { label: "Remove", kinds: ["event", "key", "account", "player"] },
  restore: { label: "Restore", kinds: ["event", "key", "account", "player"] },
  pin: { label: "Pin", kinds: ["patch"] },
  rename: { label: "Rename", kinds: ["player"], handle: "New handle" },
  merge: { label: "Merge", kinds: ["player"], handle: "Into the player" },
};
/** `label` is the name in the list of targets, `field` the label of the field. */
const KINDS: Record<Kind, { label: string; field: string; isNumber?: boolean }> = {
  key: { label: "Key", field: "Key number", isNumber: true },
  account: { label: "Account", field: "Discord id", isNumber: true },
  player: { label: "Player's own log", field: "Handle" },
  event: { label: "Event", field: "Event number", isNumber: true },
  patch: { label: "Patch", field: "Patch" },
};
const ACTION_OPTIONS = (Object.keys(ACTIONS) as ModerationAction[]).map((value) => ({
  value,
  label: ACTIONS[value].label,
}));

interface Input {
  action: ModerationAction;
  kind: Kind;
  value: string;
  handle: string;
  /** Local times of this browser; empty for no limit. */
  from: string;
  until: string;
}

const NO_TARGET = { value: "", handle: "", from: "", until: "" };

/** Runs an action. Before reports are removed or restored, they are listed. */
export function ActionForm() {
  const [input, setInput] = useState<Input>({ action: "block", kind: "key", ...NO_TARGET });
  const [reason, setReason] = useState("");
  /** Any change of the input hides the list, which shows exactly what the action concerns. */
  const [listed, setListed] = useState<Target | null>(null);
  const reports = useInfiniteQuery({ ...reportsQuery(listed ?? {}), enabled: listed !== null });
  const run = useRun(() => {
    setInput((now) => ({ ...now, ...NO_TARGET }));
    setReason("");
    setListed(null);
  });
  const change = (part: Partial<Input>) => {
    setInput({ ...input, ...part });
    setListed(null);
    run.reset();
  };

  const { label, handle: hasHandle } = ACTIONS[input.action];
  const isSelected = input.value.trim() !== "" && (!hasHandle || input.handle.trim() !== "");
  const total = listed ? reports.data?.pages[0]?.total : undefined;
  const canRun = isSelected && reason.trim() !== "" && (!needsList(input) || !!total) && !run.isPending;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const handle = hasHandle && { handle: input.handle.trim() };
    if (canRun) run.mutate({ action: input.action, target: targetOf(input), ...handle, reason: reason.trim() });
  };
  const what = total === undefined ? "reports" : counted(total, "report");
  return (
    <form aria-label="New action" className={css.form} onSubmit={submit}>
      <TargetFields input={input} onChange={change} />
      {needsList(input) && (
        <Button disabled={!isSelected} onClick={() => setListed(targetOf(input))}>
          Show reports
        </Button>
      )}
      {listed && <Reports list={reports} />}
      <Field label="Reason" className={css.wide} value={reason} maxLength={MAX_REASON_LENGTH} onChange={setReason} />
      {run.isError && <Alert tone="error">{failureSentence(run.error)}</Alert>}
      <Button type="submit" variant={/^(block|remove)$/.test(input.action) ? "danger" : "primary"} disabled={!canRun}>
        {label} {needsList(input) ? what : input.kind}
      </Button>
    </form>
  );
}

const needsList = ({ action, kind }: Input) => (action === "remove" || action === "restore") && kind !== "event";

function targetOf({ kind, value, from, until }: Input): Target {
  const text = value.trim();
  const seconds = (time: string) => Math.floor(new Date(time).getTime() / 1000);
  return {
    [kind]: kind === "key" || kind === "event" ? Number(text) : text,
    ...(from && { from: seconds(from) }),
    ...(until && { until: seconds(until) }),
  };
}

function useRun(onStarted: () => void) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: moderate,
    onSuccess: ({ id }) => {
      toast({ tone: "success", title: `Entry ${id} added to the history.` });
      onStarted();
    },
    // A request that timed out may have run.
    onSettled: () => void cache.invalidateQueries({ queryKey: historyQuery().queryKey }),
  });
}

/** What the action concerns. */
function TargetFields({ input, onChange }: { input: Input; onChange: (part: Partial<Input>) => void }) {
  const { kinds, handle } = ACTIONS[input.action];
  const { field, isNumber } = KINDS[input.kind];
  const choose = (action: ModerationAction, kind: Kind) => onChange({ action, kind, ...NO_TARGET });
  return (
    <>
      <Select
        label="Action"
        value={input.action}
        options={ACTION_OPTIONS}
        onChange={(action) => choose(action, ACTIONS[action].kinds[0])}
      />
      {kinds.length > 1 && (
        <Select
          label="Target"
          value={input.kind}
          options={kinds.map((value) => ({ value, label: KINDS[value].label }))}
          onChange={(kind) => choose(input.action, kind)}
        />
      )}
      <Field
        label={field}
        value={input.value}
        inputMode={isNumber ? "numeric" : "text"}
        maxLength={isNumber ? MAX_ID_DIGITS : MAX_NAME_LENGTH}
        onChange={(value) => onChange({ value: isNumber ? value.replace(/\D/g, "") : value })}
      />
      {handle && (
        <Field
          label={handle}
          value={input.handle}
          maxLength={MAX_NAME_LENGTH}
          onChange={(text) => onChange({ handle: text })}
        />
      )}
      {needsList(input) && (
        <>
          <Field label="From" type="datetime-local" value={input.from} onChange={(from) => onChange({ from })} />
          <Field label="Until" type="datetime-local" value={input.until} onChange={(until) => onChange({ until })} />
        </>
      )}
    </>
  );
}

interface FieldProps extends Omit<ComponentProps<"input">, "onChange"> {
  label: string;
  onChange: (value: string) => void;
}

function Field({ label, className, onChange, ...input }: FieldProps) {
  const id = useId();
  return (
    <span className={className}>
      <label htmlFor={id} className="label">
        {label}
      </label>
      <input
        id={id}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        {...input}
      />
    </span>
  );
}
