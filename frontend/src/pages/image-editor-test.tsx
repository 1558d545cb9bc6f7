// A test page for the image editor with both kinds of pictures.
import { useState } from "react";
import { useSession } from "../features/sessions/use-session";
import { ImageUpload } from "../features/uploads/image-upload";
import { UPLOAD_RULES } from "../features/uploads/picture-file";
import { DEFAULT_PLAYER_IMAGE, playerBanner } from "../lib/images";
import { moment } from "../lib/times";
import { EmptyState } from "../ui/states";
import { useTitle } from "../ui/use-title";
import css from "./image-editor-test.module.css";

type Kind = "profile" | "banner";

interface Result {
  kind: Kind;
  path: string;
  /** Epoch seconds. */
  at: number;
}

export default function ImageEditorTest() {
  useTitle("Image editor");
  const { user } = useSession();
  const [shown, setShown] = useState<Record<Kind, string | null>>({ profile: null, banner: null });
  const [results, setResults] = useState<readonly Result[]>([]);
  const change = (kind: Kind) => (path: string | null) => {
    setShown((was) => ({ ...was, [kind]: path }));
    if (path) setResults((was) => [{ kind, path, at: Math.floor(Date.now() / 1000) }, ...was]);
    else setResults((was) => was.filter((one) => one.path !== shown[kind]));
  };
  const field = (kind: Kind, label: string, fallback: string) => (
    <ImageUpload
      label={label}
      type={kind}
      owner="player"
      rules={UPLOAD_RULES}
      value={shown[kind]}
      fallback={fallback}
      successText="Image uploaded successfully!"
      onChange={change(kind)}
    />
  );
  return (
    <div className="page">
      <h1 className={css.head}>Image editor</h1>
      <p className="quiet">Try cropping profile pictures and banners. {!user && "Uploading requires signing in."}</p>
      <h2 className="visually-hidden">Uploads</h2>
      <div className={css.columns}>
        {field("profile", "Profile upload", DEFAULT_PLAYER_IMAGE)}
        {field("banner", "Banner upload", playerBanner("editor"))}
      </div>
      <section aria-labelledby="results">
        <h2 id="results" className={css.title}>
          Results
        </h2>
        {results.length === 0 ? (
          <EmptyState title="No uploads yet">Uploaded pictures are listed here.</EmptyState>
        ) : (
          <ul role="list" className={css.results}>
            {results.map((one) => (
              <li key={one.path + one.at}>
                <img src={one.path} alt={`Uploaded ${one.kind}`} height={64} />
                <span>{one.kind}</span>
                <code>{one.path}</code>
                <span className="quiet">{moment(one.at)}</span>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}
