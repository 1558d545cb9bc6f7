import { ChevronDown } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { ApiRoute } from "../../api/openapi";
import { InlineText } from "../../ui/inline-text";
import { Skeleton } from "../../ui/states";
import css from "./route-list.module.css";

/** Loaded when a route is opened. */
const TryRoute = lazy(() => import("./try-route"));

/** All routes by tag. A route expands to its parameters and, if it only reads, to a form that tries it. */
export function RouteList({ routes }: { routes: readonly ApiRoute[] }) {
  const groups = new Map<string, ApiRoute[]>();
  for (const route of routes) {
    const tag = route.tags?.[0] ?? "other";
    groups.set(tag, [...(groups.get(tag) ?? []), route]);
  }
  return (
    <div className={css.groups}>
      {[...groups].map(([tag, ones]) => (
        <section key={tag} aria-label={tag}>
          <h3 className={css.tag}>{tag}</h3>
          <ul role="list">
            {ones.map((route) => (
              <Route key={`${route.method} ${route.path}`} route={route} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Route({ route }: { route: ApiRoute }) {
  const [open, setOpen] = useState(false);
  const parameters = (route.parameters ?? []).filter((one) => one.in === "path" || one.in === "query");
  return (
    <li className={css.route}>
      <button type="button" className={css.line} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={css.method} data-reads={route.method === "GET"}>
          {route.method}
        </span>
        <code>{route.path}</code>
        {route.summary && (
          <span className={css.summary}>
            <InlineText text={route.summary} />
          </span>
        )}
        <ChevronDown size={16} aria-hidden="true" />
      </button>
      {open && (
        <div className={css.body}>
          {route.description && <p className="quiet">{route.description}</p>}
          {route.method === "GET" ? (
            <Suspense fallback={<Skeleton height={120} />}>
              <TryRoute path={route.path} parameters={parameters} />
            </Suspense>
          ) : (
            <>
              {parameters.length > 0 && (
                <ul>
                  {parameters.map((one) => (
                    <li key={one.name}>
                      <code>{one.name}</code> {one.description}
                    </li>
                  ))}
                </ul>
              )}
              <p className="quiet">This route changes data and cannot be tried here.</p>
            </>
          )}
        </div>
      )}
    </li>
  );
}
