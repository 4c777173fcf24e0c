/** A sample of images with their phrases, where the word that decides can be given another type. */

import type { Returned, Taken } from "../../api/call";
import { request } from "../../api/client";
import { find, make, plural, problemInWords } from "../page";

type Sample = Returned<"phrase_sample">;
type ImageOfSample = Sample["images"][number];
type CaptionOfSample = ImageOfSample["captions"][number];
type Phrase = NonNullable<CaptionOfSample["parts"][number]["phrase"]>;
type NewType = Taken<"change_type">;

export function showSample(list: HTMLElement): void {
  const sampleAt = list.dataset["sample"] ?? "";
  const mendAt = list.dataset["mend"] ?? "";
  const dialog = find<HTMLDialogElement>(document, "dialog.types");
  const said = find(document, "[data-show=said]");
  const trouble = find(document, "[data-show=trouble]");
  let page = 0;
  let asked: { words: NewType["words"]; place: number } | null = null;

  const show = (sample: Sample): void => {
    list.replaceChildren(...sample.images.map((image) => card(image, Boolean(mendAt))));
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
  const mend = async ({ words, type }: NewType, place: number): Promise<void> => {
    try {
      said.textContent = (await request<"change_type">(mendAt, { body: { words, type } })).sentence;
      await load(page);
      list.querySelectorAll<HTMLElement>(".phrase[role=button]")[place]?.focus();
    } catch (error) {
      fail(problemInWords(error, ". Nothing was changed: try again."));
    }
  };

  const ask = (event: Event): void => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>(".phrase[role=button]") : null;
    if (!pressed) return;
    const place = [...list.querySelectorAll(".phrase[role=button]")].indexOf(pressed);
    asked = { words: JSON.parse(pressed.dataset["words"] ?? "[]") as NewType["words"], place };
    find(dialog, "h2").textContent = `“${pressed.dataset["text"] ?? ""}” is of type …`;
    dialog.returnValue = "";
    event.preventDefault();
    dialog.showModal();
  };
  list.addEventListener("click", ask);
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") ask(event);
  });
  dialog.addEventListener("close", () => {
    if (asked && dialog.returnValue) void mend({ words: asked.words, type: dialog.returnValue as NewType["type"] }, asked.place);
    asked = null;
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close("");
  });
  document.querySelector("[data-another]")?.addEventListener("click", () => void load(page + 1));
  void load(0);
}

function card(image: ImageOfSample, mends: boolean): HTMLElement {
  const { name, url, picture, width, height } = image;
  const shown = picture
    ? make("img", { src: picture, alt: name, width, height, loading: "lazy" })
    : make("span", { className: "nopicture" }, `${name}: no picture`);
  const captions = make("ol", { className: "captions" }, ...image.captions.map((caption) => line(caption, mends)));
  return make("li", {}, make("a", { href: url }, shown), captions);
}

function line({ parts, chunked }: CaptionOfSample, mends: boolean): HTMLElement {
  const note = chunked ? [] : [make("span", { className: "hint" }, " (waits for its phrases)")];
  return make("li", {}, ...parts.map(({ text, phrase: found }) => (found ? phrase(text, found, mends) : text)), ...note);
}

function phrase(text: string, { words, types, colour, head: [from, to] }: Phrase, mends: boolean): HTMLElement {
  const hidden = colour === null;
  const inside = to && !hidden ? [text.slice(0, from), make("b", {}, text.slice(from, to)), text.slice(to)] : [text];
  const name = hidden ? "no phrase of the picture" : types.join(", ");
  // No button: a long phrase goes on in the next line.
  const shown = make("span", { className: hidden ? "phrase nomention" : `phrase c${colour}`, title: name }, ...inside);
  if (mends && (hidden || to > 0)) {
    Object.assign(shown, { role: "button", tabIndex: 0, ariaLabel: `${text}: ${name}` });
    Object.assign(shown.dataset, { words: JSON.stringify(words), text });
  }
  return shown;
}
