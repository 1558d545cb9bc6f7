// Repeated kills that do not count, for admins: by killer, by pair and by circle.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { failureSentence } from "../../api/errors";
import { withheldQuery } from "../../api/moderation";
import type { WithheldKills } from "../../api/types";
import { counted, exact } from "../../lib/numbers";
import { player } from "../../lib/paths";
import { Button } from "../../ui/button";
import { EmptyState, ErrorState, Spinner } from "../../ui/states";
import css from "./moderation.module.css";
import { RecordTable } from "./record-table";

const FIGURES = ["Withheld", "Counted"];

export function Withheld() {
  const [isShown, setShown] = useState(false);
  return (
    <section aria-labelledby="moderation-withheld" className={css.part}>
      <h3 id="moderation-withheld">Repeated kills</h3>
      {isShown ? (
        <Loaded />
      ) : (
        <p>
          <Button onClick={() => setShown(true)}>Show withheld kills</Button>
        </p>
      )}
    </section>
  );
}

function Loaded() {
  const list = useQuery(withheldQuery());
  if (list.isPending) return <Spinner label="Loading withheld kills…" />;
  if (list.isError) {
    return (
      <ErrorState
        title="The withheld kills could not be loaded."
        text={failureSentence(list.error)}
        onRetry={() => void list.refetch()}
      />
    );
  }
  const { total, share } = list.data;
  if (total === 0) {
    return <EmptyState title="No kill is withheld.">The job “repeats” decides each night.</EmptyState>;
  }
  return (
    <>
      <p className="quiet">
        {counted(total, "kill")} {total === 1 ? "does" : "do"} not count. After the first two kills of a pair in 90
        days, kills count only up to {share}% of the different people whom the killer fought.
      </p>
      <Tables kills={list.data} />
    </>
  );
}

function Tables({ kills: { killers, pairs, circles } }: { kills: WithheldKills }) {
  return (
    <>
      <RecordTable
        caption="Withheld kills by killer"
        headings={["Killer", "Withheld", "Counted"]}
        figures={FIGURES}
        rows={killers.map(({ handle, withheld, counted }) => ({
          id: handle,
          cells: [<Names key="names" handles={[handle]} />, exact(withheld), exact(counted)],
        }))}
      />
      <Groups caption="Withheld kills by pair" heading="Pair" groups={pairs} />
      <Groups caption="Withheld kills by circle" heading="Circle" groups={circles} />
    </>
  );
}

interface GroupsProps {
  caption: string;
  heading: string;
  groups: readonly { players: string[]; withheld: number }[];
}

function Groups({ caption, heading, groups }: GroupsProps) {
  if (groups.length === 0) return null;
  return (
    <RecordTable
      caption={caption}
      headings={[heading, "Withheld"]}
      figures={FIGURES}
      rows={groups.map(({ players, withheld }) => ({
        id: players.join(" "),
        cells: [<Names key="names" handles={players} />, exact(withheld)],
      }))}
    />
  );
}

function Names({ handles }: { handles: readonly string[] }) {
  return handles.map((handle, index) => (
    <span key={handle}>
      {index > 0 && ", "}
      <Link to={player(handle)}>
        <bdi>{handle}</bdi>
      </Link>
    </span>
  ));
}
