/** Files that were dropped on the page, with their paths. */

export type Found = { path: string; file: File };
export type Dropped = { files: Found[]; unread: string[] };
/** `unread`: paths of files and folders that the browser could not read. */

/** What a drop brought. Its items are read at once: the browser forgets them when the event is over. */
export async function dropped(data: DataTransfer | null): Promise<Dropped> {
  const entries: FileSystemEntry[] = [];
  const files: Found[] = [];
  for (const item of [...(data?.items ?? [])].filter((one) => one.kind === "file")) {
    const entry = item.webkitGetAsEntry();
    const file = entry ? null : item.getAsFile();
    if (entry) entries.push(entry);
    if (file) files.push({ path: file.name, file });
  }
  const all: Dropped = { files, unread: [] };
  for (const entry of entries) await walk(entry, all);
  return all;
}

// Chromium has no `FileSystemFileEntry` to ask for with instanceof: an entry itself says what it is.
async function walk(entry: FileSystemEntry, all: Dropped): Promise<void> {
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail));
      all.files.push({ path: entry.fullPath.replace(/^\//, "") || file.name, file });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader hands out its entries a hundred at a time.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const one of some) await walk(one, all);
    }
  } catch {
    all.unread.push(entry.fullPath.replace(/^\//, ""));
  }
}
