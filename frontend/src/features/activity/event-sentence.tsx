import { Link } from "react-router";
import { player } from "../../lib/paths";
import { Name } from "../../ui/name";
import css from "./activity-item.module.css";
import type { Part, Sentence } from "./sentence";

/** The sentence of an event. Players are links. */
export function EventSentence({ sentence }: { sentence: Sentence }) {
  return sentence.parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order
    <SentencePart key={index} part={part} />
  ));
}

function SentencePart({ part }: { part: Part }) {
  if (part.kind === "text") return part.text;
  if (part.kind === "player") {
    return (
      <Link to={player(part.handle)} className={css.player}>
        <Name>{part.text}</Name>
      </Link>
    );
  }
  return <Name className={part.kind === "npc" ? css.npc : css.name}>{part.text}</Name>;
}
