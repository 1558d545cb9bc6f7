import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { now } from "../../lib/times";
import { RosterNote } from "./roster-note";

const roster = { updated_at: now() - 7_200, named: 33, affiliates: 1, unnamed: 2, total: 1_036, is_partial: false };

test("a guild shows when its members were updated and how many are hidden", () => {
  const { container } = render(<RosterNote roster={roster} />);
  expect(container.textContent).toBe(
    "Members updated 2h ago from the game's site. 2 of 1,036 hide their membership there.",
  );
});

test("a list that is too long and one that was never read show a message", () => {
  const long = render(<RosterNote roster={{ ...roster, unnamed: 0, is_partial: true }} />);
  expect(long.container.textContent).toContain("too long to be read completely");
  const never = render(<RosterNote roster={null} />);
  expect(never.container.textContent).toContain("has not been read");
});
