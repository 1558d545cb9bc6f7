// The dialogs of a player's page. Loaded on demand.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { asApiError } from "../api/errors";
import { playerSettingsQuery } from "../api/settings";
import type { PlayerSettings, UserView } from "../api/types";
import { StickerEditor } from "../features/players/sticker-editor";
import { PlayerEdit } from "../features/settings/player-edit";
import { ImageUpload } from "../features/uploads/image-upload";
import { dialogRules } from "../features/uploads/picture-file";
import { DEFAULT_PLAYER_IMAGE, playerBanner } from "../lib/images";
import { Dialog } from "../ui/dialog";
import { ErrorState, Spinner } from "../ui/states";

const PICTURE_MB = 5;
const BANNER_MB = 15;

interface PlayerDialogsProps {
  which: "profile" | "stickers";
  handle: string;
  user: UserView;
  onClose: () => void;
}

export default function PlayerDialogs({ which, handle, user, onClose }: PlayerDialogsProps) {
  const cache = useQueryClient();
  // Editing starts from the stored settings, not from cached ones.
  const { data, error, isLoadingError, isFetchedAfterMount, refetch } = useQuery({
    ...playerSettingsQuery(handle),
    staleTime: 0,
  });
  const saved = () => {
    void cache.invalidateQueries({ queryKey: ["players", "profile", handle.toLowerCase()] });
    void cache.invalidateQueries({ queryKey: ["leaderboard"] });
  };
  if (!data || !isFetchedAfterMount) {
    return (
      <Dialog title={which === "profile" ? "Edit profile" : "Stickers"} onClose={onClose} wide>
        {isLoadingError ? (
          <ErrorState title={unread(error)} onRetry={() => void refetch()} />
        ) : (
          <Spinner label="Loading…" />
        )}
      </Dialog>
    );
  }
  if (which === "stickers") {
    return (
      <StickerEditor
        handle={handle}
        equipped={equippedOf(data.settings)}
        stickers={data.unlockedStickers}
        onSaved={saved}
        onClose={onClose}
      />
    );
  }
  return (
    <PlayerEdit
      handle={handle}
      discordId={user.discord_id}
      settings={data.settings}
      onSaved={saved}
      onClose={onClose}
      renderPicture={({ kind, ...field }) => (
        <ImageUpload
          {...field}
          label={kind === "picture" ? "Profile picture" : "Banner"}
          type={kind === "picture" ? "profile" : "banner"}
          owner="player"
          rules={dialogRules(kind === "picture" ? PICTURE_MB : BANNER_MB)}
          fallback={kind === "picture" ? DEFAULT_PLAYER_IMAGE : playerBanner(handle)}
          successText={kind === "picture" ? "Profile image uploaded successfully!" : "Banner uploaded successfully!"}
        />
      )}
    />
  );
}

function unread(error: Error): string {
  return asApiError(error).status === 401
    ? "You must be logged in to get profile settings"
    : "The settings could not be loaded";
}

/** Returns the stickers in stored settings, which may be an object or its JSON text. */
function equippedOf(settings: PlayerSettings | null): readonly (number | string)[] {
  let stored: unknown = settings?.profile_settings;
  if (typeof stored === "string") {
    try {
      stored = JSON.parse(stored);
    } catch {
      return [];
    }
  }
  const list = stored && typeof stored === "object" && "stickers" in stored ? stored.stickers : null;
  return Array.isArray(list) ? list : [];
}
