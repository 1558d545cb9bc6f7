// Uploads of pictures. A picture takes effect when settings refer to it.
import { call } from "./client";

export type UploadTarget =
  | "profile-image"
  | "profile-banner-image"
  | "guild-image"
  | "banner-image"
  | "cropped-profile-image"
  | "cropped-banner-image";

/** Uploads a picture and returns its path on the server. `owner` is the owner of a cropped picture. */
export async function uploadImage(
  target: UploadTarget,
  image: Blob,
  name: string,
  owner: "player" | "guild" = "player",
): Promise<string> {
  const body = new FormData();
  body.set("image", image, name);
  if (owner === "guild" && target.startsWith("cropped-")) body.set("target", "guild");
  return (await call<{ imagePath: string }>(`/api/upload/${target}`, { method: "POST", body })).imagePath;
}

export const removeImage = (imagePath: string) =>
  call<{ message?: string }>("/api/upload/image", { method: "DELETE", body: { imagePath } });
