/// <reference types="vitest/config" />
// Builds the site, with preload links for fonts and scripts and with compressed copies of all files that shrink. In development, API
// calls go to a local server.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** Smaller files do not benefit from compression. Bytes. */
const COMPRESS_FROM = 512;
const COMPRESSIBLE = /\.(js|css|html|svg|json|txt|wasm|webmanifest)$/;

/** Writes `x.br` and `x.gz` beside each such file of the output, so that the server does not compress them at run time. */
const precompress: Plugin = {
  name: "precompress",
  apply: "build",
  closeBundle() {
    for (const name of readdirSync("dist", { recursive: true, encoding: "utf8" })) {
      if (!COMPRESSIBLE.test(name)) continue;
      const bytes = readFileSync(`dist/${name}`);
      if (bytes.length < COMPRESS_FROM) continue;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
      writeFileSync(`dist/${name}.br`, brotliCompressSync(bytes, { params }));
      writeFileSync(`dist/${name}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

/**
 * Adds preload links for the Latin fonts: every page needs them, and browsers would otherwise find them only after the style
 * sheet.
 */
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

/**
 * Writes `preloads.json`: the scripts and styles of each file in `src/pages/`. The server adds preload links for them to the
 * page's HTML, so that they load together with the shell.
 */
const preloadPages: Plugin = {
  name: "preload-pages",
  apply: "build",
  enforce: "post",
  generateBundle(_options, bundle) {
    const chunks = new Map(Object.values(bundle).flatMap((one) => (one.type === "chunk" ? [[one.fileName, one] as const] : [])));
    const reach = (name: string, found: Set<string>): Set<string> => {
      const chunk = chunks.get(name);
      if (!chunk || found.has(name)) return found;
      found.add(name);
      for (const css of chunk.viteMetadata?.importedCss ?? []) found.add(css);
      for (const next of chunk.imports) reach(next, found);
      return found;
    };
    const shell = new Set<string>();
    for (const chunk of chunks.values()) if (chunk.isEntry) reach(chunk.fileName, shell);
    const pages = [...chunks.values()].flatMap((chunk) => {
      const page = /src\/pages\/([\w-]+)\.tsx$/.exec(chunk.facadeModuleId ?? "")?.[1];
      if (!page || !chunk.isDynamicEntry) return [];
      return [[page, [...reach(chunk.fileName, new Set())].filter((name) => !shell.has(name)).map((name) => `/${name}`)]];
    });
    this.emitFile({ type: "asset", fileName: "preloads.json", source: JSON.stringify(Object.fromEntries(pages)) });
  },
};

const server = process.env.APOGEE_DEV_SERVER ?? "http://127.0.0.1:8080";
// `/api` itself is a page of the site; paths below it belong to the server.
const proxy = Object.fromEntries(["^/api/.+", "^/uploads/", "^/static/", "^/og/"].map((path) => [path, { target: server }]));

export default defineConfig({
  plugins: [react(), precompress, preloadFonts, preloadPages],
  // The package's default export for browsers is the development build.
  resolve: { alias: [{ find: /^react-router$/, replacement: new URL("node_modules/react-router/dist/production/index.mjs", import.meta.url).pathname }] },
  // Tests decide it themselves, see `src/test/setup.ts`.
  define: { HAS_LOG_PARSER: process.env.VITEST ? "globalThis.HAS_LOG_PARSER" : JSON.stringify(existsSync("wasm/gamelog.wasm")) },
  server: { proxy },
  preview: { proxy },
  build: {
    target: "es2022",
    reportCompressedSize: false,
    assetsInlineLimit: 0,
    // A browser without preload links loads the scripts a little later.
    modulePreload: { polyfill: false },
    cssCodeSplit: false,
    rolldownOptions: {
      // Shared code is split into three chunks: packages that the shell needs (cached across upgrades), the shell with its
      // imports, and modules that several pages import. Large chunks compress better, and every chunk costs a round trip. Code
      // of a single page remains in its own chunk, as does what only a few pages need, such as articles, forms and plots: the others
      // do not load it.
      output: {
        codeSplitting: {
          groups: [
            { name: "base", tags: ["$initial"], test: /node_modules\/(react|react-dom|react-router|scheduler|@tanstack|clsx|cookie|set-cookie-parser)\// },
            { name: "shared", tags: ["$initial"], test: /(src|node_modules\/lucide-react)\/.*\.m?[jt]sx?$/ },
            { name: "parts", test: /(src\/(api(?!\/(texts|settings))|lib(?!\/(outline|plot))|ui(?!\/(alert|show-more|stat-strip|line-plot)\.)|features(?!\/sessions\/return-to))|node_modules\/(lucide-react|@tanstack\/(react-query|query-core)))\/.*\.m?[jt]sx?$/, minShareCount: 4 },
          ],
        },
      },
    },
  },
  test: {
    css: { modules: { classNameStrategy: "non-scoped" } },
    // The default, cores - 1, is a single worker on two cores.
    maxWorkers: 2,
    // Leave time for a loaded machine.
    testTimeout: 30_000,
    projects: [
      // Functions need no page, which takes longer to create than their tests.
      { extends: true, test: { name: "functions", include: ["src/**/*.test.ts"], environment: "node", isolate: false } },
      { extends: true, test: { name: "page", include: ["src/**/*.test.tsx"], environment: "jsdom", setupFiles: ["src/test/setup.ts"] } },
    ],
  },
});
