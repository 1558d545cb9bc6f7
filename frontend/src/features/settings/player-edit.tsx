import { type ReactNode, useState } from "react";
import { asApiError, serverSentence } from "../../api/errors";
import { type PlayerSettingsChange, savePlayerSettings } from "../../api/settings";
import type { PlayerSettings } from "../../api/types";
import css from "./edit.module.css";
import { EditDialog, type PictureField } from "./edit-dialog";
import { useSave } from "./use-save";

interface PlayerEditProps {
  handle: string;
  discordId: string;
  settings: PlayerSettings | null;
  /** Renders the picture upload, which is part of another feature. */
  renderPicture: (field: PictureField) => ReactNode;
  onSaved: () => void;
  onClose: () => void;
}

const TOGGLES = [
  {
    name: "profile_hidden",
    label: "Hide profile",
    text: "Only you can see it. It does not appear on leaderboards, in search results or in feeds.",
  },
  {
    name: "pay",
    label: "Share contract pay",
    text: "Everybody sees it on your Career tab if your reader sends it. Switching it off deletes what was sent.",
  },
  {
    name: "places",
    label: "Share visited places",
    text: "Everybody sees them on your Career tab if your reader sends them. Switching it off deletes what was sent.",
  },
] as const;

/** The dialog of a player's owner: picture, banner, visibility, and what is shared. */
export function PlayerEdit({ handle, discordId, settings, renderPicture, onSaved, onClose }: PlayerEditProps) {
  const initial = {
    profile_image: settings?.profile_image ?? null,
    banner_image: settings?.banner_image ?? null,
    profile_hidden: settings?.is_profile_hidden ?? false,
    pay: settings?.sharing?.pay ?? false,
    places: settings?.sharing?.places ?? false,
  };
  const [draft, setDraft] = useState(initial);
  const [isUploading, setUploading] = useState(false);
  const state = useSave({
    save: savePlayerSettings,
    successText: "Profile settings saved successfully!",
    errorTextFor: saveErrorText,
    onSaved,
    onClose,
  });
  const set = (change: Partial<typeof initial>) => setDraft((known) => ({ ...known, ...change }));

  const submit = () => {
    const body: PlayerSettingsChange = { discordId, handle };
    // Omitted fields remain unchanged.
    if (draft.profile_image !== initial.profile_image) body.profile_image = draft.profile_image;
    if (draft.banner_image !== initial.banner_image) body.banner_image = draft.banner_image;
    if (draft.profile_hidden !== initial.profile_hidden) body.profile_hidden = draft.profile_hidden;
    const sharing = {
      ...(draft.pay !== initial.pay && { pay: draft.pay }),
      ...(draft.places !== initial.places && { places: draft.places }),
    };
    if (Object.keys(sharing).length > 0) body.sharing = sharing;
    if (Object.keys(body).length === 2) return state.showError("No changes detected");
    if (!discordId) return state.showError("Missing Discord ID. Please log in again.");
    state.save(body);
  };
  const field = (kind: PictureField["kind"], name: "profile_image" | "banner_image") =>
    renderPicture({
      kind,
      value: draft[name],
      saved: initial[name],
      disabled: isUploading || state.isSaving,
      onChange: (path) => set({ [name]: path }),
      onBusy: setUploading,
    });
  return (
    <EditDialog title="Edit profile" state={state} isUploading={isUploading} onSave={submit} onClose={onClose}>
      {field("picture", "profile_image")}
      {field("banner", "banner_image")}
      {TOGGLES.map(({ name, label, text }) => (
        <label key={name} className={css.toggle}>
          <input
            type="checkbox"
            checked={draft[name]}
            disabled={state.isSaving}
            onChange={(event) => set({ [name]: event.target.checked })}
          />
          <span>
            <strong>{label}</strong>
            <span className="quiet">{text}</span>
          </span>
        </label>
      ))}
    </EditDialog>
  );
}

function saveErrorText(error: unknown): string {
  const { status } = asApiError(error);
  const sentence = serverSentence(error);
  if (status === 401) return "You must be logged in to edit profile settings. Please log in with Discord first.";
  if (sentence) return `Failed to save: ${sentence}`;
  // A failure without a message has another text than an unreadable response.
  return status > 0 && asApiError(error).body !== null
    ? "Failed to save changes. Please try again."
    : "An error occurred while saving changes";
}
