// Runs before every test file. A message on the console fails the test that caused it: React says there what no
// type and no assertion would. Nothing that a single test needs belongs here.
import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 20_000 });

const said: string[] = [];

for (const level of ["error", "warn"] as const) {
  console[level] = (...parts: unknown[]) => {
    said.push(`console.${level}: ${parts.map(String).join(" ")}`);
  };
}

// jsdom has no modal dialogs, observers or media queries. These stand-ins do what the site relies on and no more.
if (!HTMLDialogElement.prototype.showModal) {
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.setAttribute("open", "");
  };
  HTMLDialogElement.prototype.close = function close() {
    if (!this.hasAttribute("open")) return;
    this.removeAttribute("open");
    this.dispatchEvent(new Event("close"));
  };
}
window.scrollTo = () => {};
Element.prototype.scrollIntoView = () => {};
vi.stubGlobal("matchMedia", (query: string) => ({
  matches: query.includes("prefers-reduced-motion"),
  media: query,
  addEventListener() {},
  removeEventListener() {},
}));
vi.stubGlobal(
  "IntersectionObserver",
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);
vi.stubGlobal(
  "ResizeObserver",
  class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
);

beforeEach(() => {
  said.length = 0;
  localStorage.clear();
});
afterEach(() => {
  cleanup();
  expect(said).toEqual([]);
});
