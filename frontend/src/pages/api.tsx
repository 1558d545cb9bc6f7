import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { routesQuery } from "../api/openapi";
import { textPath, textQuery } from "../api/texts";
import { RouteList } from "../features/site/route-list";
import { Wiki } from "../features/site/wiki";
import { parseOutline } from "../lib/outline";
import { BackButton } from "../ui/back-button";
import { ErrorState, PageSpinner, Spinner } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./info-page.module.css";

export default function Api() {
  useTitle("API Documentation");
  const text = useQuery(textQuery(textPath("api")));
  return (
    <div className="page">
      <BackButton />
      <h1 className={css.title}>API Documentation</h1>
      {text.isPending && <PageSpinner label="Loading the documentation…" />}
      {text.isLoadingError && (
        <ErrorState title="The documentation could not be loaded." onRetry={() => void text.refetch()} />
      )}
      {!text.isPending && (
        <Suspense fallback={<PageSpinner label="Loading the documentation…" />}>
          {text.data && <Wiki label="documentation" articles={[{ slug: "api", ...parseOutline(text.data.text) }]} />}
          <Routes />
        </Suspense>
      )}
    </div>
  );
}

function Routes() {
  const routes = useQuery(routesQuery());
  return (
    <section aria-labelledby="all-routes" className={css.part}>
      <h2 id="all-routes">All routes</h2>
      <p className="quiet">
        From the server's OpenAPI description, <a href="/api/openapi.json">/api/openapi.json</a>. Read-only routes can
        be tried here.
      </p>
      {routes.isPending && <Spinner label="Loading the routes…" />}
      {routes.isLoadingError && (
        <ErrorState title="The routes could not be loaded." onRetry={() => void routes.refetch()} />
      )}
      {routes.data && <RouteList routes={routes.data} />}
    </section>
  );
}
