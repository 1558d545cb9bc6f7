// Buttons and links. All take `variant` and `size`; icons are children.
import { clsx } from "clsx";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { Link, type LinkProps } from "react-router";
import css from "./button.module.css";

export interface ButtonStyle {
  /** `primary` has the cut corner and occurs once per view; `icon` is square and needs an `aria-label`. */
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

/** An external link that opens in a new tab. Renders nothing without `href`. */
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
