import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck, CircleOff, TriangleAlert } from "lucide-react";
import { type AdminAction, type AdminSection, adminStateQuery, runAdminAction } from "../../api/admin";
import { errorText } from "../../api/errors";
import { exact } from "../../lib/numbers";
import { duration, moment } from "../../lib/times";
import { Button } from "../../ui/button";
import { Name } from "../../ui/name";
import { toast } from "../../ui/toast";
import css from "./section.module.css";

const TONES = {
  ok: { icon: CircleCheck, label: "OK" },
  warn: { icon: TriangleAlert, label: "Warning" },
  error: { icon: CircleAlert, label: "Error" },
  off: { icon: CircleOff, label: "Not configured" },
} as const;

/** A section of the server status: a summary, figures and an optional table with actions. */
export function Section({ section }: { section: AdminSection }) {
  const { icon: Icon, label } = TONES[section.tone];
  return (
    <section aria-labelledby={`admin-${section.id}`} className={css.section} data-wide={!!section.rows}>
      <header>
        <h2 id={`admin-${section.id}`}>{section.title}</h2>
        <span className={css.tone} data-tone={section.tone}>
          <Icon size={16} aria-hidden="true" />
          {label}
        </span>
      </header>
      <p className="quiet">{section.summary}</p>
      {section.facts.length > 0 && (
        <dl>
          {section.facts.map((fact) => (
            <div key={fact.label}>
              <dt className="quiet">{fact.label}</dt>
              <dd>{formatFact(fact.value, fact.unit)}</dd>
            </div>
          ))}
        </dl>
      )}
      {section.rows && section.rows.rows.length > 0 && <Rows title={section.title} {...section.rows} />}
    </section>
  );
}

function Rows({ title, heads, rows, acts }: { title: string } & NonNullable<AdminSection["rows"]>) {
  const hasActions = acts.some((list) => list.length > 0);
  // Rows without actions are identified by their cells.
  const shown = rows.map((cells, index) => ({ cells, acts: acts[index] ?? [] }));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <div className={css.rows} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{title}</caption>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {hasActions && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ cells, acts }) => (
            <tr key={acts[0]?.path ?? cells.join(" ")}>
              {cells.map((cell, index) => (
                <td key={heads[index]}>{typeof cell === "string" ? <Name>{cell}</Name> : (cell ?? "none")}</td>
              ))}
              {hasActions && (
                <td className={css.actions}>
                  <div>
                    {acts.map((act) => (
                      <ActionButton key={act.path} action={act} subject={String(cells[0] ?? title)} />
                    ))}
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Runs an action and then fetches the status again. */
function ActionButton({ action, subject }: { action: AdminAction; subject: string }) {
  const cache = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: runAdminAction,
    onSuccess: () => {
      toast({
        tone: "success",
        title: (
          <>
            {action.label}: <Name>{subject}</Name>
          </>
        ),
        text: "Done.",
      });
      return cache.invalidateQueries({ queryKey: adminStateQuery().queryKey });
    },
    onError: (error) => toast({ tone: "error", ...errorText(error) }),
  });
  return (
    <Button size="small" disabled={isPending} aria-label={`${action.label}: ${subject}`} onClick={() => mutate(action)}>
      {action.label}
    </Button>
  );
}

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"];

function formatFact(value: string | number, unit: AdminSection["facts"][number]["unit"]): string {
  if (typeof value === "string") return value;
  if (unit === "at") return value > 0 ? moment(value) : "never";
  if (unit === "seconds") return duration(value);
  if (unit === "ms") return `${exact(value)} ms`;
  if (unit !== "bytes") return exact(value);
  const step = value < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log(value) / Math.log(1024)));
  return `${(value / 1024 ** step).toFixed(step === 0 ? 0 : 1)} ${BYTE_UNITS[step]}`;
}
