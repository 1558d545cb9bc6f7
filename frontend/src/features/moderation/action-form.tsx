import type { FormEvent } from "react";
import { failureSentence } from "../../api/errors";
import type { ModerationAction, ModerationTarget } from "../../api/types";
import { counted } from "../../lib/numbers";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/confirm-dialog";
import { Select } from "../../ui/select";
import { Spinner } from "../../ui/states";
import { Effect } from "./effect";
import { DayField, ReasonField, TargetField } from "./fields";
import fieldsCss from "./fields.module.css";
import css from "./moderation.module.css";
import { TARGETS } from "./selection";
import { useActionForm } from "./use-action-form";

const ACTIONS: Record<ModerationAction, string> = { void: "Void", hold: "Hold", release: "Release" };
const ACTION_OPTIONS = (Object.keys(ACTIONS) as ModerationAction[]).map((value) => ({ value, label: ACTIONS[value] }));
const TARGET_OPTIONS = (Object.keys(TARGETS) as ModerationTarget[]).map((value) => ({
  value,
  label: TARGETS[value].label,
}));

type ActionFormState = ReturnType<typeof useActionForm>;

/** Runs an action on events, after showing its effect and asking for a confirmation. */
export function ActionForm() {
  const form = useActionForm();
  const { problem, isComplete, preview } = form;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) form.showEffect();
  };
  return (
    <section aria-labelledby="moderation-action" className={css.part}>
      <h3 id="moderation-action">New action</h3>
      <form className={fieldsCss.fields} onSubmit={submit}>
        <ActionFields form={form} />
        <Button type="submit" disabled={!isComplete || preview.isPending}>
          Show effect
        </Button>
        <RunButton form={form} />
      </form>
      <p role="status" className="visually-hidden">
        {preview.data &&
          `Effect: ${counted(preview.data.events, "event")}, ${counted(preview.data.players, "player")}.`}
      </p>
      {problem && <Alert tone="error">{problem}</Alert>}
      {preview.isPending && <Spinner label="Calculating the effect…" />}
      {preview.isError && <Alert tone="error">{failureSentence(preview.error)}</Alert>}
      {preview.data && <Effect preview={preview.data} />}
      {form.run.isError && <Alert tone="error">{failureSentence(form.run.error)}</Alert>}
    </section>
  );
}

function ActionFields({ form: { input, change } }: { form: ActionFormState }) {
  return (
    <>
      <Select label="Action" value={input.action} options={ACTION_OPTIONS} onChange={(action) => change({ action })} />
      <Select
        label="Events by"
        value={input.target}
        options={TARGET_OPTIONS}
        onChange={(target) => change({ target, value: "" })}
      />
      <TargetField target={input.target} value={input.value} onChange={(value) => change({ value })} />
      <DayField label="From" value={input.from} onChange={(from) => change({ from })} />
      <DayField label="Until" value={input.until} onChange={(until) => change({ until })} />
      <ReasonField value={input.reason} onChange={(reason) => change({ reason })} />
    </>
  );
}

/** Disabled until the effect of exactly this input is shown. */
function RunButton({ form }: { form: ActionFormState }) {
  const { input, preview, run, runPreviewed, isConfirming, setConfirming } = form;
  const action = ACTIONS[input.action];
  const count = preview.data?.events;
  const label = `${action} ${count === undefined ? "events" : counted(count, "event")}`;
  const variant = input.action === "release" ? "primary" : "danger";
  return (
    <>
      <Button variant={variant} disabled={!count || run.isPending} onClick={() => setConfirming(true)}>
        {label}
      </Button>
      {isConfirming && preview.data && (
        <ConfirmDialog
          title={`${label}?`}
          action={action}
          variant={variant}
          isPending={run.isPending}
          onConfirm={runPreviewed}
          // While the request runs, the dialog keeps the fields from being changed.
          onCancel={() => !run.isPending && setConfirming(false)}
        >
          This changes the figures of {counted(preview.data.players, "player")}. You can undo it in the history.
        </ConfirmDialog>
      )}
    </>
  );
}
