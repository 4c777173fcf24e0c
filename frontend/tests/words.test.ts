import { afterEach, describe, expect, it, vi } from "vitest";
import { look, sourceWords } from "./support/source_words";

const CATALOGUES = import.meta.glob<Record<string, string>>("../src/words/*.json", { import: "default", eager: true });
const LATE = import.meta.glob<Record<string, string>>("../src/words/late/*.json", { import: "default", eager: true });
const SCRIPTS = import.meta.glob<string>("../src/words/*.ts", { query: "?raw", import: "default", eager: true });
const values = (text: string): string[] => [...text.matchAll(/{(\w+)}/g)].map(([, name]) => name ?? "").sort();
const found = sourceWords();

describe("the words of the page", () => {
  it("all go through t, many or rich", () => {
    expect(found.keys.size).toBeGreaterThan(400);
    expect(found.bare).toEqual([]);
  });

  it("that do not are found, as text, attribute, branch and sentence", () => {
    const { keys, bare } = { keys: new Map<string, string>(), bare: [] as string[] };
    const source = '<p title="Settings" class="plain">Some words {on ? "yes" : t("no")} {`All ${n}`} <b aria-label={"more"} /></p>; const x = "A sentence here";';
    look("a.tsx", source, { keys, bare });
    expect(bare.map((one) => one.replace(/^a.tsx:1 /, ""))).toEqual(["Settings", "Some words", "yes", "All", "more", "A sentence here"].map((text) => expect.stringContaining(text)));
    expect([...keys.keys()]).toEqual(["no"]);
  });
});

describe.each(Object.entries(CATALOGUES))("%s", (path, ofPage) => {
  const words = [ofPage, LATE[path.replace("/words/", "/words/late/")] ?? {}].flatMap(Object.entries<string>);

  it("has every key of the source once, here or among those of late chunks, and no other", () => {
    expect(words.map(([key]) => key).sort()).toEqual([...found.keys.keys()].sort());
  });

  it("has the values of each key in its translation, which is not empty", () => {
    for (const [key, said] of words) {
      expect(said.trim(), key).not.toBe("");
      expect(values(said), key).toEqual(values(key));
      expect(said.split("*").length, key).toBe(key.split("*").length); // the marks of a phrase in an example
    }
  });

  it("has a script that the server can put before the page's", () => {
    expect(SCRIPTS[path.replace(".json", ".ts")]).toContain(`"./${path.split("/").pop() ?? ""}"`);
  });
});

describe("a translation", () => {
  afterEach(() => {
    vi.resetModules();
    Reflect.deleteProperty(globalThis, "WORDS");
  });

  it("takes the place of the English, with its values in their own order", async () => {
    await import("../src/words/de");
    vi.resetModules();
    const { many, rich, t } = await import("../src/t");
    expect(t("Submit")).toBe("Abschicken");
    expect(t("{i} of {n}", { i: 1, n: 2 })).toBe("1 von 2");
    expect(many(1, "{n} question", "{n} questions")).toBe("1 Frage");
    expect(many(2, "{n} question", "{n} questions")).toBe("2 Fragen");
    expect(rich("“{words}”", { words: 7 })).toEqual(["„", 7, "“"]);
    expect(t("Not yet translated")).toBe("Not yet translated");
  });

  it("writes amounts as its readers do", async () => {
    document.documentElement.lang = "de";
    const { money } = await import("../src/labelling/views/words");
    expect(money(123450, "USD")).toMatch(/^1\.234,50\s\$$/);
    expect(money(40, "")).toBe("0.40");
  });
});
