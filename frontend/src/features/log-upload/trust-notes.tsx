import type { ReactNode } from "react";
import { ExternalLink } from "../../ui/button";
import css from "./log-upload.module.css";

/** What a log is, and what the page does with it. */
export function TrustNotes({ game, sourceUrl }: { game: string; sourceUrl: string }) {
  return (
    <section aria-labelledby="trust" className={css.trust}>
      <h2 id="trust">What happens with your log</h2>
      <div className={css.notes}>
        <Note title="What a log is">
          {game} writes a text file while you play: when you entered the universe, which contracts you took, which ship
          you flew. Each start of the game begins a new one.
        </Note>
        <Note title="Why this is no cheat">
          The game's anti-cheat watches programs that run beside the game. This page is no such program: it reads a file
          that you give it. It changes nothing in the game or its folder, and works while the game is closed.
        </Note>
        <Note title="What never leaves your computer">
          Account and session ids, network addresses, chat, party and friends, owners and passengers of ships, balance,
          purchases, inventories, positions, hardware, file paths and the lines of the log.
        </Note>
        <Note title="Check it yourself">
          Once the page has loaded, cut your network and read your log: it works. Your browser forbids the part that
          reads to send anything. Before you upload, download the exact upload and look into it.{" "}
          {sourceUrl && <ExternalLink href={sourceUrl}>The source code of the parser</ExternalLink>}
        </Note>
      </div>
    </section>
  );
}

function Note({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={css.note}>
      <h3>{title}</h3>
      <p className="quiet">{children}</p>
    </section>
  );
}
