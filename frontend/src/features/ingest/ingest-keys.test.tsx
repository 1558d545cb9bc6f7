import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { IngestKey } from "../../api/types";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { IngestKeys } from "./ingest-keys";

test("a key is created, shown once, listed with its last use, and revoked after a confirmation", async () => {
  let keys: IngestKey[] = [
    { id: "1", name: "Tower", created_at: 1_700_000_000, last_used_at: null, revoked_at: null, review_since: null },
  ];
  mockApi((url, request) => {
    if (request.method === "POST") {
      const key = {
        id: "2",
        name: JSON.parse(request.body).name,
        created_at: 1_700_000_000,
        last_used_at: null,
        revoked_at: null,
        review_since: null,
      };
      keys = [...keys, key];
      return { key, secret: "apg_secret" };
    }
    if (request.method === "DELETE") {
      keys = keys.filter((key) => !url.pathname.endsWith(`/${key.id}`));
      return {};
    }
    return { keys };
  });
  renderWithProviders(<IngestKeys />);
  const list = await screen.findByRole("list", { name: "Your keys" });
  expect(within(list).getByText("Never used")).toBeInTheDocument();
  await userEvent.type(screen.getByLabelText("Name of the new key"), "Laptop");
  await userEvent.click(screen.getByRole("button", { name: "Create key" }));
  expect(await screen.findByText("apg_secret")).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByText("apg_secret")).toBeNull();
  await userEvent.click(await screen.findByRole("button", { name: "Revoke Laptop" }));
  expect(keys).toHaveLength(2);
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Revoke" }));
  await expect.poll(() => screen.queryByText("Laptop")).toBeNull();
  expect(keys).toHaveLength(1);
});

test("a key of a restored backup must be confirmed before it can upload again", async () => {
  const calls: string[] = [];
  let review: number | null = 1_700_000_100;
  mockApi((url, request) => {
    calls.push(`${request.method} ${url.pathname}`);
    if (request.method === "POST") {
      review = null;
      return {};
    }
    const key = { id: "1", name: "Tower", created_at: 1_700_000_000, last_used_at: null, revoked_at: null };
    return { keys: [{ ...key, review_since: review }] };
  });
  renderWithProviders(<IngestKeys />);
  expect(await screen.findByText(/The site was restored from a backup/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Confirm Tower" }));
  await expect.poll(() => screen.queryByRole("button", { name: "Confirm Tower" })).toBeNull();
  expect(screen.queryByText(/The site was restored/)).toBeNull();
  expect(calls).toContain("POST /api/keys/1/confirm");
});
