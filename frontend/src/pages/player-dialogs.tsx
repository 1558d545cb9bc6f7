export default function PlayerDialogs(_: { which: string; handle: string; user: object; onClose: () => void }) {
  return null;
}
