import type { Caption, Question } from "../../api/types";
import { lang, many, rich, t } from "../../t";

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

/** So many characters are more lines than a phone shows beside the picture and the answers. */
const LONG = 450;

const isLong = ({ text }: Caption): boolean => text.length > LONG;

/** The words of every phrase of a question, in the order of the captions. */
export function phrasesOf(captions: readonly Caption[]): string[] {
  return captions.flatMap((caption) => pieces(caption).flatMap(({ text, marked }) => (marked ? text : [])));
}

/** A full stop after a space, as in data sets of separate words, must not begin a line of its own. */
export const glued = (text: string): string => text.replace(/ (?=[.,;:!?…،؛؟۔]+(?: |$))/g, "\u00a0");

/** What the captions of a question are shown with. */
export const captionsOf = ({ captions, language, other_captions: others }: Question) => ({ captions, language, others });

interface Props {
  captions: readonly Caption[];
  /** The language of the captions; "": unknown. */
  language?: string;
  /** The first phrase is called A and the second B. */
  pair?: boolean;
  /** The captions without a phrase, folded. */
  others?: readonly Caption[];
}

/** Captions with their phrases marked. */
export function Captions({ captions, language, pair, others = [] }: Props) {
  const scrolls = captions.some(isLong);
  return (
    <>
      <ul class={scrolls ? "captions long" : "captions"} tabIndex={scrolls ? 0 : undefined} lang={language || undefined}>
        {captions.map((caption, i) => (
          <Line key={caption.number} caption={caption} looks={pair ? LOOKS.slice(i) : undefined} />
        ))}
      </ul>
      {others[0] && (
        <details class="others">
          <summary>{many(others.length, "One other caption of this picture", "{n} other captions of this picture")}</summary>
          <ul class="captions" lang={language || undefined}>
            {others.map((caption) => (
              <Line key={caption.number} caption={caption} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** One caption, in the direction of its own first letter, whatever the letters and words that the page adds. */
const Line = (props: MarkedProps) => <li dir="auto">{marked(props)}</li>;

interface MarkedProps {
  caption: Caption;
  /** The letters of the phrases, in their order. */
  looks?: readonly Look[] | undefined;
}

/** The words of a caption, with its phrases marked. */
export function marked({ caption, looks }: MarkedProps) {
  let phrase = 0;
  return pieces(caption).map(({ text, marked }) => (marked ? <Mark text={text} look={looks?.[phrase++]} /> : glued(text)));
}

/** A marked phrase. Screen readers say where it begins and ends: most of them pass over marks. */
export function Mark({ text, look }: { text: string; look: Look | undefined }) {
  return (
    <mark class={`phrase ${look ?? ""}`}>
      {look && (
        <bdi class="letter" lang={lang}>
          {look.toUpperCase()}
        </bdi>
      )}
      <bdi class="unseen" lang={lang}>
        {look ? ": " : t("marked: ")}
      </bdi>
      {glued(text)}
      <bdi class="unseen" lang={lang}>
        {t(", end of mark")}
      </bdi>
    </mark>
  );
}

/** A phrase of a question in quotes, in a sentence of the page. `at`: its place among the phrases. */
export function PhraseWords({ of: { captions, language }, at = 0 }: { of: Question; at?: number }) {
  return <>{rich("“{words}”", { words: <bdi lang={language || undefined}>{phrasesOf(captions)[at] ?? ""}</bdi> })}</>;
}
