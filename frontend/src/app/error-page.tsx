import { Component, type ReactNode } from "react";
import { home } from "../lib/paths";
import { Button } from "../ui/button";
import { ErrorState } from "../ui/states";

interface ErrorBoundaryProps {
  /** The current path. A navigation to another path resets the error. */
  pathname: string;
  children: ReactNode;
}

/** Renders `ErrorPage` in place of a page that throws. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failed: boolean; error: unknown }> {
  override state = { failed: false, error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { failed: true, error };
  }

  override componentDidUpdate(before: ErrorBoundaryProps) {
    if (this.state.failed && before.pathname !== this.props.pathname) this.setState({ failed: false, error: null });
  }

  override render() {
    return this.state.failed ? <ErrorPage error={this.state.error} /> : this.props.children;
  }
}

/** Shown in place of a failed page. A page whose chunk is missing after an upgrade offers a reload. */
function ErrorPage({ error }: { error: unknown }) {
  const isOutdated =
    error instanceof Error && /dynamically imported module|Importing a module script|preload CSS/i.test(error.message);
  return (
    <div className="page">
      <ErrorState
        title={isOutdated ? "New version available" : "Something Went Wrong"}
        text={isOutdated ? "The site was updated while this page was open." : "This page could not be shown."}
      >
        <Button variant="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
        <a href={home}>Home</a>
      </ErrorState>
    </div>
  );
}
