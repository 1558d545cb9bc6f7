import { onlineManager, QueryClientProvider, useMutation, useQuery } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, test } from "vitest";
import { ApiError } from "../../api/errors";
import { Toasts } from "../../ui/toast";
import { newQueryClient } from "./query-client";

afterEach(() => onlineManager.setOnline(true));

interface DataProps {
  query: () => Promise<string>;
  quiet?: boolean;
  mutation?: () => Promise<string>;
}

function Data({ query, quiet, mutation }: DataProps) {
  const { data, isLoadingError } = useQuery({ queryKey: ["x"], queryFn: query, meta: { quiet } });
  const saving = useMutation({ mutationFn: mutation ?? (async () => "") });
  return (
    <>
      <output>{data ?? (isLoadingError ? "failed" : "waiting")}</output>
      <button type="button" onClick={() => saving.mutate()}>
        {saving.isError ? saving.error.message : "Save"}
      </button>
    </>
  );
}

function renderData(props: DataProps) {
  const client = newQueryClient({ retryDelayMs: 0 });
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Data {...props} />
        <Toasts />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return client;
}

const notifications = () => screen.getByRole("region", { name: "Notifications" });
const fails = (status: number, code = "X") => Promise.reject(new ApiError(status, code, `Refused with ${status}.`));

test("a query that fails shows one notification with the general text", async () => {
  renderData({ query: () => fails(403) });
  expect(await screen.findByText("failed")).toBeInTheDocument();
  expect(notifications()).toHaveTextContent("Access DeniedRefused with 403.");
});

test.each([
  ["of a missing resource", 404, { query: () => fails(404) }],
  ["of a session that ended", 401, { query: () => fails(401, "TOKEN_EXPIRED") }],
  ["of a quiet query", 400, { query: () => fails(400), quiet: true }],
])("the failure %s shows no notification", async (_, status, props) => {
  renderData(props);
  expect(await screen.findByText("failed")).toBeInTheDocument();
  expect(notifications()).not.toHaveTextContent(`Refused with ${status}`);
});

test("server errors are retried once, other errors are not", async () => {
  let calls = 0;
  renderData({ query: () => fails(500 + 0 * ++calls) });
  await screen.findByText("failed");
  expect(calls).toBe(2);
});

test("without a network, queries and mutations fail instead of waiting", async () => {
  onlineManager.setOnline(false);
  const lost = () => Promise.reject(new ApiError(0, "NETWORK", "No network."));
  renderData({ query: lost, mutation: lost });
  expect(await screen.findByText("failed")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByRole("button", { name: "No network." })).toBeInTheDocument();
});
