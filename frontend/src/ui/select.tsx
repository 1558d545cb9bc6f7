import { ChevronDown } from "lucide-react";
import { useId } from "react";
import css from "./select.module.css";

interface SelectProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  /** Hides the label visually, but not from screen readers. */
  hideLabel?: boolean;
}

/** A native select with a label. */
export function Select<T extends string>({ label, value, options, onChange, hideLabel = false }: SelectProps<T>) {
  const id = useId();
  return (
    <span className={css.select}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : "label"}>
        {label}
      </label>
      <span className={css.box}>
        <select id={id} value={value} onChange={(event) => onChange(event.target.value as T)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown size={16} aria-hidden="true" />
      </span>
    </span>
  );
}
