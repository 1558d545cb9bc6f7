import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import { mockApi, renderWithProviders } from "../../test/render-page";
import { ImageUpload } from "./image-upload";
import { dialogRules, type FileRules, UPLOAD_RULES } from "./picture-file";

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

test.each<[string, FileRules, File, string]>([
  ["type", UPLOAD_RULES, file("image/gif"), "Unsupported format. Supported: image/jpeg, image/png, image/webp"],
  ["size", UPLOAD_RULES, file("image/png", 10_485_761), "File too large. Maximum size: 10MB"],
  ["type in a dialog", dialogRules(5), file("image/gif"), "Only PNG, JPG, and WebP files are allowed"],
  ["size in a dialog", dialogRules(15), file("image/png", 15_728_641), "File size must be less than 15MB"],
])("a file of the wrong %s is rejected with a message", async (_, rules, chosen, text) => {
  draw({ rules });
  choose(chosen);
  expect(await screen.findByText(text)).toBeInTheDocument();
  expect(sent).toEqual([]);
});

test("dropped files must be pictures", async () => {
  draw();
  const area = screen.getByRole("button", { name: "Choose file" }).parentElement?.parentElement?.parentElement;
  fireEvent.drop(area as HTMLElement, { dataTransfer: { files: [file("text/plain")] } });
  expect(await screen.findByText("Please drop an image file")).toBeInTheDocument();
  fireEvent.drop(area as HTMLElement, { dataTransfer: { files: [] } });
  expect(await screen.findByText("No file provided")).toBeInTheDocument();
});

test("a picture that cannot be read shows an error", async () => {
  size = { width: 0, height: 0 };
  draw();
  choose(file());
  expect(await screen.findByText("Failed to load image")).toBeInTheDocument();
});

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
  ["with an unreadable response", { raw: "<html>" }, undefined, "Upload failed"],
  ["with an unreadable error", { status: 502, raw: "<html>" }, undefined, "API call failed: 502"],
  ["that the server rejects", { status: 400, error: "Not yours." }, undefined, "Not yours."],
  ["without network, in a form with a text for failures,", new TypeError("offline"), "Try again.", "Try again."],
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

test.each<[string, object | Error, string]>([
  ["without network", new TypeError("offline"), "Delete failed"],
  ["that the server rejects", { status: 403, error: "Not yours." }, "Not yours."],
])("a removal %s shows an error", async (_, given, text) => {
  mockApi(() => given);
  draw({ value: "/uploads/new.webp" });
  await userEvent.click(screen.getByRole("button", { name: "Remove" }));
  await userEvent.click(screen.getAllByRole("button", { name: "Remove" }).at(-1) as HTMLElement);
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
