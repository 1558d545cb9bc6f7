import { EyeOff } from "lucide-react";
import css from "./notice.module.css";

/** Shows owners and admins that the profile is hidden. */
export function HiddenBanner({ admin }: { admin: boolean }) {
  return (
    <p className={css.banner} role="note">
      <EyeOff size={16} aria-hidden="true" />
      <strong>{admin ? "ADMIN VIEW" : "OWNER VIEW"}</strong> This profile is hidden from public view
    </p>
  );
}
