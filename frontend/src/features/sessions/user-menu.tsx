import { lazy, Suspense } from "react";
import { DEFAULT_PLAYER_IMAGE } from "../../lib/images";
import { link } from "../../lib/paths";
import { ButtonLink } from "../../ui/button";
import { Dropdown } from "../../ui/dropdown";
import { Image } from "../../ui/image";
import { avatarOf, displayName, useSession } from "./use-session";

const UserItems = lazy(() => import("./user-items"));

/** The user area of the header: a Link button, or the user's menu. */
export function UserMenu() {
  const { user } = useSession();
  if (!user) {
    return (
      <ButtonLink to={link} variant="primary">
        Link
      </ButtonLink>
    );
  }
  const name = displayName(user);
  return (
    <Dropdown
      align="end"
      name={`Your menu, ${name}`}
      label={<Image src={avatarOf(user)} fallback={DEFAULT_PLAYER_IMAGE} alt="" width={28} height={28} eager />}
    >
      <Suspense>
        <UserItems />
      </Suspense>
    </Dropdown>
  );
}
