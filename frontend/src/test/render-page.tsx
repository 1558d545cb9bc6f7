// Draws the site at an address, or a part of a page, with answers at the network's edge. For component tests alone.
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { type Location, MemoryRouter, parsePath, useLocation } from "react-router";
import { vi } from "vitest";
import { App } from "../app/app";
import { prepare } from "../app/router";
import { DataProvider } from "../features/live/data-provider";
import { newQueryClient } from "../features/live/query-client";

/** What to answer to a path: an object is a 200, `status` makes it a failure, `raw` is a body as it is, an Error is no answer at all; a promise answers later. */
export type ApiMock = (url: URL, init: RequestInit) => object | Error | undefined;

export function mockApi(answers: ApiMock): void {
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const given = (await answers(new URL(path, "http://site.test"), init)) ?? {
      status: 404,
      success: false,
      error: "none",
      code: "NOT_FOUND",
    };
    if (given instanceof Error) throw given;
    const status = "status" in given ? Number(given.status) : 200;
    const body = "raw" in given ? String(given.raw) : JSON.stringify({ success: status < 400, ...given });
    return new Response(body, { status });
  });
}

/** The site's cache; a second try is made without a wait before it. */
export const newTestClient = () => newQueryClient({ retryDelayMs: 0 });

/** Draws the site at an address, as `main.tsx` does: the same cache, the same routes, the page's code there before it is drawn. */
export async function renderPage(at: string) {
  // What a test looks at is no visit.
  localStorage.setItem("analytics_disabled", "true");
  const client = newTestClient();
  const address = { current: parsePath(at) as Location };
  await prepare(address.current.pathname, client);
  const Spy = () => {
    address.current = useLocation();
    return null;
  };
  const Router = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[at]}>
      {children}
      <Spy />
    </MemoryRouter>
  );
  const view = await act(async () => render(<App cache={client} Router={Router} />));
  return { ...view, client, address: () => address.current };
}

/** Draws a part of a page, with the site's cache and an address. */
export function renderWithProviders(part: ReactNode) {
  const client = newTestClient();
  const view = render(
    <DataProvider client={client}>
      <MemoryRouter>{part}</MemoryRouter>
    </DataProvider>,
  );
  return { ...view, client };
}
