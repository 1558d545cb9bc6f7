/** Copies text; where the clipboard is not available, by way of a hidden field. Gives whether it worked. */
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
    // The old way is all that is left on pages without a secure origin.
    const done = document.execCommand?.("copy") ?? false;
    field.remove();
    return done;
  }
}
