import { Download } from "lucide-react";
import { useState } from "react";
import { Alert } from "../../ui/alert";
import { Button } from "../../ui/button";
import { downloadOfUpload } from "./download";
import css from "./log-upload.module.css";
import type { Reading, UploadChoice } from "./reading";

const FILE_NAME = "upload.txt";

interface DownloadButtonProps {
  reading: Reading;
  choice: UploadChoice;
  disabled: boolean;
}

/** Downloads what an upload would send. */
export function DownloadButton({ reading, choice, disabled }: DownloadButtonProps) {
  const [outcome, setOutcome] = useState<"started" | "failed" | null>(null);
  const download = async () => {
    const url = URL.createObjectURL(await downloadOfUpload(reading, choice));
    const anchor = document.createElement("a");
    anchor.href = url;
    anchor.download = FILE_NAME;
    anchor.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <div className={css.row}>
        <Button
          disabled={disabled}
          onClick={() =>
            void download().then(
              () => setOutcome("started"),
              () => setOutcome("failed"),
            )
          }
        >
          <Download size={16} aria-hidden="true" /> Download the exact upload
        </Button>
      </div>
      {outcome === "started" && <Alert tone="success">Download started.</Alert>}
      {outcome === "failed" && <Alert tone="error">The upload could not be read from your browser's storage.</Alert>}
    </>
  );
}
