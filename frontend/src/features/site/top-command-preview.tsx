import { useQuery } from "@tanstack/react-query";
import { topPlayersQuery } from "../../api/leaderboard";
import { FormattedNumber } from "../../ui/formatted-number";
import { Name } from "../../ui/name";
import { Skeleton } from "../../ui/states";
import css from "./top-command-preview.module.css";
import { useSite } from "./use-site";

const ROWS = [1, 2, 3, 4, 5];

/** A preview of the bot's response to `/top` with current data. Nothing if there is none. */
export function TopCommandPreview() {
  const { name } = useSite();
  const { data, isLoadingError } = useQuery(topPlayersQuery("overall", ROWS.length));
  if (isLoadingError || data?.length === 0) return null;
  return (
    <figure className={css.channel}>
      <p className={css.command}>
        <code>/top</code>
      </p>
      <p className={css.bot}>
        {name} <span>APP</span>
      </p>
      <div className={css.answer}>
        <p className={css.title}>Overall score</p>
        <ol role="list">
          {data?.map((row) => (
            <li key={row.handle}>
              <span className="number">#{row.rank}</span>
              <Name>{row.handle}</Name>
              <FormattedNumber value={row.overall} />
            </li>
          ))}
          {!data &&
            ROWS.map((index) => (
              <li key={index}>
                <Skeleton height={16} />
              </li>
            ))}
        </ol>
      </div>
      <figcaption className="quiet">The response to /top in a channel, with current data.</figcaption>
    </figure>
  );
}
