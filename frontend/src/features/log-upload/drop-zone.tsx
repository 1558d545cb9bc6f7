import { FileText, FolderOpen } from "lucide-react";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button";
import css from "./log-upload.module.css";

/** What the player has dropped or chosen. Folders of a drop can only be read while the event is handled. */
export type LogSource = DataTransfer | FileList;

const CAN_CHOOSE_FOLDER = "webkitdirectory" in HTMLInputElement.prototype;

interface DropZoneProps {
  game: string;
  isDraggedOver: boolean;
  /** The parser is still loading. */
  isBusy: boolean;
  onSource: (source: LogSource) => void;
}

/** Where logs are dropped or chosen. The page takes files that are dropped anywhere on it. */
export function DropZone({ game, isDraggedOver, isBusy, onSource }: DropZoneProps) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.files && target.files.length > 0) onSource(target.files);
    // Allows choosing the same files again.
    target.value = "";
  };
  useEffect(() => {
    if (folder.current) folder.current.webkitdirectory = true;
  }, []);
  return (
    <section aria-labelledby="choose" aria-busy={isBusy} className={css.drop} data-over={isDraggedOver || undefined}>
      <h2 id="choose">{isDraggedOver ? "Drop to read" : "Drop your logs or your game folder here"}</h2>
      <div className={css.actions}>
        {CAN_CHOOSE_FOLDER && (
          <Button variant="primary" disabled={isBusy} onClick={() => folder.current?.click()}>
            <FolderOpen size={18} aria-hidden="true" /> Choose folder
          </Button>
        )}
        <Button
          variant={CAN_CHOOSE_FOLDER ? "quiet" : "primary"}
          disabled={isBusy}
          onClick={() => files.current?.click()}
        >
          <FileText size={18} aria-hidden="true" /> Choose files
        </Button>
      </div>
      <p className="quiet">
        The log is <code>Game.log</code> in the folder of the game, often{" "}
        <code>C:\Program Files\Roberts Space Industries\StarCitizen\LIVE</code>. Earlier logs are in{" "}
        <code>logbackups</code> beside it. The whole folder of {game} may be chosen: only its logs are read.
      </p>
      {CAN_CHOOSE_FOLDER && (
        <p className="quiet">
          For a folder, your browser may ask whether to <em>upload</em> its files. That is its word for letting this
          page read them. They stay on your computer.
        </p>
      )}
      <input ref={folder} type="file" hidden multiple aria-label="Folder with logs" onChange={choose} />
      <input ref={files} type="file" hidden multiple aria-label="Logs" onChange={choose} />
    </section>
  );
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;

/** Takes files that are dropped on the page, which the browser would open otherwise. Returns whether files are dragged over it. */
export function useFileDrop(onDrop: (source: LogSource) => void): boolean {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const drop = useRef(onDrop);
  useEffect(() => {
    drop.current = onDrop;
  });
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDraggedOver(true);
    };
    // Leaving an element for one inside it names that one; leaving the window names none.
    const leave = (event: DragEvent) => event.relatedTarget === null && setDraggedOver(false);
    const dropped = (event: DragEvent) => {
      setDraggedOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) drop.current(event.dataTransfer);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", dropped);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", dropped);
    };
  }, []);
  return isDraggedOver;
}
