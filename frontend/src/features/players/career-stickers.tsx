// The stickers that a career has earned, with their days.
import type { EarnedSticker } from "../../api/types";
import { date, moment } from "../../lib/times";
import { Name } from "../../ui/name";
import css from "./career-stickers.module.css";
import listCss from "./lifetime-panel.module.css";
import { useStickers } from "./stickers";

export function CareerStickers({ stickers }: { stickers: readonly EarnedSticker[] }) {
  const { info } = useStickers();
  if (stickers.length === 0) return null;
  return (
    <section aria-labelledby="career-stickers">
      <h2 id="career-stickers" className={listCss.title}>
        Stickers
      </h2>
      <ul role="list" className={css.list}>
        {stickers.map(({ id, earned_at: at }) => {
          const { name, requirement, image } = info(id);
          return (
            <li key={id}>
              <img src={image} alt="" width={40} height={40} loading="lazy" decoding="async" />
              <span>
                <Name>{name}</Name>
                <span className="quiet">{requirement}</span>
              </span>
              <time className="number" dateTime={new Date(at * 1000).toISOString()} title={moment(at)}>
                {date(at)}
              </time>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
