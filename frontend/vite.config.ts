/// <reference types="vitest/config" />
// How the site is built: React, fonts announced to the browser ahead of time, and every text file of the
// output kept ready-compressed beside itself. In development the calls go to a server on this machine.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Smaller files gain nothing from compression. Bytes. */
const COMPRESS_FROM = 512;
const TEXT = /\.(js|css|html|svg|json|txt|webmanifest)$/;

/** Writes `x.br` and `x.gz` beside each text file of the output, so that the server never compresses pages at run time. */
const precompress: Plugin = {
  name: "precompress",
  apply: "build",
  closeBundle() {
    for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
      if (!TEXT.test(name)) continue;
      const bytes = readFileSync(`dist/${name}`);
      if (bytes.length < COMPRESS_FROM) continue;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
      writeFileSync(`dist/${name}.br`, brotliCompressSync(bytes, { params }));
      writeFileSync(`dist/${name}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

/** Names the Latin font files in the page's head: they are needed by every page and would else be found only after the style sheet. */
const preloadFonts: Plugin = {
  name: "preload-fonts",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle }) {
      return Object.keys(bundle ?? {})
        .filter((name) => /(inter-latin-wght|barlow-condensed-latin-600)-normal.*\.woff2$/.test(name))
        .map((name) => ({
          tag: "link",
          attrs: { rel: "preload", href: `/${name}`, as: "font", type: "font/woff2", crossorigin: "" },
          injectTo: "head" as const,
        }));
    },
  },
};

const server = process.env.APOGEE_DEV_SERVER ?? "http://127.0.0.1:8080";
// `/api` alone is a page of the site; only what lies below it is the server's.
const proxy = Object.fromEntries(["^/api/.+", "^/uploads/", "^/static/", "^/og/"].map((path) => [path, { target: server }]));

export default defineConfig({
  plugins: [react(), precompress, preloadFonts],
  server: { proxy },
  preview: { proxy },
  build: {
    target: "es2022",
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // What every page needs in one file: it compresses better than in four, and stays cached over upgrades of the site.
      // So do the small parts that many pages share.
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: /node_modules\/(react|react-dom|react-router|scheduler|@tanstack|clsx|cookie|set-cookie-parser)\// },
            { name: "shared", test: /(src\/(api|lib|ui)|node_modules\/lucide-react)\/.*\.[jt]sx?$/, minShareCount: 5 },
          ],
        },
      },
    },
  },
  test: { environment: "jsdom", setupFiles: ["src/test/setup.ts"], css: { modules: { classNameStrategy: "non-scoped" } } },
});
