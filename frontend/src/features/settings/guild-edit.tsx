import { type ReactNode, useId, useState } from "react";
import { serverSentence } from "../../api/errors";
import { type GuildSettingsChange, saveGuildSettings } from "../../api/settings";
import type { GuildSettings } from "../../api/types";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import css from "./edit.module.css";
import { inviteProblem } from "./invite";
import type { PictureField } from "./player-edit";
import { useSave } from "./use-save";

interface GuildEditProps {
  tag: string;
  discordId: string;
  settings: GuildSettings;
  picture: (field: PictureField) => ReactNode;
  onSaved: () => void;
  onClose: () => void;
}

/** The guild owner's window: logo, banner and the invite link. */
export function GuildEdit({ tag, discordId, settings, picture, onSaved, onClose }: GuildEditProps) {
  const was = {
    guildImage: settings.guild_image ?? null,
    bannerImage: settings.banner_image ?? null,
    discordLink: settings.discord_link ?? "",
  };
  const [draft, setDraft] = useState(was);
  const [uploading, setUploading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { saving, said, save, say } = useSave({
    save: saveGuildSettings,
    done: "Guild settings saved successfully!",
    failure: (error) => serverSentence(error) || "Failed to save changes. Please try again.",
    onSaved,
    onClose,
  });
  const id = useId();
  const check = (link: string) => {
    const found = inviteProblem(link);
    setProblem(found);
    return found;
  };

  const submit = () => {
    if (saving || uploading || check(draft.discordLink)) return;
    const link = draft.discordLink.trim();
    const body: GuildSettingsChange = { guildShort: tag, discordId };
    if (draft.guildImage !== was.guildImage) body.guildImage = draft.guildImage;
    if (draft.bannerImage !== was.bannerImage) body.bannerImage = draft.bannerImage;
    if (link !== was.discordLink) body.discordLink = link === "" ? null : link;
    if (Object.keys(body).length === 2) return say("No changes detected");
    save(body);
  };
  const field = (kind: PictureField["kind"], name: "guildImage" | "bannerImage") =>
    picture({
      kind,
      value: draft[name],
      saved: was[name],
      disabled: uploading || saving,
      onChange: (path) => setDraft((known) => ({ ...known, [name]: path })),
      onBusy: setUploading,
    });
  return (
    <Dialog
      title="Edit guild"
      onClose={onClose}
      wide
      actions={
        <>
          {said && (
            <p role={said.tone === "error" ? "alert" : "status"} className={css.said} data-tone={said.tone}>
              {said.text}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={saving || uploading} onClick={submit}>
            {saving ? "Saving..." : "Save"}
          </Button>
        </>
      }
    >
      <div className={css.fields}>
        {field("picture", "guildImage")}
        {field("banner", "bannerImage")}
        <div className={css.text}>
          <label htmlFor={id}>Discord invite link</label>
          <input
            id={id}
            type="url"
            inputMode="url"
            placeholder="https://discord.gg/"
            value={draft.discordLink}
            disabled={saving}
            aria-invalid={problem !== null}
            aria-describedby={`${id}-problem`}
            onChange={(event) => {
              setDraft((known) => ({ ...known, discordLink: event.target.value }));
              check(event.target.value);
            }}
            onBlur={(event) => check(event.target.value)}
          />
          <p id={`${id}-problem`} role="alert" className={css.problem}>
            {problem}
          </p>
        </div>
      </div>
    </Dialog>
  );
}
