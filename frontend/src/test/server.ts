// The server of the component tests: answers the page's requests in its process.
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

export const server = setupServer();

/** Makes the server answer every request with `respond`; null is a network error. Replaces the earlier answers. */
export function handleRequests(respond: (request: Request, url: URL) => Promise<Response | null>): void {
  server.resetHandlers(
    http.all("*", async ({ request }) => (await respond(request, new URL(request.url))) ?? HttpResponse.error()),
  );
}
