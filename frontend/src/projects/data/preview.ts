/** A sample of images with their phrases, where the word that decides can be given another type. */

import { request } from "../../api/client";
import { find, plural, problemInWords } from "../page";

type Part = { text: string; words?: string[]; types?: string[]; colour?: number | null; head?: [number, number] };
type Caption = { parts: Part[]; waits: boolean };
type Image = { name: string; url: string; picture: string; width: number; height: number; captions: Caption[] };
type Sample = { images: Image[]; differing: number; page: number; said?: string };

export function showSample(list: HTMLElement): void {
  const sampleAt = list.dataset["sample"] ?? "";
  const mendAt = list.dataset["mend"] ?? "";
  const dialog = find<HTMLDialogElement>(document, "dialog.types");
  const said = find(document, "[data-show=said]");
  const trouble = find(document, "[data-show=trouble]");
  let page = 0;
  let asked: { words: string[]; place: number } | null = null;

  const show = (sample: Sample): void => {
    page = sample.page;
    list.replaceChildren(...sample.images.map((image) => card(image, Boolean(mendAt))));
    const note = document.querySelector<HTMLElement>("[data-apply]");
    if (note && sample.differing) {
      note.hidden = false;
      find(note, "[data-show=differing]").textContent =
        `${plural(sample.differing, "phrase")} of this sample differ from what the images have. The images themselves change when you apply the word lists.`;
    }
  };
  const fail = (why: string): void => {
    trouble.hidden = !why;
    trouble.textContent = why;
  };
  const load = async (wanted: number): Promise<void> => {
    try {
      show(await request<Sample>(`${sampleAt}?page=${wanted}`));
      fail("");
    } catch (error) {
      fail(problemInWords(error));
    }
  };
  const mend = async (words: string[], type: string, place: number): Promise<void> => {
    try {
      const sample = await request<Sample>(mendAt, { body: { words, type, page } });
      fail("");
      said.textContent = sample.said ?? "";
      show(sample);
      list.querySelectorAll<HTMLElement>(".phrase[role=button]")[place]?.focus();
    } catch (error) {
      fail(problemInWords(error, ". Nothing was changed: try again."));
    }
  };

  const ask = (event: Event): void => {
    const pressed = event.target instanceof Element ? event.target.closest<HTMLElement>(".phrase[role=button]") : null;
    if (!pressed) return;
    const place = [...list.querySelectorAll(".phrase[role=button]")].indexOf(pressed);
    asked = { words: JSON.parse(pressed.dataset["words"] ?? "[]") as string[], place };
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
    if (asked && dialog.returnValue) void mend(asked.words, dialog.returnValue, asked.place);
    asked = null;
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close("");
  });
  document.querySelector("[data-another]")?.addEventListener("click", () => void load(page + 1));
  void load(0);
}

function card(image: Image, mends: boolean): HTMLElement {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = image.url;
  if (image.picture) {
    const picture = document.createElement("img");
    Object.assign(picture, { src: image.picture, alt: image.name, width: image.width, height: image.height, loading: "lazy" });
    link.append(picture);
  } else {
    const none = document.createElement("span");
    none.className = "nopicture";
    none.textContent = `${image.name}: no picture`;
    link.append(none);
  }
  const captions = document.createElement("ol");
  captions.className = "captions";
  captions.append(...image.captions.map((caption) => line(caption, mends)));
  item.append(link, captions);
  return item;
}

function line(caption: Caption, mends: boolean): HTMLElement {
  const item = document.createElement("li");
  item.append(...caption.parts.map((part) => (part.words ? phrase(part, mends) : part.text)));
  if (caption.waits) {
    const note = document.createElement("span");
    note.className = "hint";
    note.textContent = " (waits for its phrases)";
    item.append(note);
  }
  return item;
}

function phrase(part: Part, mends: boolean): HTMLElement {
  const { text, words = [], types = [], colour, head = [0, 0] } = part;
  const hidden = colour === null || colour === undefined;
  const presses = mends && (hidden || head[1] > 0);
  const shown = document.createElement("span"); // no button: a long phrase goes on in the next line
  shown.className = hidden ? "phrase nomention" : `phrase c${colour}`;
  const bold = document.createElement("b");
  bold.textContent = text.slice(head[0], head[1]);
  if (head[1] && !hidden) shown.append(text.slice(0, head[0]), bold, text.slice(head[1]));
  else shown.append(text);
  const name = hidden ? "no phrase of the picture" : types.join(", ");
  shown.title = name;
  if (presses) {
    shown.setAttribute("role", "button");
    shown.tabIndex = 0;
    shown.setAttribute("aria-label", `${text}: ${name}`);
    shown.dataset["words"] = JSON.stringify(words);
    shown.dataset["text"] = text;
  }
  return shown;
}
