import type { Caption } from "../api/types";

type Look = "a" | "b";
export const LOOKS: readonly Look[] = ["a", "b"];

interface Piece {
  text: string;
  marked: boolean;
}

/** A caption cut at its phrases. Offsets count code points: an emoji before a phrase is one character. */
export function pieces({ text, phrases }: Caption): Piece[] {
  const letters = Array.from(text);
  const cut = (from: number, to: number | undefined, marked: boolean): Piece => ({
    text: letters.slice(from, to).join(""),
    marked,
  });
  const sorted = [...phrases].sort((p, q) => p.start - q.start);
  const found = sorted.flatMap(({ start, end }, i) => [cut(sorted[i - 1]?.end ?? 0, start, false), cut(start, end, true)]);
  return [...found, cut(sorted.at(-1)?.end ?? 0, undefined, false)].filter((piece) => piece.text);
}

/** The words of the first phrase of a question. */
export function phraseOf(captions: readonly Caption[]): string {
  const caption = captions.find(({ phrases }) => phrases.length > 0);
  return (caption && pieces(caption).find(({ marked }) => marked)?.text) ?? "";
}

/** Captions with their phrases marked. In a `pair` the first phrase is called A and the second B. */
export function Captions({ captions, pair = false }: { captions: readonly Caption[]; pair?: boolean }) {
  return (
    <ul class="captions" tabIndex={-1}>
      {captions.map((caption, i) => {
        const look = pair ? LOOKS[i] : undefined;
        return (
          <li key={caption.number}>
            {pieces(caption).map(({ text, marked }) => (marked ? <Mark text={text} look={look} /> : text))}
          </li>
        );
      })}
    </ul>
  );
}

export function Mark({ text, look }: { text: string; look: Look | undefined }) {
  return (
    <mark class={`phrase ${look ?? "one"}`}>
      {look && <b class="letter">{look.toUpperCase()}</b>}
      {text}
    </mark>
  );
}
