// Loading, empty and error states of lists and panels.

import { clsx } from "clsx";
import { CircleAlert, RotateCw } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { Button } from "./button";
import css from "./states.module.css";

/** An empty list or panel, with the reason; children suggest a next step. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={css.state}>
      <p className={css.title}>{title}</p>
      {children && <div className="quiet">{children}</div>}
    </div>
  );
}

/** Describes an error; with `onRetry` it offers *Try again*. */
export function ErrorState({
  title,
  text,
  onRetry,
  children,
}: {
  title: ReactNode;
  text?: string;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  return (
    <div className={clsx(css.state, css.error)} role="alert">
      <CircleAlert size={24} strokeWidth={1.75} aria-hidden="true" />
      <p className={css.title}>{title}</p>
      {text && <p className="quiet">{text}</p>}
      {children}
      {onRetry && (
        <Button onClick={onRetry}>
          <RotateCw size={16} aria-hidden="true" />
          Try again
        </Button>
      )}
    </div>
  );
}

/** A placeholder of the size of the content. */
export function Skeleton({
  width = "100%",
  height = 16,
  style,
}: {
  width?: number | string;
  height?: number | string;
  style?: CSSProperties;
}) {
  return <span aria-hidden="true" className={css.skeleton} style={{ width, height, ...style }} />;
}

/** A spinner in place of a page, as high as the screen, so that content below appears out of view. */
export function PageSpinner({ label }: { label: string }) {
  return (
    <div className={css.page}>
      <Spinner label={label} />
    </div>
  );
}

/** A spinner with a label. */
export function Spinner({ label }: { label: string }) {
  return (
    <p className={css.spinner} role="status" aria-busy="true">
      <span aria-hidden="true" />
      {label}
    </p>
  );
}
