/** Copies text, through a hidden field if the clipboard API is unavailable. Returns whether it succeeded. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.style.position = "fixed";
    field.style.opacity = "0";
    document.body.append(field);
    field.select();
    // Pages without a secure origin have no clipboard API.
    const done = document.execCommand?.("copy") ?? false;
    field.remove();
    return done;
  }
}
