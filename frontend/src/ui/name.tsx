import type { ReactNode } from "react";

/** A name that a translating browser keeps: of a player, guild, ship, weapon or contract. Its direction does not affect the text around it. */
export function Name({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <bdi translate="no" className={className}>
      {children}
    </bdi>
  );
}
