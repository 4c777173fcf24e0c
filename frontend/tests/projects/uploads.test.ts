import { describe, expect, it } from "vitest";
import { dropped } from "../../src/projects/data/send";
import { byReason, showReasons, standing } from "../../src/projects/data/upload";

type Tree = { [name: string]: Tree | string | null };

/** Entries as Chromium makes them: plain objects of no class that a page can ask for. */
function entry(tree: Tree | string | null, path: string): FileSystemEntry {
  const isFile = tree === null || typeof tree === "string";
  const read = (done: (file: File) => void, fail: (error: Error) => void): void =>
    tree === null ? fail(new Error("gone")) : done(new File([tree as string], path.split("/").pop() ?? ""));
  let left = isFile ? [] : Object.entries(tree as Tree).map(([name, inside]) => entry(inside, `${path}/${name}`));
  const createReader = (): unknown => ({
    readEntries: (done: (some: FileSystemEntry[]) => void) => done(left.splice(0, 2)),
  });
  left = [...left];
  return { isFile, isDirectory: !isFile, fullPath: path, file: read, createReader } as unknown as FileSystemEntry;
}

function transfer(...entries: (FileSystemEntry | null)[]): DataTransfer {
  const items = entries.map((one) => ({ kind: one ? "file" : "string", webkitGetAsEntry: () => one, getAsFile: () => null }));
  return { items } as unknown as DataTransfer;
}

describe("dropped files", () => {
  it("come with their paths out of folders in folders, however many a reader hands out at a time", async () => {
    const found = await dropped(
      transfer(entry({ "1.jpg": "a", "2.jpg": "b", "3.jpg": "c", more: { "4.jpg": "d" } }, "/set"), entry("e", "/5.jpg")),
    );
    expect(found.files.map((one) => one.path)).toEqual(["set/1.jpg", "set/2.jpg", "set/3.jpg", "set/more/4.jpg", "5.jpg"]);
    expect(found.unread).toEqual([]);
  });

  it("that cannot be read are named, and the others come", async () => {
    const found = await dropped(transfer(entry({ "1.jpg": null, "2.jpg": "b" }, "/set")));
    expect([found.files.map((one) => one.path), found.unread]).toEqual([["set/2.jpg"], ["set/1.jpg"]]);
  });

  it("are none where a text was dropped", async () => {
    expect(await dropped(transfer(null))).toEqual({ files: [], unread: [] });
    expect(await dropped(null)).toEqual({ files: [], unread: [] });
  });
});

describe("an upload that broke off", () => {
  it("says how far it came, and what to choose again", () => {
    const paths = ["a", "b", "c"];
    const here = { a: [1, 1], b: [0, 5] } as const;
    expect(standing({ paths, folder: true }, here)).toBe(
      "1 of 3 files sent: choose the same folder again, and the upload goes on.",
    );
    expect(standing({ paths, folder: false }, here)).toContain("choose the same files again");
  });

  it("says nothing once all is here, or nothing any more", () => {
    expect(standing({ paths: ["a"], folder: true }, { a: [1, 1] })).toBe("");
    expect(standing({ paths: ["a"], folder: true }, {})).toBe("");
  });
});

describe("files that are left out", () => {
  const refused = [
    { path: "a.jpg", why: "is empty." },
    { path: "b.exe", why: "is neither." },
    { path: "c.exe", why: "is neither." },
  ];

  it("are one line for each reason, with a list of their names", () => {
    expect(byReason(refused)).toEqual([["is neither.", ["b.exe", "c.exe"]], ["is empty.", ["a.jpg"]]]);
    const place = document.createElement("div");
    showReasons(place, byReason(refused));
    expect(place.querySelector("summary")?.textContent).toBe("2 files: each is neither.");
    expect([...place.querySelectorAll("li")].map((one) => one.textContent)).toEqual(["b.exe", "c.exe"]);
    expect(place.querySelector("p")?.textContent).toBe("a.jpg is empty.");
    showReasons(place, []);
    expect([place.hidden, place.childElementCount]).toEqual([true, 0]);
  });
});
