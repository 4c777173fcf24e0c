/** A sample of images with their phrases, where the words of a phrase are marked, and the word that decides gets a type. */

import type { Returned, Taken } from "../../api/call";
import { request } from "../../api/client";
import { find, make, plural, problemInWords } from "../page";

type Sample = Returned<"phrase_sample">;
type ImageOfSample = Sample["images"][number];
type CaptionOfSample = ImageOfSample["captions"][number];
type Phrase = NonNullable<CaptionOfSample["parts"][number]["phrase"]>;
type NewType = Taken<"change_type">;

/** The element that was pressed: a phrase, or the sign that adds one. */
interface Pressed {
  readonly image: number;
  readonly caption: CaptionOfSample;
  /** Null: a phrase is added. */
  readonly phrase: Phrase | null;
}

const pressable = new WeakMap<Element, Pressed>();
const PRESSABLE = "[data-press]";

export function showSample(list: HTMLElement): void {
  const { sample: sampleAt = "", mend: mendAt = "", mark: markAt = "", undo: undoAt = "" } = list.dataset;
  const dialog = find<HTMLDialogElement>(document, "dialog.types");
  const everywhere = find<HTMLInputElement>(dialog, "[name=everywhere]");
  const said = find(document, "[data-show=said]");
  const trouble = find(document, "[data-show=trouble]");
  const undo = find(document, "[data-changed]");
  let page = 0;
  let asked: { pressed: Pressed; marked: Marked; place: number } | null = null;

  const show = (sample: Sample): void => {
    list.replaceChildren(...sample.images.map((image) => card(image, Boolean(mendAt))));
    undo.hidden = !sample.undo;
    find(undo, "span").textContent = sample.undo;
    const note = document.querySelector<HTMLElement>("[data-apply]");
    if (note && sample.differing) {
      note.hidden = false;
      find(note, "[data-show=differing]").textContent =
        `${plural(sample.differing, "phrase")} of this sample ${sample.differing === 1 ? "differs" : "differ"} from what the images have. The images themselves change when you apply the word lists.`;
    }
  };
  const fail = (why: string): void => {
    trouble.hidden = !why;
    trouble.textContent = why;
  };
  const load = async (wanted: number): Promise<void> => {
    try {
      show(await request<"phrase_sample">(`${sampleAt}?page=${String(wanted)}`));
      page = wanted;
      fail("");
    } catch (error) {
      fail(problemInWords(error));
    }
  };
  /** Change phrases, read the sample again, and go back to the place of what was pressed. */
  const change = async (act: () => Promise<string>, place = 0): Promise<void> => {
    try {
      said.textContent = await act();
      await load(page);
      list.querySelectorAll<HTMLElement>(PRESSABLE)[place]?.focus();
    } catch (error) {
      fail(problemInWords(error, ". Nothing was changed: try again."));
    }
  };
  /** Repeat a call that changes a part of the images, until none is left. */
  const repeat = async (act: () => Promise<Returned<"mark_phrase">>): Promise<string> => {
    let captions = 0;
    for (;;) {
      const done = await act();
      captions += done.captions;
      said.textContent = done.sentence;
      if (!done.left) return captions === done.captions ? done.sentence : `Done: ${plural(captions, "caption")}.`;
    }
  };
  const takeBack = (): void => void change(() => repeat(() => request<"undo_phrase_edit">(undoAt, { body: {} as never })));
  const act = ({ pressed: { image, caption, phrase }, marked, place }: NonNullable<typeof asked>, value: string): void => {
    if (value === "mark" || value === "remove") {
      const [start, end] = value === "remove" && phrase ? phrase.span : [marked.start, marked.end];
      const body = { caption: caption.number, start, end, remove: value === "remove", everywhere: everywhere.checked };
      void change(() => repeat(() => request<"mark_phrase">(markAt.replace("/0/", `/${String(image)}/`), { body })), place);
    } else if (phrase) {
      const body = { words: phrase.words, type: value } as NewType;
      void change(async () => (await request<"change_type">(mendAt, { body })).sentence, place);
    }
  };

  const ask = (event: Event): void => {
    const element = event.target instanceof Element ? event.target.closest(PRESSABLE) : null;
    const pressed = element && pressable.get(element);
    if (!pressed) return;
    event.preventDefault();
    const { caption, phrase } = pressed;
    const [start, end] = phrase?.span ?? [0, 0];
    asked = { pressed, marked: { start, end }, place: [...list.querySelectorAll(PRESSABLE)].indexOf(element) };
    find(dialog, "h2").textContent = phrase ? `“${phrase.words.join(" ")}”` : "Add a phrase";
    find(dialog, "[data-kinds]").hidden = !phrase || (phrase.colour !== null && phrase.head[1] === 0);
    for (const type of dialog.querySelectorAll<HTMLButtonElement>(".choices button"))
      type.ariaPressed = String(phrase?.types.includes(type.value) ?? false);
    find(dialog, "[value=remove]").hidden = !phrase || phrase.colour === null;
    everywhere.checked = false;
    dialog.returnValue = "";
    dialog.showModal();
    const save = find<HTMLButtonElement>(dialog, "[value=mark]");
    showWords(find(dialog, "[data-words]"), caption.words, asked.marked, (marked) => {
      if (asked) asked = { ...asked, marked };
      save.disabled = marked.start === marked.end || (phrase?.colour !== null && marked.start === start && marked.end === end);
    });
  };
  list.addEventListener("click", ask);
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") ask(event);
  });
  dialog.addEventListener("close", () => {
    if (asked && dialog.returnValue) act(asked, dialog.returnValue);
    asked = null;
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close("");
  });
  find(undo, "button").addEventListener("click", takeBack);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.repeat || dialog.open || undo.hidden) return;
    event.preventDefault();
    takeBack();
  });
  document.querySelector("[data-another]")?.addEventListener("click", () => void load(page + 1));
  void load(0);
}

function card(image: ImageOfSample, mends: boolean): HTMLElement {
  const { id, name, url, picture, width, height, begun } = image;
  const shown = picture
    ? make("img", { src: picture, alt: name, width, height, loading: "lazy" })
    : make("span", { className: "nopicture" }, `${name}: no picture`);
  const lines = image.captions.map((caption) => line(id, caption, mends && !begun));
  return make("li", {}, make("a", { href: url }, shown), make("ol", { className: "captions" }, ...lines));
}

function line(image: number, caption: CaptionOfSample, mends: boolean): HTMLElement {
  const { parts, chunked } = caption;
  const shown = make("li", {}, ...parts.map(({ text, phrase }) => (phrase ? phraseOf(text, image, caption, phrase, mends) : text)));
  if (!chunked) shown.append(make("span", { className: "hint" }, " (waits for its phrases)"));
  else if (mends) shown.append(" ", press(make("button", { type: "button", className: "add", ariaLabel: "Add a phrase", title: "Add a phrase" }, "+"), { image, caption, phrase: null }));
  return shown;
}

function phraseOf(text: string, image: number, caption: CaptionOfSample, phrase: Phrase, mends: boolean): HTMLElement {
  const { types, colour, head } = phrase;
  const [from, to] = head;
  const hidden = colour === null;
  const inside = to && !hidden ? [text.slice(0, from), make("b", {}, text.slice(from, to)), text.slice(to)] : [text];
  const name = hidden ? "no phrase of the picture" : types.join(", ");
  // No button: a long phrase goes on in the next line.
  const shown = make("span", { className: hidden ? "phrase nomention" : `phrase c${String(colour)}`, title: name }, ...inside);
  if (!mends) return shown;
  shown.dataset["text"] = text;
  return press(Object.assign(shown, { role: "button", tabIndex: 0, ariaLabel: `${text}: ${name}` }), { image, caption, phrase });
}

function press<Kind extends HTMLElement>(element: Kind, pressed: Pressed): Kind {
  element.dataset["press"] = "";
  pressable.set(element, pressed);
  return element;
}

/** The first word of a phrase in its caption, and the end. */
interface Marked {
  readonly start: number;
  readonly end: number;
}

/** The phrase after a word was pressed: it takes in a word outside, leaves out its first or last one, and ends at another. */
function afterPress({ start, end }: Marked, word: number): Marked {
  if (start === end) return { start: word, end: word + 1 };
  if (word < start) return { start: word, end };
  if (word === start) return { start: word + 1, end };
  return { start, end: word === end - 1 ? word : word + 1 };
}

/** Show the words in the element, by mouse, touch and keyboard: arrows go from word to word. Returns what is marked then. */
function showWords(group: HTMLElement, words: readonly string[], first: Marked, changed: (now: Marked) => void): void {
  let now = first;
  const buttons = words.map((word) => make("button", { type: "button" }, word));
  const show = (focused: number): void => {
    buttons.forEach((button, place) => {
      button.ariaPressed = String(now.start <= place && place < now.end);
      button.tabIndex = place === focused ? 0 : -1;
    });
    changed(now);
  };
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => {
      now = afterPress(now, place);
      show(place);
    });
    button.addEventListener("keydown", (event) => {
      const next = { ArrowRight: place + 1, ArrowLeft: place - 1 }[event.key];
      if (next !== undefined && buttons[next]) {
        show(next);
        buttons[next].focus();
      } else if (event.key === "Enter") {
        group.closest("form")?.querySelector<HTMLButtonElement>("button.main")?.click();
      } else return;
      event.preventDefault();
    });
  });
  group.replaceChildren(...buttons);
  show(Math.max(0, now.end - 1));
  buttons[Math.max(0, now.end - 1)]?.focus();
}
