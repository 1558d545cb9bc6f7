// Renders the site at a path, or a part of it, with mocked API responses.
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { type Location, MemoryRouter, parsePath, useLocation } from "react-router";
import { onTestFinished } from "vitest";
import { App } from "../app/app";
import { prepare } from "../app/router";
import { DataProvider } from "../features/live/data-provider";
import { newQueryClient } from "../features/live/query-client";
import { handleRequests } from "./server";

/** A request of the page. */
export interface ApiRequest {
  method: string;
  body: string;
}

/**
 * Returns the response to a request: an object is a 200, `status` sets another status, `raw` is a literal body, an Error is a
 * network error, a promise delays.
 */
export type ApiMock = (url: URL, request: ApiRequest) => object | Error | undefined;

const NOT_FOUND = { status: 404, success: false, error: "none", code: "NOT_FOUND" };

export function mockApi(respond: ApiMock): void {
  handleRequests(async (request, url) => {
    const given = (await respond(url, { method: request.method, body: await request.text() })) ?? NOT_FOUND;
    if (given instanceof Error) return null;
    const status = "status" in given ? Number(given.status) : 200;
    const text = "raw" in given ? String(given.raw) : JSON.stringify({ success: status < 400, ...given });
    return new Response(status === 204 || status === 304 ? null : text, { status });
  });
}

/** Until the end of the test, pages have the head of a site whose rankings open on the career. */
export function openRankingsOnCareer(why: string): void {
  const meta = document.createElement("meta");
  meta.name = "rankings-open-on-career";
  meta.content = why;
  document.head.append(meta);
  onTestFinished(() => meta.remove());
}

/** The site's query cache, with retries that do not wait. */
export const newTestClient = () => newQueryClient({ retryDelayMs: 0 });

/** Renders the site at a path as `main.tsx` does: same cache, same routes, page code loaded first. */
export async function renderPage(at: string) {
  // Tests do not count as visits.
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

/** Renders a component with the site's cache and a router. */
export function renderWithProviders(part: ReactNode) {
  const client = newTestClient();
  const view = render(
    <DataProvider client={client}>
      <MemoryRouter>{part}</MemoryRouter>
    </DataProvider>,
  );
  return { ...view, client };
}
