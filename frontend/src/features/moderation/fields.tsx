// Input fields of the moderation forms.
import { type HTMLInputTypeAttribute, useId } from "react";
import css from "./fields.module.css";
import { type SelectionInput, TARGETS } from "./selection";

/** Maximum length of a reason, as on the server. */
const MAX_REASON_LENGTH = 500;
/** Enough for a few hundred event ids. */
const MAX_VALUE_LENGTH = 4_000;

interface TextFieldProps {
  label: string;
  value: string;
  type?: HTMLInputTypeAttribute;
  size?: "medium";
  placeholder?: string;
  inputMode?: "numeric" | "text";
  onChange: (value: string) => void;
}

function TextField({ label, size, onChange, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <span className={css.field} data-size={size}>
      <label htmlFor={id} className="label">
        {label}
      </label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_VALUE_LENGTH}
        onChange={(event) => onChange(event.target.value)}
        {...input}
      />
    </span>
  );
}

/** The value of a target: a key, an account, a player or events. */
export function TargetField({
  target,
  value,
  onChange,
}: Pick<SelectionInput, "target" | "value"> & { onChange: (value: string) => void }) {
  const { field, placeholder, inputMode } = TARGETS[target];
  return (
    <TextField
      label={field}
      value={value}
      size="medium"
      placeholder={placeholder}
      inputMode={inputMode}
      onChange={onChange}
    />
  );
}

/** A day in UTC, as `YYYY-MM-DD`. */
export function DayField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (day: string) => void;
}) {
  return <TextField label={`${label} (UTC)`} value={value} type="date" onChange={onChange} />;
}

/** The reason of an action. */
export function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }) {
  const id = useId();
  return (
    <span className={css.field} data-size="full">
      <label htmlFor={id} className="label">
        Reason
      </label>
      <textarea
        id={id}
        rows={2}
        value={value}
        maxLength={MAX_REASON_LENGTH}
        onChange={(event) => onChange(event.target.value)}
      />
    </span>
  );
}
