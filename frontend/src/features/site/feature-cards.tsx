import { Check, ChevronDown, Copy } from "lucide-react";
import { useState } from "react";
import { InlineText } from "../../ui/inline-text";
import { useCopied } from "../../ui/use-copied";
import { ZoomImage } from "../../ui/zoom-image";
import css from "./feature-cards.module.css";
import type { FeatureCard } from "./help-file";

const FEEDBACK_MS = 2_000;

/** The bot's features. Each expands to its commands, notes and pictures. */
export function FeatureCards({ cards }: { cards: readonly FeatureCard[] }) {
  return (
    <ul role="list" className={css.cards}>
      {cards.map((card, index) => (
        <Card key={card.slug} card={card} first={index === 0} />
      ))}
    </ul>
  );
}

function Card({ card, first }: { card: FeatureCard; first: boolean }) {
  const [open, setOpen] = useState(first);
  return (
    <li className={css.card}>
      <h3>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={`${card.slug}-body`}
          className={css.toggle}
          onClick={() => setOpen(!open)}
        >
          <span>{card.title}</span>
          <ChevronDown size={20} aria-hidden="true" />
        </button>
      </h3>
      <p className="quiet">
        <InlineText text={card.description} />
      </p>
      <div id={`${card.slug}-body`} hidden={!open} className={css.body}>
        {card.commands.length > 0 && (
          <ul role="list" aria-label="Commands" className={css.commands}>
            {card.commands.map((one) => (
              <li key={one.command}>
                <Command text={one.command} />
                <span className="quiet">
                  <InlineText text={one.description} />
                </span>
              </li>
            ))}
          </ul>
        )}
        {card.notes.length > 0 && (
          <ul aria-label="Notes" className={css.notes}>
            {card.notes.map((note) => (
              <li key={note}>
                <InlineText text={note} />
              </li>
            ))}
          </ul>
        )}
        {card.media.length > 0 && (
          <div className={css.media}>
            {card.media.map((one) => (
              <ZoomImage key={one.url} src={one.url} title={one.title} />
            ))}
          </div>
        )}
      </div>
    </li>
  );
}

function Command({ text }: { text: string }) {
  const [copied, copy] = useCopied(FEEDBACK_MS);
  const Icon = copied ? Check : Copy;
  return (
    <button type="button" className={css.command} title="Copy" onClick={() => void copy(text)}>
      <code>{text}</code>
      <Icon size={14} aria-hidden="true" />
      <span role="status">{copied ? "copied" : ""}</span>
    </button>
  );
}
