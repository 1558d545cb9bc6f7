import { Armchair, Crosshair, Flag, HeartCrack, LogIn, type LucideIcon, Rocket, Skull } from "lucide-react";
import { type CSSProperties, useState } from "react";
import type { EventKind, ReaderRow } from "../../api/reader";
import { Select } from "../../ui/select";
import { EmptyState } from "../../ui/states";
import css from "./feed.module.css";
import { useTranslation } from "./use-translation";

const ICONS: Record<EventKind, [LucideIcon, string]> = {
  pvp: [Crosshair, "var(--metric-pvp)"],
  pve: [Skull, "var(--metric-pve)"],
  deaths: [HeartCrack, "var(--metric-pvp)"],
  vehicles: [Rocket, "var(--metric-vehicles)"],
  seats: [Armchair, "var(--quiet)"],
  missions: [Flag, "var(--metric-missions)"],
  sessions: [LogIn, "var(--quiet)"],
};

interface FeedProps {
  rows: readonly ReaderRow[];
  kinds: readonly EventKind[];
  language: string;
}

/** The events, newest first. Selecting a kind filters the display only. */
export function Feed({ rows, kinds, language }: FeedProps) {
  const t = useTranslation();
  const [kind, setKind] = useState<EventKind | "all">("all");
  const [newest] = useState(() => rows[0]?.id ?? 0);
  const shown = kind === "all" ? rows : rows.filter((row) => row.kind === kind);
  const options = [
    { value: "all" as const, label: t("p_all") },
    ...kinds.map((value) => ({ value, label: t(`t_${value}`) })),
  ];
  return (
    <section aria-labelledby="feed">
      <header className={css.head}>
        <h2 id="feed">{t("p_feed")}</h2>
        <Select label={t("p_show")} hideLabel value={kind} options={options} onChange={setKind} />
      </header>
      {shown.length === 0 ? (
        <EmptyState title={t(rows.length === 0 ? "p_empty" : "p_no_match")} />
      ) : (
        <ol role="list" className={css.rows}>
          {shown.map((row) => (
            <Row key={row.id} row={row} fresh={row.id > newest} language={language} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Row({ row, fresh, language }: { row: ReaderRow; fresh: boolean; language: string }) {
  const t = useTranslation();
  const [Icon, hue] = ICONS[row.kind];
  const at = new Date(row.at);
  return (
    <li className={css.row} data-new={fresh || undefined} style={{ "--hue": hue } as CSSProperties}>
      <time className={css.time} dateTime={at.toISOString()} title={at.toLocaleString(language)}>
        {at.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false })}
      </time>
      <span className={css.icon} title={t(`t_${row.kind}`)}>
        <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        <span className="visually-hidden">{t(`t_${row.kind}`)}: </span>
      </span>
      {/* The reader has made the sentence, in the language of the page. */}
      <p translate="no">{row.text}</p>
      {row.mode && <span className={css.mode}>{row.mode}</span>}
    </li>
  );
}
