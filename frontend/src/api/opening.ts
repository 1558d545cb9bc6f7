// What rankings and profiles open on. The server decides it and writes it into the head of each page.

/** Returns why they open on the career; null if they open on the overall score. */
export const whyCareer = (): string | null =>
  document.querySelector<HTMLMetaElement>('meta[name="rankings-open-on-career"]')?.content ?? null;

/** Returns the sort key of leaderboards and lists for which none is chosen. */
export const openingSort = () => (whyCareer() === null ? "overall" : "career");
