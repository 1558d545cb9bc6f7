import { type ReactNode, useId, useState } from "react";
import { serverSentence } from "../../api/errors";
import { type GuildSettingsChange, saveGuildSettings } from "../../api/settings";
import type { GuildSettings } from "../../api/types";
import css from "./edit.module.css";
import { EditDialog, type PictureField } from "./edit-dialog";
import { inviteProblem } from "./invite";
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
  const [isUploading, setUploading] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const problem = inviteProblem(draft.discordLink);
  const state = useSave({
    save: saveGuildSettings,
    successText: "Guild settings saved successfully!",
    errorTextFor: (error) => serverSentence(error) || "Failed to save changes. Please try again.",
    onSaved,
    onClose,
  });
  const submit = () => {
    if (state.isSaving || isUploading) return;
    setChecked(true);
    if (problem) return;
    const link = draft.discordLink.trim();
    const body: GuildSettingsChange = { guildShort: tag, discordId };
    if (draft.guildImage !== initial.guildImage) body.guildImage = draft.guildImage;
    if (draft.bannerImage !== initial.bannerImage) body.bannerImage = draft.bannerImage;
    if (link !== initial.discordLink) body.discordLink = link === "" ? null : link;
    if (Object.keys(body).length === 2) return state.showError("No changes detected");
    state.save(body);
  };
  const field = (kind: PictureField["kind"], name: "guildImage" | "bannerImage") =>
    renderPicture({
      kind,
      value: draft[name],
      saved: initial[name],
      disabled: isUploading || state.isSaving,
      onChange: (path) => setDraft((known) => ({ ...known, [name]: path })),
      onBusy: setUploading,
    });
  return (
    <EditDialog title="Edit guild" state={state} isUploading={isUploading} onSave={submit} onClose={onClose}>
      {field("picture", "guildImage")}
      {field("banner", "bannerImage")}
      <InviteField
        value={draft.discordLink}
        problem={isChecked ? problem : null}
        disabled={state.isSaving}
        onChange={(discordLink) => setDraft((known) => ({ ...known, discordLink }))}
        onCheck={() => setChecked(true)}
      />
    </EditDialog>
  );
}

interface InviteFieldProps {
  value: string;
  problem: string | null;
  disabled: boolean;
  onChange: (link: string) => void;
  /** Called when problems of the link should be shown. */
  onCheck: () => void;
}

function InviteField({ value, problem, disabled, onChange, onCheck }: InviteFieldProps) {
  const id = useId();
  return (
    <div className={css.text}>
      <label htmlFor={id}>Discord invite link</label>
      <input
        id={id}
        type="url"
        inputMode="url"
        placeholder="https://discord.gg/"
        value={value}
        disabled={disabled}
        aria-invalid={problem !== null}
        aria-describedby={`${id}-problem`}
        onChange={(event) => {
          onChange(event.target.value);
          onCheck();
        }}
        onBlur={onCheck}
      />
      <p id={`${id}-problem`} role="alert" className={css.problem}>
        {problem}
      </p>
    </div>
  );
}
