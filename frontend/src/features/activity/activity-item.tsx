import { LogIn, LogOut, type LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Link } from "react-router";
import type { ActivityFilter } from "../../api/list-params";
import type { ActivityRow } from "../../api/types";
import { event } from "../../lib/paths";
import { historyTime, moment } from "../../lib/times";
import { hueStyle, METRICS, type MetricName } from "../../ui/metric";
import css from "./activity-item.module.css";
import { EventSentence } from "./event-sentence";
import { sentenceOf } from "./sentence";

const METRIC_OF: Record<ActivityFilter, MetricName> = {
  pvp: "pvp",
  pve: "pve",
  vehicles: "vehicles",
  missions: "missions",
};

/** Additional attributes of the list item, such as its position in a virtual list. */
export type ItemProps = ComponentProps<"li"> & { [data: `data-${string}`]: string | number };

interface ActivityItemProps {
  row: ActivityRow;
  /** The current time in epoch milliseconds. */
  now: number;
  /** The row arrived while the list was visible: it slides in and is highlighted. */
  isNew?: boolean;
  item?: ItemProps;
}

/** A feed row: time with a link to the event, icon and sentence. Renders nothing for events that lists do not show. */
export function ActivityItem({ row, now, isNew = false, item }: ActivityItemProps) {
  const sentence = sentenceOf(row);
  if (!sentence) return null;
  const metric = sentence.filter && METRIC_OF[sentence.filter];
  const [Icon, word] = metric ? [METRICS[metric].icon, METRICS[metric].label] : presenceIcon(row.identifier);
  return (
    <li
      {...item}
      className={css.row}
      data-new={isNew || undefined}
      style={{ ...(metric && hueStyle(metric)), ...item?.style }}
    >
      <Link to={event(row.id)} className={css.time} title={moment(row.event_time)}>
        <time dateTime={new Date(row.event_time * 1000).toISOString()}>
          {historyTime(row.event_time, Math.floor(now / 1000))}
        </time>
      </Link>
      <span className={css.icon} title={word}>
        <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
        <span className="visually-hidden">{word}: </span>
      </span>
      <p className={css.sentence}>
        <EventSentence sentence={sentence} />
      </p>
      <span className={css.source}>
        {row.channel && <span className={css.channel}>{row.channel}</span>}
        {row.game_mode && <span className={css.mode}>{row.game_mode}</span>}
      </span>
    </li>
  );
}

function presenceIcon(identifier: ActivityRow["identifier"]): [LucideIcon, string] {
  return identifier === "logout" ? [LogOut, "Presence"] : [LogIn, "Presence"];
}

/** A placeholder of the same size. */
export function ActivityItemSkeleton({ width = "60%" }: { width?: string }) {
  return (
    <li className={css.row} aria-hidden="true">
      <span className={css.skeleton} style={{ width: 48 }} />
      <span className={css.skeleton} style={{ width: 16 }} />
      <span className={css.skeleton} style={{ width }} />
    </li>
  );
}
