// Draws a page at an address, with a cache of its own and answers at the network's edge. For component tests alone.
import { QueryClient } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ComponentType } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { vi } from "vitest";
import { DataProvider } from "../features/live/data-provider";

/** What to answer to a path: an object is a 200, `status` makes it a failure, `raw` is a body as it is, an Error is no answer at all. */
export type Answers = (url: URL, init: RequestInit) => object | Error | undefined;

export function answer(answers: Answers): void {
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const given = answers(new URL(path, "http://site.test"), init) ?? {
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

/** `pattern` is the route's path, `at` the address; any other address draws `elsewhere: …`. */
export function renderPage(Page: ComponentType, at: string, pattern = at.split("?")[0]) {
  const router = createMemoryRouter(
    [
      { path: pattern, Component: Page },
      { path: "*", Component: () => <p>elsewhere</p> },
    ],
    { initialEntries: [at] },
  );
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return {
    router,
    client,
    ...render(
      <DataProvider client={client}>
        <RouterProvider router={router} />
      </DataProvider>,
    ),
  };
}
