import { act, cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AnswerTo, Question } from "../../src/api/types";
import { type PictureState, type Sight, SightContext } from "../../src/labelling/sight";
import { ATOM_VISUAL } from "../../src/tasks/atom_visual";
import { question } from "../support/samples";

/** Every picture that the page asks for, in place of the browser's. */
const asked: HTMLImageElement[] = [];
beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal(
    "Image",
    class extends EventTarget {
      src = "";
      onload: (() => void) | null = null;
      onerror: (() => void) | null = null;
      constructor() {
        super();
        asked.push(this as unknown as HTMLImageElement);
      }
    },
  );
});

const load = (place: number): Promise<void> => act(() => asked[place]?.onload?.call(window, new Event("load"))) as unknown as Promise<void>;
const fail = (place: number): Promise<void> => act(() => asked[place]?.onerror?.call(window, "")) as unknown as Promise<void>;

const CAPTIONS = ["A man rides a horse", "Two children riding", "The ride is over"];
const asks = (category: "entity" | "action" | "attribute" = "action"): Question => ({
  ...question(),
  language: "en",
  survey: {
    atom: "ride",
    category,
    examples: CAPTIONS.map((caption, i) => ({ caption, image: { url: `/${i}.jpg`, full_url: `/${i}-full.jpg`, width: 40, height: 30 } })),
  },
});

function show(asked = asks(), answer: AnswerTo<"atom_visual"> | null = null) {
  const onAnswer = vi.fn();
  const pictures: PictureState[] = [];
  const sight = { state: "open", unseen: [], onPicture: (one: PictureState) => pictures.push(one), onUnseen: () => undefined } as unknown as Sight;
  const { container } = render(
    <SightContext.Provider value={sight}>
      <ATOM_VISUAL.Screen question={asked} answer={answer} onChange={vi.fn()} disabled={false} {...{ onAnswer }} />
    </SightContext.Provider>,
  );
  return { container, onAnswer, pictures };
}

describe("a word", () => {
  it("is asked about in large letters, in its own language, with its category in plain words", () => {
    const { container } = show();
    expect(screen.getByRole("heading").textContent).toBe("Can this be seen in a picture?ride");
    expect(container.querySelector<HTMLElement>(".atom")?.lang).toBe("en");
    expect(container.textContent).toContain("something that is done or happens");
  });

  it.each([["1", "yes"], ["y", "yes"], ["2", "no"], ["n", "no"]])("takes the key %s for %s", (key, answer) => {
    const { onAnswer } = show();
    fireEvent.keyDown(window, { key });
    expect(onAnswer.mock.calls).toEqual([[answer]]);
  });

  it("shows what was answered before", () => {
    const { container } = show(asks(), "no");
    expect(container.querySelector<HTMLElement>("[aria-pressed=true]")?.dataset["answer"]).toBe("no");
  });

  it("is marked in the captions of its three examples, in the forms that its category has", () => {
    const marked = (): (string | undefined)[] => [...document.querySelectorAll("mark")].map((mark) => mark.childNodes[1]?.textContent ?? undefined);
    show();
    expect(marked()).toEqual(["rides", "riding", "ride"]);
    cleanup();
    show(asks("entity"));
    expect(marked()).toEqual(["rides", "ride"]);
  });
});

describe("the pictures of the examples", () => {
  it("are three, and answers wait for the last of them", async () => {
    const { pictures, container } = show();
    await load(0);
    await load(1);
    expect([pictures.at(-1), container.querySelectorAll("img").length]).toEqual(["loading", 2]);
    await load(2);
    await vi.waitFor(() => expect(pictures.at(-1)).toBe("painted"), { timeout: 20_000 });
    expect([...container.querySelectorAll("img")].map((image) => image.getAttribute("src"))).toEqual(["/0.jpg", "/1.jpg", "/2.jpg"]);
  });

  it("that did not load say so, each by itself, and can be asked for again", async () => {
    const { pictures } = show();
    await load(0);
    await fail(1);
    await load(2);
    expect([pictures.at(-1), screen.getByRole("alert").textContent]).toEqual(["failed", "The picture did not load.Try again"]);
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    await load(3);
    expect([asked[3]?.src, screen.queryByRole("alert")]).toEqual(["/1.jpg#1", null]);
  });
});
