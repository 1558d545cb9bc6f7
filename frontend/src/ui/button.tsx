// Things to press. `Button` acts, `ButtonLink` goes somewhere; both take `look` and `size`, icons come as children.
import { clsx } from "clsx";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { Link, type LinkProps } from "react-router";
import css from "./button.module.css";

export interface ButtonStyle {
  /** `primary` has the cut corner and there is one per view; `icon` is square and needs an `aria-label`. */
  variant?: "primary" | "quiet" | "danger" | "icon";
  size?: "normal" | "small";
}

const classNames = ({ variant = "quiet", size = "normal" }: ButtonStyle, more?: string) =>
  clsx(css.button, css[variant], css[size], more);

export function Button({ variant, size, className, ...rest }: ButtonStyle & ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" className={classNames({ variant, size }, className)} {...rest} />;
}

export function ButtonLink({ variant, size, className, ...rest }: ButtonStyle & LinkProps) {
  return <Link className={classNames({ variant, size }, className)} {...rest} />;
}

/** Leads out of the site, in a new tab. Without an address there is no link. */
export function ExternalLink({
  variant,
  size,
  className,
  ...rest
}: ButtonStyle & AnchorHTMLAttributes<HTMLAnchorElement>) {
  if (!rest.href) return null;
  return (
    <a
      target="_blank"
      rel="noopener noreferrer"
      className={variant ? classNames({ variant, size }, className) : className}
      {...rest}
    />
  );
}
