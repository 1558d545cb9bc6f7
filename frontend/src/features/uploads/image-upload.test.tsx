import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { ImageUpload } from "./image-upload";
import { type FileRules, UPLOAD_RULES } from "./picture-file";

let size = { width: 400, height: 400 };
const sent: { path: string; name: string | undefined }[] = [];

// jsdom does not decode pictures: this one has the size that the test sets, or fails.
class Picture extends EventTarget {
  onload: (() => void) | null = null;
  onerror: (() => void) | null = null;
  naturalWidth = size.width;
  naturalHeight = size.height;
  set src(_: string) {
    queueMicrotask(() => (size.width > 0 ? this.onload?.() : this.onerror?.()));
  }
}

beforeEach(() => {
  size = { width: 400, height: 400 };
  sent.length = 0;
  vi.stubGlobal("Image", Picture);
  URL.createObjectURL = () => "blob:x";
  URL.revokeObjectURL = () => {};
  // jsdom's forms do not reach the server of the tests as multipart bodies.
  const form = vi.spyOn(FormData.prototype, "set");
  mockApi((url, { method }) => {
    const [, , name] = form.mock.lastCall ?? [];
    form.mockClear();
    sent.push({ path: `${method} ${url.pathname}`, name });
    return { imagePath: "/uploads/a.webp" };
  });
});

const file = (type = "image/png", bytes = 10) => {
  const picture = new File(["x"], "me.png", { type });
  Object.defineProperty(picture, "size", { value: bytes });
  return picture;
};

function draw(more: { rules?: FileRules; value?: string | null; saved?: string | null; failureText?: string } = {}) {
  const onChange = vi.fn();
  renderWithProviders(
    <ImageUpload
      label="Banner"
      type="banner"
      owner="player"
      rules={UPLOAD_RULES}
      value={null}
      fallback="/static/x.webp"
      successText="Uploaded!"
      onChange={onChange}
      {...more}
    />,
  );
  return onChange;
}

const choose = (chosen: File) =>
  fireEvent.change(screen.getByLabelText("Banner", { selector: "input" }), { target: { files: [chosen] } });

test("a picture that fits is uploaded unchanged", async () => {
  size = { width: 1_200, height: 300 };
  const onChange = draw();
  choose(file());
  expect(await screen.findByText("Uploaded!")).toBeInTheDocument();
  expect(sent).toEqual([{ path: "POST /api/upload/profile-banner-image", name: "me.png" }]);
  expect(onChange).toHaveBeenCalledWith("/uploads/a.webp");
});

test.each<[string, object | Error, string | undefined, string]>([
  ["without network", new TypeError("offline"), undefined, "Upload failed"],
  [
    "that the server rejects, in a form with a text for failures,",
    { status: 400, error: "Not yours." },
    "Try again.",
    "Not yours.",
  ],
])("an upload %s shows an error", async (_, given, failureText, text) => {
  size = { width: 1_200, height: 300 };
  mockApi(() => given);
  draw({ failureText });
  choose(file());
  expect(await screen.findByText(text)).toBeInTheDocument();
});

test.each([
  [{ width: 4_000, height: 1_000 }, "Image needs adjustment: Image too large"],
  [{ width: 300, height: 300 }, "Image needs adjustment: Wrong aspect ratio"],
])("a picture that does not fit opens the editor", async (given, text) => {
  size = given;
  draw();
  choose(file());
  expect(await screen.findByText(text)).toBeInTheDocument();
  expect(sent).toEqual([]);
  const zoom = screen.getByRole<HTMLInputElement>("slider");
  const filled = Number(zoom.value);
  await userEvent.click(screen.getByRole("button", { name: "Reset" }));
  expect(Number(zoom.value)).toBeLessThanOrEqual(filled);
  screen.getByRole("group", { name: /Arrow keys/ }).focus();
  await userEvent.keyboard("+");
  expect(Number(zoom.getAttribute("aria-valuetext")?.replace(" %", ""))).toBeGreaterThan(0);
  await userEvent.click(screen.getByRole("button", { name: "Use Defaults" }));
  expect(Number(zoom.value)).toBe(filled);
});

test("removal requires a confirmation and deletes an unsaved picture", async () => {
  const onChange = draw({ value: "/uploads/new.webp" });
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(screen.getByText("Are you sure you want to remove this banner image?")).toBeInTheDocument();
  expect(onChange).not.toHaveBeenCalled();
  await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1) as HTMLElement);
  await waitFor(() => expect(onChange).toHaveBeenCalledWith(null));
  expect(sent[0]?.path).toBe("DELETE /api/upload/image");
});

test("a picture in use is deleted by saving the settings", async () => {
  const onChange = draw({ value: "/uploads/old.webp", saved: "/uploads/old.webp" });
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1) as HTMLElement);
  await waitFor(() => expect(onChange).toHaveBeenCalledWith(null));
  expect(sent).toEqual([]);
});
