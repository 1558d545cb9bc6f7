import { isRouteErrorResponse, useRouteError } from "react-router";
import { home } from "../lib/paths";
import NotFound from "../pages/not-found";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/states";

/** What stands where a page has failed: never nothing. A page whose code is gone after an upgrade is offered anew. */
export function ErrorPage() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const outdated =
    error instanceof Error && /dynamically imported module|Importing a module script/i.test(error.message);
  return (
    <div className="page">
      <ErrorState
        title={outdated ? "A new version is here" : "Something Went Wrong"}
        text={outdated ? "The site was updated while this page was open." : "This page could not be shown."}
      >
        <Button look="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
        <a href={home}>Home</a>
      </ErrorState>
    </div>
  );
}
