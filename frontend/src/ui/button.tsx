// Things to press. `Button` acts, `ButtonLink` goes somewhere; both take `look` and `size`, icons come as children.
import { clsx } from "clsx";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "react";
import { Link, type LinkProps } from "react-router";
import css from "./button.module.css";

export interface ButtonLook {
  /** `primary` has the cut corner and there is one per view; `icon` is square and needs an `aria-label`. */
  look?: "primary" | "quiet" | "danger" | "icon";
  size?: "normal" | "small";
}

const classOf = ({ look = "quiet", size = "normal" }: ButtonLook, more?: string) =>
  clsx(css.button, css[look], css[size], more);

export function Button({ look, size, className, ...rest }: ButtonLook & ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" className={classOf({ look, size }, className)} {...rest} />;
}

export function ButtonLink({ look, size, className, ...rest }: ButtonLook & LinkProps) {
  return <Link className={classOf({ look, size }, className)} {...rest} />;
}

/** Leads out of the site, in a new tab. Without an address there is no link. */
export function ExternalLink({ look, size, className, ...rest }: ButtonLook & AnchorHTMLAttributes<HTMLAnchorElement>) {
  if (!rest.href) return null;
  return (
    <a
      target="_blank"
      rel="noopener noreferrer"
      className={look ? classOf({ look, size }, className) : className}
      {...rest}
    />
  );
}
