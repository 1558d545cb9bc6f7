import { CircleAlert, CircleCheck } from "lucide-react";
import type { ReactNode } from "react";
import css from "./alert.module.css";

/** A message about the outcome of an action, shown beside it. */
export function Alert({ tone, children }: { tone: "error" | "success"; children: ReactNode }) {
  const Icon = tone === "error" ? CircleAlert : CircleCheck;
  return (
    <p role={tone === "error" ? "alert" : "status"} className={css.note} data-tone={tone}>
      <Icon size={20} aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}
