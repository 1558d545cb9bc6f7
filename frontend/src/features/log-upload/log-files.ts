// Finds logs among what the player drops or chooses: files, a folder of logs, or the whole folder of the game.

/** A log to be read. */
export interface LogFile {
  file: File;
  name: string;
  /** Path below what was dropped or chosen. */
  path: string;
  /** Opens the file again if the game writes it meanwhile; null for files that were chosen. */
  entry: FileSystemFileEntry | null;
}

/** What was found of a game. */
export interface FoundFiles {
  logs: LogFile[];
  /** Its texts in the language of the player: notices in logs begin with some of them. */
  phrases: File[];
}

/** A folder of the game contains hundreds of folders, but none of its logs is deeper. */
const MAX_DEPTH = 8;

const isLog = (path: string) => /\.log$/i.test(path);
const hasPhrases = (path: string) => /(^|\/)localization\/[^/]+\/global\.ini$/i.test(path);

/**
 * Finds the logs of a drop, or of a file or folder input. A drop is read before its event ends, so call this at once.
 *
 * Handles of the File System Access API would be refused for the game's default folder, because it is below `Program Files`.
 */
export async function collectLogs(source: DataTransfer | FileList): Promise<FoundFiles> {
  const found: FoundFiles = { logs: [], phrases: [] };
  if (!("items" in source)) {
    for (const file of source) add(found, file, file.webkitRelativePath || file.name, null);
    return found;
  }
  // The items are gone after the first `await`.
  const dropped = [...source.items]
    .filter((item) => item.kind === "file")
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  for (const { entry, file } of dropped) {
    if (entry) await collectFromEntry(entry, 0, found);
    else if (file) add(found, file, file.name, null);
  }
  return found;
}

function add(found: FoundFiles, file: File, path: string, entry: FileSystemFileEntry | null): void {
  if (isLog(path)) found.logs.push({ file, name: file.name, path, entry });
  if (hasPhrases(path)) found.phrases.push(file);
}

/** The file as it is now; null if it cannot be opened. */
export const openEntry = (entry: FileSystemFileEntry): Promise<File | null> =>
  new Promise((done) => entry.file(done, () => done(null)));

async function collectFromEntry(entry: FileSystemEntry, depth: number, found: FoundFiles): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile && (isLog(path) || hasPhrases(path))) {
    const file = await openEntry(entry as FileSystemFileEntry);
    if (file) add(found, file, path, entry as FileSystemFileEntry);
  } else if (entry.isDirectory && depth < MAX_DEPTH) {
    for (const child of await childrenOf(entry as FileSystemDirectoryEntry))
      await collectFromEntry(child, depth + 1, found);
  }
}

/** Browsers list a folder in parts of 100. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((done) => reader.readEntries(done, () => done([])));
    if (part.length === 0) return all;
    all.push(...part);
  }
}
