// The edit dialog of a guild's page. Loaded on demand.
import { useQueryClient } from "@tanstack/react-query";
import type { GuildSettings, UserView } from "../api/types";
import { GuildEdit } from "../features/settings/guild-edit";
import { ImageUpload } from "../features/uploads/image-upload";
import { dialogRules } from "../features/uploads/picture-file";
import { DEFAULT_GUILD_IMAGE, guildBanner } from "../lib/images";

const PICTURE_MB = 10;

interface GuildDialogProps {
  tag: string;
  user: UserView;
  settings: GuildSettings;
  onClose: () => void;
}

export default function GuildDialog({ tag, user, settings, onClose }: GuildDialogProps) {
  const cache = useQueryClient();
  return (
    <GuildEdit
      tag={tag}
      discordId={user.discord_id}
      settings={settings}
      onSaved={() => {
        void cache.invalidateQueries({ queryKey: ["settings", "guild", tag] });
        void cache.invalidateQueries({ queryKey: ["leaderboard"] });
      }}
      onClose={onClose}
      renderPicture={({ kind, ...field }) => (
        <ImageUpload
          {...field}
          label={kind === "picture" ? "Guild logo" : "Guild banner"}
          type={kind === "picture" ? "profile" : "banner"}
          owner="guild"
          rules={dialogRules(PICTURE_MB)}
          fallback={kind === "picture" ? DEFAULT_GUILD_IMAGE : guildBanner(tag)}
          successText={kind === "picture" ? "Guild logo uploaded successfully!" : "Guild banner uploaded successfully!"}
          failureText="Failed to upload image. Please try again."
        />
      )}
    />
  );
}
