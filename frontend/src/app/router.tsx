// Every address of the site on one screen. Each page is a file of `pages/`, loaded when it is asked for.
import { createBrowserRouter, type RouteObject, redirect } from "react-router";
import { link, updates } from "../lib/paths";
import NotFound from "../pages/not-found";
import { ErrorPage } from "./error-page";
import { Root } from "./root";

type PageModule = { default: React.ComponentType };

const page = (path: string, load: () => Promise<PageModule>): RouteObject => ({
  path,
  lazy: async () => ({ Component: (await load()).default }),
  errorElement: <ErrorPage />,
});

export const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <div style={{ minHeight: "100dvh" }} />,
    children: [
      page("/", () => import("../pages/home")),
      page("/players", () => import("../pages/players")),
      page("/guilds", () => import("../pages/guilds")),
      page("/activity", () => import("../pages/activity")),
      page("/player/claim", () => import("../pages/claim")),
      page("/player/:handle/:tab?", () => import("../pages/player")),
      page("/guild/:tag/:tab?", () => import("../pages/guild")),
      page("/link", () => import("../pages/link")),
      page("/profile", () => import("../pages/profile")),
      page("/profile/data", () => import("../pages/my-data")),
      page("/updates", () => import("../pages/updates")),
      page("/about", () => import("../pages/about")),
      page("/guides", () => import("../pages/guides")),
      page("/privacy", () => import("../pages/privacy")),
      page("/terms", () => import("../pages/terms")),
      page("/api", () => import("../pages/api")),
      page("/discord-bot", () => import("../pages/discord-bot")),
      page("/connect-app", () => import("../pages/connect-app")),
      page("/image-editor-test", () => import("../pages/image-editor-test")),
      page("/admin", () => import("../pages/admin")),
      { path: "/changelog", element: null, loader: () => redirect(updates) },
      // The code of the chat platform comes along.
      { path: "/auth", element: null, loader: ({ request }) => redirect(link + new URL(request.url).search) },
      { path: "/404", Component: NotFound },
      { path: "*", Component: NotFound },
    ],
  },
];

export const newRouter = () => createBrowserRouter(routes);
