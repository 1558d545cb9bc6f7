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
  renderPicture: (field: PictureField) => ReactNode;
  onSaved: () => void;
  onClose: () => void;
}

/** The dialog of a guild's owner: logo, banner and invite link. */
export function GuildEdit({ tag, discordId, settings, renderPicture, onSaved, onClose }: GuildEditProps) {
  const initial = {
    guildImage: settings.guild_image ?? null,
    bannerImage: settings.banner_image ?? null,
    discordLink: settings.discord_link ?? "",
  };
  const [draft, setDraft] = useState(initial);
  const [uploading, setUploading] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { isSaving, message, save, showError } = useSave({
    save: saveGuildSettings,
    successText: "Guild settings saved successfully!",
    errorTextFor: (error) => serverSentence(error) || "Failed to save changes. Please try again.",
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
    if (isSaving || uploading || check(draft.discordLink)) return;
    const link = draft.discordLink.trim();
    const body: GuildSettingsChange = { guildShort: tag, discordId };
    if (draft.guildImage !== initial.guildImage) body.guildImage = draft.guildImage;
    if (draft.bannerImage !== initial.bannerImage) body.bannerImage = draft.bannerImage;
    if (link !== initial.discordLink) body.discordLink = link === "" ? null : link;
    if (Object.keys(body).length === 2) return showError("No changes detected");
    save(body);
  };
  const field = (kind: PictureField["kind"], name: "guildImage" | "bannerImage") =>
    renderPicture({
      kind,
      value: draft[name],
      saved: initial[name],
      disabled: uploading || isSaving,
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
          {message && (
            <p role={message.tone === "error" ? "alert" : "status"} className={css.message} data-tone={message.tone}>
              {message.text}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={isSaving || uploading} onClick={submit}>
            {isSaving ? "Saving..." : "Save"}
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
            disabled={isSaving}
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
